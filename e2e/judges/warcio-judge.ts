// warcio (Python) as judge of an exported WARC: its check finds every digest right, its index lists every capture.

import type { JudgedArchive } from './judged-archive.ts'
import type { PythonTools } from './python-tools.ts'
import type { Verdict } from './verdict.ts'

/** Its own command line. It cannot use every module named brotli, and does without: digests are of what is encoded. */
const warcio = `
import sys
try:
    import brotli
    brotli.Decompressor().unused_data = None
except Exception:
    sys.modules['brotli'] = None
from warcio.cli import main
main()`
/** A record, and what is wrong with it. */
const problemPattern = / *offset .*\n(?: {4}.*failed.*\n)+/g
const fields = 'warc-type,warc-target-uri,warc-date'

export async function judgeWithWarcio(python: PythonTools, archive: JudgedArchive): Promise<Verdict[]> {
  await python.require('warcio', 'warcio.cli')
  return [await checked(python, archive), ...(await listed(python, archive))]
}

async function checked(python: PythonTools, { warc }: JudgedArchive): Promise<Verdict> {
  const { code, output, errors } = await python.run(['-c', warcio, 'check', '-v', warc])
  const count = (words: string): number => output.split(words).length - 1
  const figures = `${count('digest pass')} digests right, ${count('not checked (revisit)')} of revisits, ${count('no digest')} records without`
  const problems = output.match(problemPattern)?.join('') ?? ''
  const isRight = code === 0 && count('digest pass') > 0
  return { kind: `check (${figures})`, fault: isRight ? undefined : `exit ${code}: ${problems}${errors}` }
}

/** Each line is for one capture. */
async function listed(python: PythonTools, { warc, judged }: JudgedArchive): Promise<Verdict[]> {
  const { code, output, errors } = await python.run(['-c', warcio, 'index', '-f', fields, warc])
  if (code !== 0) return [{ kind: 'index', fault: `exit ${code}: ${errors}` }]
  const left = new Map<string, number>()
  for (const line of output.split('\n').filter((text) => text !== '')) {
    const record = JSON.parse(line) as Record<string, string>
    if (record['warc-type'] !== 'response' && record['warc-type'] !== 'revisit') continue
    const name = `${record['warc-date']!.replaceAll(/[-:TZ]|\..*/g, '')} ${record['warc-target-uri']}`
    left.set(name, (left.get(name) ?? 0) + 1)
  }
  return judged.map(({ kind, url, timestamp }): Verdict => {
    const name = `${timestamp} ${url}`
    const count = left.get(name) ?? 0
    left.set(name, count - 1)
    return { kind, fault: count > 0 ? undefined : 'is not in its index' }
  })
}
