import { test } from 'vitest'
import { Storm } from './fixtures/storm.ts'

test('in a storm nothing that was safe is lost', async () => {
  const storm = new Storm(1)
  await storm.run(1)
  await storm.check(8)
})
