import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './reading/reader.fuzz.ts'

for (const { name, property } of properties) {
  test(name, () =>
    fc.assert<unknown>(property as fc.IAsyncProperty<unknown>, {
      numRuns: 300,
      interruptAfterTimeLimit: 15_000,
    }),
  )
}
