// pywb as judge of an exported WARC: added to a collection with its own manager and replayed by its own server, every capture has
// the body that our peer gives.

import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { killed } from '../../src/world/fixtures/child-processes.ts'
import { freePort } from '../../src/world/fixtures/free-port.ts'
import { until } from '../network/until.ts'
import type { Judged, JudgedArchive } from './judged-archive.ts'
import type { PythonTools } from './python-tools.ts'
import { type RawAnswer, rawAnswer } from './raw-answer.ts'
import { faultOf, type Verdict, verdictWithoutContent } from './verdict.ts'

const collection = 'judged'
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
    ['init', collection],
    ['add', collection, archive.warc],
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
    for (const judged of archive.judged) {
      const { url, post, timestamp } = judged
      const path = `/${collection}/${timestamp}id_/${url}`
      const asked = rawAnswer({ port, host: 'localhost', path, post }).then(
        (theirs) => verdictOn(theirs, judged),
        (error) => ({ kind: judged.kind, fault: `no answer: ${error.message}` }),
      )
      verdicts.push(await Promise.race([ended, asked]))
    }
    return verdicts
  } finally {
    await killed(running)
  }
}

function verdictOn(theirs: RawAnswer, { kind, status, isRevisit, ours }: Judged): Verdict {
  // Its resolvingloader.py does not look for the content of such a revisit, "as it'll be ignored by browser".
  if (isRevisit && status >= 300 && status < 400) {
    return verdictWithoutContent(
      { kind, theirs, status },
      `a revisit with status ${status}, shown without content`,
    )
  }
  return { kind, fault: faultOf(theirs, ours) }
}

function answers(port: number): Promise<boolean> {
  return rawAnswer({ port, host: 'localhost', path: '/' }).then(
    () => true,
    () => false,
  )
}
