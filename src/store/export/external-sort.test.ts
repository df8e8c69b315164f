import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { localWorld } from '../../platform/real/local-world.ts'
import { Spool } from '../spool.ts'
import { ExternalSort } from './external-sort.ts'

test('lines come back in byte order, however many runs they made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-lines-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const spool = new Spool(localWorld(), folder)
  const lines = Array.from({ length: 2_000 }, (_, i) =>
    `${(i * 7919) % 1_999} ${'\u{ffff}\u{1f600}é'[i % 4] ?? 'x'} ${i}`.toWellFormed(),
  )
  const sorting = new ExternalSort({ spool }, 1_000)
  for (const line of lines) await sorting.add(line)
  assert.ok((await readdir(folder)).length > 10)
  assert.equal(sorting.count, lines.length)
  const sorted = lines.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  assert.deepEqual(await Array.fromAsync(sorting.sorted()), sorted)
  await sorting.discard()
  assert.deepEqual(await readdir(folder), [])
})
