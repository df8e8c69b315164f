// Is a place between two others? As 40 hex digits, as big numbers, as bytes.

import type { RingKey } from '../../src/model/ring-key.ts'
import { isBetween } from '../../src/network/ring/protocol/place.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { type Measurement, measure } from '../measure.ts'

const count = 1_024

function isNumberBetween(from: bigint, place: bigint, to: bigint): boolean {
  if (from < to) return from < place && place < to
  return (place > from || place < to) && place !== from
}

function areBytesBetween(from: Buffer, place: Buffer, to: Buffer): boolean {
  const afterFrom = Buffer.compare(place, from)
  const beforeTo = Buffer.compare(place, to)
  if (Buffer.compare(from, to) < 0) return afterFrom > 0 && beforeTo < 0
  return (afterFrom > 0 || beforeTo < 0) && afterFrom !== 0
}

export function measurePlaces(): Promise<Measurement[]> {
  const random = new SimulatedRandom('places')
  const bytes = Array.from({ length: count + 2 }, () => Buffer.from(random.bytes(20)))
  const keys = bytes.map((one) => one.toString('hex') as RingKey)
  const numbers = keys.map((key) => BigInt(`0x${key}`))
  // Kept, so that the work is not left out as useless.
  const found = { count: 0 }
  const over = (test: (index: number) => boolean) => () => {
    for (let index = 0; index < count; index++) if (test(index)) found.count++
  }
  return measure([
    {
      name: 'hex digits (ours)',
      operations: count,
      run: over((i) => isBetween(keys[i]!, keys[i + 1]!, keys[i + 2]!)),
    },
    {
      name: 'big numbers',
      operations: count,
      run: over((i) => isNumberBetween(numbers[i]!, numbers[i + 1]!, numbers[i + 2]!)),
    },
    {
      name: 'bytes',
      operations: count,
      run: over((i) => areBytesBetween(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!)),
    },
  ])
}
