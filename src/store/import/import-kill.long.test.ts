// SIGKILL while an import runs: it goes on where it was, and in the end nothing is missing and nothing is there twice.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished, test } from 'vitest'
import { digestOf, printDigest } from '../../model/digest.ts'
import { removeFolder, watched } from '../../platform/fixtures/child-processes.ts'
import { foreignRecord } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageText } from '../fixtures/sample-captures.ts'

const pages = 600

/** Every third record repeats the page before it, by digest alone. */
function archive(): Buffer {
  return Buffer.concat(
    Array.from({ length: pages }, (_, i) => {
      const body = `page ${i - (i % 3 === 2 ? 1 : 0)} ${pageText(i % 20, 500)}`
      const original = `page ${i - 1} ${pageText((i - 1) % 20, 500)}`
      const isRevisit = i % 3 === 2
      const fields = {
        'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${String(i).padStart(12, '0')}>`,
        'WARC-Date': '2024-01-01T00:00:00Z',
        'WARC-Target-URI': `http://site${i % 7}.test/${i}`,
        'Content-Type': 'application/http; msgtype=response',
        'WARC-Payload-Digest': printDigest(digestOf('sha1', isRevisit ? original : body)),
      }
      const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
      if (!isRevisit) return foreignRecord('response', fields, head + body)
      const profile = 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest'
      return foreignRecord('revisit', { ...fields, 'WARC-Profile': profile }, head)
    }),
  )
}

/** Runs an import in a process of its own, and kills it after so many lines. True: it came to its end before. */
async function importOnce(folder: string, path: string, linesMax: number): Promise<boolean> {
  const script = join(import.meta.dirname, '../fixtures/import-and-tell.ts')
  const child = watched(
    spawn(process.execPath, [script, folder, path], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const exit = once(child, 'exit')
  let lines = 0
  let isDone = false
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('done')) isDone = true
    if (++lines === linesMax) child.kill('SIGKILL')
  }
  await exit
  return isDone
}

test('an import that is killed again and again comes to its end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-kill-'))
  onTestFinished(() => removeFolder(folder))
  const path = join(folder, 'archive.warc.gz')
  await writeFile(path, archive())
  const store = join(folder, 'store')
  for (const lines of [1, 550]) assert.equal(await importOnce(store, path, lines), false)
  assert.equal(await importOnce(store, path, Number.POSITIVE_INFINITY), true)
  const opened = await openStore({}, store)
  assert.deepEqual(await opened.checkIndex(), [])
  let count = 0
  for (const capture of opened.scan({ kind: 'all' })) {
    const i = Number(new URL(capture.url).pathname.slice(1))
    const shown = i % 3 === 2 ? i - 1 : i
    const text = (await bytesOf((await opened.read(capture)).payload())).toString()
    assert.equal(text, `page ${shown} ${pageText(shown % 20, 500)}`)
    assert(capture.content !== undefined)
    count++
  }
  assert.equal(count, pages)
})
