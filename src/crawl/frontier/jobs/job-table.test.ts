import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { WriteBuffer } from '../write-buffer.ts'
import { JobTable } from './job-table.ts'

const clock = { nowMs: () => 2_000 }
const options = { seeds: ['http://a.example/', 'http://b.example/'], scope: 'any', budgets: {} } as const

async function setting() {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const buffer = new WriteBuffer({ keyValue, clock }, () => {})
  const table = buffer.table('jobs')
  const written: { key: string; bytes: number }[] = []
  const put = table.put.bind(table)
  table.put = (key, value) => {
    written.push({ key: key.toString('latin1'), bytes: value.length })
    put(key, value)
  }
  return { table, written }
}

test('a job is found again as it was last written, counters and all', async () => {
  const { table } = await setting()
  const book = new JobTable(table, clock)
  const job = book.add({ ...options }, 1_000)
  book.write()
  job.counters.fetched = 7
  book.noteChange(job)
  book.write()
  book.adopt(job, 'http://www.a.example/')
  job.state = 'paused'
  job.allotted = 5
  book.write()
  job.counters.fetched = 8
  book.noteChange(job)
  book.write()
  const found = new JobTable(table, clock).get(job.id)
  assert.deepEqual(found.view, job.view)
  assert.deepEqual([found.counters.fetched, found.state, found.allotted], [8, 'paused', 5])
  assert.deepEqual(found.adopted, ['http://www.a.example/'])
})

test('seeds are not written again when only counters have changed', async () => {
  const { table, written } = await setting()
  const book = new JobTable(table, clock)
  const job = book.add({ ...options }, 1_000)
  book.write()
  written.length = 0
  job.counters.fetched++
  book.noteChange(job)
  book.write()
  assert.deepEqual(
    written.map(({ key }) => key[0]),
    ['K'],
  )
})

test('a job that is removed leaves nothing behind', async () => {
  const { table } = await setting()
  const book = new JobTable(table, clock)
  const job = book.add({ ...options }, 1_000)
  job.counters.fetched = 7
  book.write()
  book.remove(job)
  assert.equal(new JobTable(table, clock).find(job.id), undefined)
  const left = [...table.range(Buffer.from('J'), Buffer.from('L'))]
  assert.deepEqual(left, [])
})

test('counters of earlier versions are with the rest', async () => {
  const { table } = await setting()
  const book = new JobTable(table, clock)
  const job = book.add({ ...options }, 1_000)
  job.counters.fetched = 7
  book.write()
  const [[key] = []] = [...table.range(Buffer.from('K'), Buffer.from('L'))]
  table.remove(key!)
  assert.equal(new JobTable(table, clock).get(job.id).counters.fetched, 7)
})
