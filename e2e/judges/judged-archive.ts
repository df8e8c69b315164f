// The archive that is judged: made with our own commands, crawled twice and imported into, exported as WARC and as WACZ, and
// read back from our own peer.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Capture } from '../../src/app/store/store-library.ts'
import { fetchedUrl, indexUrl, requestQuery } from '../../src/formats/http/request-query.ts'
import { printTimestamp } from '../../src/model/timestamp.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { polyhistor } from '../command.ts'
import { captures } from '../crawl/crawling.ts'
import { TestArchive } from '../replay/archive.ts'
import { importedWarc } from './imported-warc.ts'
import { type RawAnswer, rawAnswer } from './raw-answer.ts'
import { answerWith, crawledSamples, importedSamples, type Sample } from './samples.ts'

/** One capture, and what our peer says that it is. */
export interface Judged {
  readonly kind: string
  readonly url: string
  readonly post: Sample['post']
  /** 14 digits. */
  readonly timestamp: string
  /** What the server said: 304 too, for which our peer shows what had not been modified. */
  readonly status: number
  readonly ours: RawAnswer
}

const rounds = 2
const secondMs = 1_000

export class JudgedArchive {
  readonly warc: string
  readonly wacz: string
  readonly judged: readonly Judged[]

  private constructor(files: { warc: string; wacz: string }, judged: readonly Judged[]) {
    this.warc = files.warc
    this.wacz = files.wacz
    this.judged = judged
  }

  /** `folder` gets the exports. */
  static async make(folder: string): Promise<JudgedArchive> {
    const archive = await TestArchive.create()
    try {
      const samples = [...(await crawled(archive)), ...(await imported(archive, folder))]
      const kept = await captures(archive.home)
      const files = { warc: join(folder, 'judged.warc.gz'), wacz: join(folder, 'judged.wacz') }
      for (const file of Object.values(files)) await run('export', file, '--home', archive.home)
      await archive.start()
      return new JudgedArchive(files, await readBack(archive, samples, kept))
    } finally {
      await archive.stop()
    }
  }
}

async function crawled(archive: TestArchive): Promise<Sample[]> {
  let round = 0
  let samples: Sample[] = []
  let origin = ''
  const server = createServer((request, response) => answerWith(samples, origin, round, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    origin = `http://judged.localhost:${(server.address() as AddressInfo).port}`
    samples = crawledSamples(origin)
    for (; round < rounds; round++) {
      // Indexes know seconds: the captures of each round have others than those before.
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, secondMs))
      await archive.crawl(samples.map(({ url }) => url))
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return samples
}

async function imported(archive: TestArchive, folder: string): Promise<Sample[]> {
  const samples = importedSamples()
  const file = join(folder, 'foreign.warc.gz')
  await writeFile(file, importedWarc(samples))
  await run('import', file, '--home', archive.home)
  return samples
}

async function run(...words: string[]): Promise<void> {
  const { code, errors } = await polyhistor(words)
  assert.equal(code, 0, `polyhistor ${words[0]}: ${errors}`)
}

/** Every capture, with the bytes that our peer gives. They are those that were sent, or nothing needs to be judged. */
async function readBack(
  archive: TestArchive,
  samples: readonly Sample[],
  kept: readonly Capture[],
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const sample of samples) {
    const filed = filedUrl(sample)
    const own = kept.filter(({ url }) => url === filed).sort((a, b) => a.capturedAtMs - b.capturedAtMs)
    assert.ok(own.length > 0, `${sample.kind}: ${sample.url} was not kept`)
    for (const [number, { capturedAtMs, url, status }] of own.entries()) {
      const timestamp = printTimestamp(capturedAtMs)
      const path = `/web/${timestamp}id_/${fetchedUrl(url)}`
      const { post, kind } = sample
      const ours = await rawAnswer({ port: archive.port, host: 'replay.localhost', path, post })
      const sent = sample.bodies[number] ?? sample.bodies[0]!
      assert.equal(ours.status, sample.status, `${kind}: our own peer's status of ${path}`)
      assert.ok(ours.body.equals(sent), `${kind}: our own peer gives other bytes than were sent for ${path}`)
      judged.push({ kind, url: fetchedUrl(url), post, timestamp, status, ours })
    }
  }
  assert.equal(judged.length, kept.length, 'captures that are of no sample')
  return judged
}

/** The URL that its captures are filed under. */
function filedUrl({ url: written, post }: Sample): string {
  const url = parseUrl(written)
  if (post === undefined) return url.href
  const { contentType, body } = post
  return indexUrl(url, requestQuery({ method: 'POST', contentType, body: Buffer.from(body) })!).href
}
