import { test } from 'vitest'
import { Storm } from './fixtures/storm.ts'

test.each([1, 2, 3])('in six storms nothing that was safe is lost, seed %i', async (seed) => {
  const storm = new Storm(seed)
  await storm.run(6)
  await storm.check(50)
})
