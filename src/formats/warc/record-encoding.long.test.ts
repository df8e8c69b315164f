import { test } from 'vitest'
import { flipBits } from './fixtures/flipped-records.ts'
import { compressions, sampleRecords } from './fixtures/sample-records.ts'

test('a compressed record with any bit flipped is never mistaken for a sound one', () => {
  for (const compression of compressions.slice(1)) flipBits(sampleRecords()[1]!, compression, 1)
})
