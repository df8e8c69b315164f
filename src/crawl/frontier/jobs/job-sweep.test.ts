import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { politenessOff } from '../../politeness/politeness-rules.ts'
import { Frontier } from '../frontier.ts'
import { parseEntryKey } from '../sites/site-keys.ts'
import type { JobOptions } from './crawl-job.ts'

const options: JobOptions = { seeds: ['http://h0.test/'], scope: 'any', budgets: {} }
const hrefs = Array.from({ length: 900 }, (_, index) => `http://h${index % 30}.test/${index}?page=${index}`)

async function bench() {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const map = await world.complete(keyValues.open('/frontier'))
  const open = () => new Frontier({ keyValue: map, clock, random }, { politeness: politenessOff })
  /** How many entries there are of each job. */
  const entries = () => {
    const counts = new Map<number, number>()
    const add = (job: number) => counts.set(job, (counts.get(job) ?? 0) + 1)
    for (const [key] of map.table('frontier-sites').range()) {
      const job = parseEntryKey(Buffer.from(key))?.job
      if (job !== undefined) add(job)
    }
    for (const [key] of map.table('frontier-schedule').range()) add(Buffer.from(key).readUIntBE(0, 3))
    return counts
  }
  return { world, open, entries }
}

test('what a job has left behind when it starts anew is swept a little at a time, also after a crash', async () => {
  const { world, open, entries } = await bench()
  let frontier = open()
  const { id } = frontier.jobs.open(options)
  const other = frontier.jobs.open({ ...options, seeds: ['http://h1.test/other'] })
  const urls = hrefs.map((href) => parseUrl(href))
  for (const jobId of [id, other.id])
    await world.complete(
      frontier.add(urls.map((url) => ({ url, kind: 'navigation', jobId, depth: 1, via: '' }))),
    )
  await world.complete(frontier.flush())
  const before = entries()
  assert.ok(before.get(1)! > 1_000)
  frontier.jobs.restart(id)
  await world.complete(frontier.committed())
  await world.complete(frontier.flush())
  const afterOne = entries().get(1)!
  assert.ok(afterOne > 0 && before.get(1)! - afterOne <= 600, `${afterOne} of ${before.get(1)} are left`)
  frontier = open()
  for (let step = 0; step < 20; step++) await world.complete(frontier.flush())
  assert.equal(entries().get(1), undefined)
  assert.equal(entries().get(2), before.get(2))
  assert.ok(entries().get(3)! > 0)
  // The one that began anew is whole.
  assert.equal(frontier.isKnown(urls[5]!, id), false)
  assert.equal(frontier.isKnown(parseUrl('http://h0.test/'), id), true)
  assert.equal(frontier.isKnown(urls[5]!, other.id), true)
})

test('a job that starts anew again and again leaves nothing that grows', async () => {
  const { world, open, entries } = await bench()
  const frontier = open()
  let { id } = frontier.jobs.open(options)
  for (let round = 0; round < 50; round++) {
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task')
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200 }))
    id = frontier.jobs.restart(id).id
    await world.complete(frontier.flush())
  }
  for (let step = 0; step < 5; step++) await world.complete(frontier.flush())
  assert.deepEqual([...entries().keys()], [51])
})
