import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { JobLogFilter } from '../../model/jobs/job-service.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { CrawlLog, type CrawlLogLine } from './crawl-log.ts'

const line = (index: number, more: Partial<CrawlLogLine> = {}): CrawlLogLine => ({
  atMs: index,
  jobId: 'j',
  url: `http://a.test/${index}`,
  outcome: 'fetched',
  status: 200,
  ...more,
})

async function all(log: CrawlLog, filter?: JobLogFilter): Promise<CrawlLogLine[]> {
  const lines: CrawlLogLine[] = []
  for await (const read of log.read(filter)) lines.push(read)
  return lines
}

test('what is appended is read in order, over several files, and by what is asked for', async () => {
  const world = simulatedWorld({ seed: 1 })
  const machine = world.machine('a')
  const log = await world.complete(CrawlLog.open(machine, '/log', { segmentBytesMax: 2_000 }))
  const lines = Array.from({ length: 200 }, (_, index) =>
    line(index, {
      jobId: index % 2 ? 'odd' : 'even',
      outcome: index % 3 ? 'fetched' : 'trap',
      reason: 'a "reason"\n',
    }),
  )
  for (const [index, each] of lines.entries()) {
    log.append(each)
    if (index % 10 === 0) await world.complete(log.flush())
  }
  assert.deepEqual(await world.complete(all(log)), lines)
  assert((await world.complete(machine.disk.list('/log'))).length > 3)
  assert.deepEqual(
    (await world.complete(all(log, { jobId: 'odd', outcome: 'trap', urlPart: 'test/1' }))).map(
      ({ atMs }) => atMs,
    ),
    [15, 105, 111, 117, 123, 129, 135, 141, 147, 153, 159, 165, 171, 177, 183, 189, 195],
  )
  await world.complete(log.close())
  const again = await world.complete(CrawlLog.open(machine, '/log'))
  again.append(line(999))
  assert.deepEqual(await world.complete(all(again)), [...lines, line(999)])
})

test('the oldest files go', async () => {
  const world = simulatedWorld({ seed: 1 })
  const machine = world.machine('a')
  const log = await world.complete(CrawlLog.open(machine, '/log', { segmentBytesMax: 1, segmentsMax: 3 }))
  for (let index = 0; index < 10; index++) {
    log.append(line(index))
    await world.complete(log.flush())
  }
  assert.deepEqual(
    (await world.complete(all(log))).map(({ atMs }) => atMs),
    [7, 8, 9],
  )
})

test('what was flushed survives power cuts, and a line that was cut is passed over', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const world = simulatedWorld({ seed })
    const machine = world.machine('a')
    let kept = 0
    for (let life = 0; life < 4; life++) {
      const log = await world.complete(CrawlLog.open(machine, '/log'))
      for (let index = 0; index < 20; index++) log.append(line(life * 100 + index))
      await world.complete(log.flush())
      kept += 20
      for (let index = 20; index < 40; index++)
        log.append(line(life * 100 + index, { reason: 'x'.repeat(5_000) }))
      void all(log)
      await world.advance(world.random.below(3))
      machine.crash()
      machine.restart()
    }
    const log = await world.complete(CrawlLog.open(machine, '/log'))
    const times = (await world.complete(all(log))).map(({ atMs }) => atMs)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.equal(times.filter((atMs) => atMs % 100 < 20).length, kept, `seed ${seed}`)
  }
})

test('a line is there for others to read after a second, without being asked for', async () => {
  const world = simulatedWorld({ seed: 1 })
  const machine = world.machine('a')
  const log = await world.complete(CrawlLog.open(machine, '/log'))
  log.append(line(1))
  await world.advance(600)
  log.append(line(2))
  await world.advance(500)
  const other = await world.complete(CrawlLog.open(machine, '/log'))
  assert.deepEqual(await world.complete(all(other)), [line(1), line(2)])
  log.append(line(3))
  await world.advance(1_100)
  assert.deepEqual(await world.complete(all(other)), [line(1), line(2), line(3)])
})
