import assert from 'node:assert/strict'
import { test } from 'vitest'
import { LoneWork } from './lone-work.ts'

test('what comes alone is done at once, and what comes together by threads', async () => {
  const work = new LoneWork()
  const run = () =>
    work.run(
      () => 'at once',
      async () => 'by thread',
    )
  assert.equal(await run(), 'at once')
  // One after another, but in the same moment.
  const second = Promise.resolve().then(run)
  assert.deepEqual(await Promise.all([run(), second]), ['by thread', 'by thread'])
  assert.equal(await run(), 'at once')
})

test('what comes while a thread is at work goes to another; afterwards it is alone again', async () => {
  const work = new LoneWork()
  const slow = Promise.withResolvers<string>()
  const together = [0, 1].map(() =>
    work.run(
      () => 'at once',
      () => slow.promise,
    ),
  )
  const later = work.run(
    () => 'at once',
    async () => 'by thread',
  )
  assert.equal(await later, 'by thread')
  slow.resolve('slowly')
  assert.deepEqual(await Promise.all(together), ['slowly', 'slowly'])
  assert.equal(
    await work.run(
      () => 'at once',
      () => slow.promise,
    ),
    'at once',
  )
})

test('failures are told, and do not stay in the way', async () => {
  const work = new LoneWork()
  const broken = () => {
    throw new Error('no')
  }
  const run = () => work.run(broken, async () => broken())
  await assert.rejects(run(), /no/)
  for (const { status } of await Promise.allSettled([run(), run()])) assert.equal(status, 'rejected')
  assert.equal(
    await work.run(
      () => 'at once',
      async () => 'by thread',
    ),
    'at once',
  )
})
