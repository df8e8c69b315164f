// pywb as judge of exports: WARC and WACZ are added to collections with its own manager and replayed by its own server, and every
// capture has the body that our peer gives.

import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { killed } from '../../src/platform/fixtures/child-processes.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { until } from '../network/until.ts'
import type { Judged, JudgedArchive } from './judged-archive.ts'
import type { PythonTools } from './python-tools.ts'
import { rawAnswer } from './raw-answer.ts'
import { faultOf, type Verdict, verdictWithoutContent } from './verdict.ts'

/** Of the WARC it makes an index of its own; of the WACZ it takes the index that is in it. */
const collections = ['warc', 'wacz'] as const
/** Its links name a long URL several times. */
const headBytesMax = 256 * 1_024
type Collection = (typeof collections)[number]
const manager = ['-c', 'from pywb.manager.manager import main_wrap_exc; main_wrap_exc()']
const server = ['-c', 'from pywb.apps.cli import wayback; wayback()']

export async function judgeWithPywb(
  python: PythonTools,
  archive: JudgedArchive,
  folder: string,
): Promise<Verdict[]> {
  await python.require('pywb', 'pywb.apps.frontendapp')
  const place = join(folder, 'pywb')
  await mkdir(place)
  for (const words of [
    ['init', 'warc'],
    ['add', 'warc', archive.warc],
    ['init', 'wacz'],
    ['add', '--unpack-wacz', 'wacz', archive.wacz],
  ]) {
    const { code, output, errors } = await python.run([...manager, ...words], place)
    // It reports errors with exit code 2, or with 0 and a sentence.
    if (code !== 0 || output.includes('Error:')) throw new Error(`wb-manager ${words[0]}: ${output}${errors}`)
  }
  const port = await freePort()
  const running = python.start([...server, '--bind', '127.0.0.1', '--port', String(port)], place)
  let said = ''
  for (const stream of [running.stdout!, running.stderr!]) stream.on('data', (text) => (said += text))
  const ended = once(running, 'exit').then(() => {
    throw new Error(`pywb ended: ${said.slice(-2_000)}`)
  })
  ended.catch(() => {})
  try {
    await Promise.race([ended, until('pywb to answer', () => answers(port))])
    const verdicts: Verdict[] = []
    for (const collection of collections) {
      for (const judged of archive.judged)
        verdicts.push(await Promise.race([ended, verdictOn(port, collection, judged)]))
    }
    return verdicts
  } finally {
    await killed(running)
  }
}

async function verdictOn(port: number, collection: Collection, judged: Judged): Promise<Verdict> {
  const { url, post, timestamp, status, ours } = judged
  const kind = `${collection}: ${judged.kind}`
  const path = `/${collection}/${timestamp}id_/${url}`
  try {
    const theirs = await rawAnswer({ port, host: 'localhost', path, post, headBytesMax })
    // Its own index lists 304s too, and it replays them as they came.
    return collection === 'warc' && status === 304
      ? verdictWithoutContent({ kind, theirs, status }, 'a 304, shown as that')
      : { kind, fault: faultOf(theirs, ours) }
  } catch (error) {
    return { kind, fault: `no answer: ${(error as Error).message}` }
  }
}

function answers(port: number): Promise<boolean> {
  return rawAnswer({ port, host: 'localhost', path: '/' }).then(
    () => true,
    () => false,
  )
}
