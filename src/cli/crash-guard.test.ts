import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import { watched } from '../platform/fixtures/child-processes.ts'
import { withTemporaryFolder } from '../platform/fixtures/temporary-folder.ts'
import { smallBytes, unclosedMark } from '../platform/real/key-value/index-opening.ts'

const guard = join(import.meta.dirname, 'crash-guard.ts')

/** What is said when a process that guards an index of this size ends so. */
async function wordsAfter(
  how: string,
  { sizeBytes = 2 * smallBytes, isClosed = false } = {},
): Promise<string> {
  let words = ''
  await withTemporaryFolder(async (store) => {
    const index = join(store, 'index')
    await mkdir(index)
    await writeFile(join(index, 'data.mdb'), '')
    await truncate(join(index, 'data.mdb'), sizeBytes)
    if (!isClosed) await writeFile(unclosedMark(index), '')
    const script = `
      import { guardIndex } from ${JSON.stringify(guard)}
      const end = await guardIndex(${JSON.stringify(store)})
      ${how}`
    const child = watched(
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] }),
    )
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')])
    words = said
  })
  return words
}

// Windows has neither these signals nor this shell.
describe.skipIf(process.platform === 'win32')('a process that is ended while it uses a large index', () => {
  test('leaves a word', async () => {
    const words = await wordsAfter("process.kill(process.pid, 'SIGBUS')")
    assert.match(words, /was ended while it used .*index.* The next start looks at it first/)
  })

  test('says nothing when it closed the index, nor about a small one, which was looked at before', async () => {
    assert.equal(await wordsAfter('end()', { isClosed: true }), '')
    assert.equal(await wordsAfter("process.kill(process.pid, 'SIGBUS')", { sizeBytes: smallBytes }), '')
  })
})
