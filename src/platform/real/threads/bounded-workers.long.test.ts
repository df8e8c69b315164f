// Work that cannot be trusted: it ends with its thread, and the next job does not notice.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished, test } from 'vitest'
import { BoundedWorkers } from './bounded-workers.ts'

const source = `
export async function work(input) {
  if (input === 'for ever') for (;;);
  if (input === 'memory') { const kept = []; for (;;) kept.push({ text: 'x'.repeat(1000) + kept.length }) }
  if (input === 'throw') throw new Error('as asked')
  if (input === 'end') process.exit(1)
  return 'did ' + input
}`

test('a job that takes too long, too much memory, throws or ends its thread fails alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-workers-'))
  await writeFile(join(folder, 'work.mjs'), source)
  const limits = { jobMsMax: 10_000, heapMegabytesMax: 64 }
  const workers = new BoundedWorkers<string, string>(pathToFileURL(join(folder, 'work.mjs')), limits)
  onTestFinished(async () => {
    await workers.close()
    await rm(folder, { recursive: true, force: true })
  })
  const jobs = ['a', 'memory', 'b', 'throw', 'c', 'end', 'd', 'for ever', 'e']
  const results = await Promise.allSettled(jobs.map((job) => workers.run(job)))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
    ['did a', 'failed', 'did b', 'failed', 'did c', 'failed', 'did d', 'failed', 'did e'],
  )
}, 600_000)
