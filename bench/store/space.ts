// Space: a site of 500 pages crawled 20 times, 5 % of them changed a little each time. How many bytes is that on disk?
//
// Beside it the same captures as any crawler writes them: every one a full response, and with revisits for what has not
// changed; one gzip member per record, level 6, and a CDXJ index, without which neither can be read. Request records
// are left out everywhere. Volumes are compared with WARC files, and the whole with the whole. Beside that, what a record
// of each kind takes.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { printCdxjLine } from '../../src/formats/cdx/cdxj.ts'
import { type Compression, gzip } from '../../src/formats/warc/compression/compression.ts'
import { response, revisit } from '../../src/formats/warc/record-builder.ts'
import { encodeRecord } from '../../src/formats/warc/record-encoding.ts'
import { digestHex, digestOf, printDigest } from '../../src/model/digest.ts'
import { printTimestamp, printWarcDate } from '../../src/model/timestamp.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { printTable } from '../measure.ts'
import { spread } from './callers.ts'
import { chanceFrom, pageText, sentence } from './page.ts'
import type { Scene } from './scene.ts'

export interface SpacePlan {
  pages: number
  crawls: number
  changedPercent: number
  compressions: readonly Compression[]
}

export interface SpaceResult {
  name: string
  warcBytes: number
  indexBytes: number
  records: Record<RecordKind, { count: number; bytes: number }>
}

type RecordKind = 'full' | 'same' | 'delta'

interface Fetched {
  url: string
  atMs: number
  head: Buffer
  body: Buffer
}

const startMs = Date.parse('2024-01-01T00:00:00Z')
const weekMs = 7 * 86_400_000

export async function measureSpace(scene: Scene, plan: SpacePlan): Promise<SpaceResult[]> {
  const full = noResult('full .warc.gz + CDXJ')
  const revisits = noResult('with revisits + CDXJ')
  const stores = []
  for (const compression of plan.compressions) stores.push(await scene.openStore({ compression }))
  const known = new Map<string, Fetched>()
  for (const [crawl, site] of crawlsOf(plan)) {
    scene.progress(`crawl ${crawl + 1} of ${plan.crawls}`)
    for (const fetched of site) count(fetched, full, revisits, known)
    for (const store of stores) {
      await spread(30, site.length, async (place) => {
        const { url, atMs, head, body } = site[place]!
        await store.append({ url: parseUrl(url), capturedAtMs: atMs, block: Buffer.concat([head, body]) })
      })
    }
  }
  const results = [full, revisits]
  for (const [place, store] of stores.entries()) {
    const result = noResult(`store, ${plan.compressions[place]!.kind}`)
    for (const { kind, storedBytes } of store.scan({ kind: 'all' }))
      countRecord(result, kind as RecordKind, storedBytes)
    const { volumes } = await store.stat()
    await store.close()
    result.warcBytes = volumes.reduce((sum, { bytes }) => sum + bytes, 0)
    result.indexBytes = (await stat(join(store.folder, 'index', 'data.mdb'))).size
    results.push(result)
    await scene.removeStore(store)
  }
  scene.print(`${plan.pages} pages crawled ${plan.crawls} times, ${plan.changedPercent} % changed each time`)
  scene.print(printed(results))
  return results
}

function noResult(name: string): SpaceResult {
  const none = () => ({ count: 0, bytes: 0 })
  return { name, warcBytes: 0, indexBytes: 0, records: { full: none(), same: none(), delta: none() } }
}

function countRecord({ records }: SpaceResult, kind: RecordKind, bytes: number): void {
  records[kind].count++
  records[kind].bytes += bytes
}

/** What each crawl finds, in turn. */
export function* crawlsOf(plan: SpacePlan): Generator<[crawl: number, site: Fetched[]]> {
  const chance = chanceFrom(5)
  const bodies = Array.from({ length: plan.pages }, (_, place) => pageText(place))
  for (let crawl = 0; crawl < plan.crawls; crawl++) {
    if (crawl > 0) changeSome(bodies, Math.round((plan.pages * plan.changedPercent) / 100), chance)
    yield [crawl, bodies.map((body, place) => fetched(place, crawl, body))]
  }
}

/** One sentence of each is another. */
function changeSome(bodies: string[], count: number, chance: () => number): void {
  const places = new Set<number>()
  while (places.size < count) places.add(Math.floor(chance() * bodies.length))
  for (const place of places) {
    const body = bodies[place]!
    const start = body.indexOf('teaser__text">', Math.floor(chance() * body.length * 0.9)) + 14
    const end = body.indexOf('</p>', start)
    bodies[place] = `${body.slice(0, start)}${sentence(chance, 18)}.${body.slice(end)}`
  }
}

function fetched(place: number, crawl: number, body: string): Fetched {
  const atMs = startMs + crawl * weekMs + place * 1_000
  const bytes = Buffer.from(body)
  const tag = digestHex(digestOf('sha256', bytes)).slice(0, 12)
  const head = `HTTP/1.1 200 OK\r\nDate: ${new Date(atMs).toUTCString()}\r\nServer: nginx\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${bytes.length}\r\nCache-Control: max-age=600, public\r\nETag: "${tag}"\r\nVary: Accept-Encoding\r\n\r\n`
  const url = `https://www.example.com/articles/2023/${(place % 12) + 1}/a-page-about-something-${place}.html`
  return { url, atMs, head: Buffer.from(head), body: bytes }
}

function count(
  fetched: Fetched,
  full: SpaceResult,
  revisits: SpaceResult,
  known: Map<string, Fetched>,
): void {
  const { url, atMs, head, body } = fetched
  const payloadDigest = digestOf('sha256', body)
  const about = { id: crypto.randomUUID(), date: printWarcDate(atMs), targetUri: url, payloadDigest }
  const whole = encodeRecord(response({ ...about, block: Buffer.concat([head, body]) }), gzip)
  full.indexBytes += lineBytes(fetched, whole.length, full.warcBytes)
  full.warcBytes += whole.length
  countRecord(full, 'full', whole.length)
  const name = digestHex(payloadDigest)
  const first = known.get(name)
  if (first === undefined) known.set(name, fetched)
  const refersTo = first && { id: about.id, targetUri: first.url, date: printWarcDate(first.atMs) }
  const record = refersTo
    ? encodeRecord(
        revisit({ ...about, kind: 'identical-payload-digest', refersTo, block: head, truncated: 'length' }),
        gzip,
      )
    : whole
  revisits.indexBytes += lineBytes(fetched, record.length, revisits.warcBytes)
  revisits.warcBytes += record.length
  countRecord(revisits, first === undefined ? 'full' : 'same', record.length)
}

function lineBytes({ url, atMs, body }: Fetched, length: number, offset: number): number {
  const line = printCdxjLine({
    surt: parseUrl(url).surt,
    timestamp: printTimestamp(atMs),
    url,
    mime: 'text/html',
    status: 200,
    digest: printDigest(digestOf('sha256', body)),
    length,
    offset,
    filename: 'polyhistor-20240101000000-00001-host.warc.gz',
  })
  return Buffer.byteLength(line) + 1
}

function meanOf({ count, bytes }: { count: number; bytes: number }): string {
  return count === 0 ? '' : String(Math.round(bytes / count))
}

function printed(results: readonly SpaceResult[]): string {
  const [full, revisits] = results as [SpaceResult, SpaceResult]
  const all = ({ warcBytes, indexBytes }: SpaceResult) => warcBytes + indexBytes
  const times = (left: number, right: number) => `${(left / right).toFixed(3)} ×`
  const rows = results.map((result) => [
    result.name,
    (result.warcBytes / 1e6).toFixed(2),
    (result.indexBytes / 1e6).toFixed(2),
    times(result.warcBytes, full.warcBytes),
    times(result.warcBytes, revisits.warcBytes),
    times(all(result), all(full)),
    times(all(result), all(revisits)),
    ...(['full', 'same', 'delta'] as const).map((kind) => meanOf(result.records[kind])),
  ])
  const ratios = ['WARC/full', 'WARC/revisits', 'all/full', 'all/revisits']
  const header = ['', 'WARC MB', 'index MB', ...ratios, 'full B', 'revisit B', 'delta B']
  return `${printTable(header, rows)}\ngoals: ≤ 0.15 × of full, ≤ 0.5 × of revisits`
}
