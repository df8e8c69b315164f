import { test } from 'vitest'
import { gzip, uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { flipBits } from '../fixtures/flipped-bits.ts'

test.each([gzip, zstd, uncompressed])(
  'a flipped bit of any byte of a volume ($kind) is found by the scrub, and never served',
  { timeout: 300_000 }, // Thousands of scrubs: on a loaded machine that takes its time.
  (compression) => flipBits(compression, 1),
)
