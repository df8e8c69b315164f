import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusedOrDone } from '../model/fixtures/fuzzing.ts'
import { PageNames } from './page-names.ts'
import { decodeTargets, decodeValues, encodeTargets, partCounts } from './rank-messages.ts'
import { ToldValues } from './value-coding.ts'

const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
const quantum = fc.oneof(fc.constant(0), fc.double({ min: 1e-20, max: 0.1, noNaN: true }))
const anyBytes = fc.uint8Array({ maxLength: 60 })

export const properties = [
  {
    name: 'both sides have the same values, within a quantum of the true ones, however many were told before',
    property: fc.property(fc.array(fc.tuple(values, quantum), { maxLength: 6 }), (told) => {
      const [teller, hearer] = [new ToldValues(3), new ToldValues(3)]
      for (const [next, step] of told) {
        const before = hearer.values.slice()
        hearer.decode(teller.encode(Float64Array.from(next), step), step)
        assert.deepEqual(hearer.values, teller.values)
        for (const [at, value] of next.entries()) {
          // More quanta than are told at once.
          const isFar = step > 0 && Math.abs(value - before[at]!) / 2 ** 52 > step
          assert(isFar || Math.abs(hearer.values[at]! - value) <= step + 1e-15)
        }
      }
    }),
  },
  {
    name: 'targets are read as they were written',
    property: fc.property(fc.uniqueArray(fc.webUrl(), { minLength: 1 }), (urls) => {
      const names = new PageNames()
      for (const url of urls) names.add(new URL(url).href)
      assert.deepEqual(
        [...encodeTargets(names)].flatMap((piece) => decodeTargets(piece)),
        [...new Set(urls.map((url) => new URL(url).href))],
      )
    }),
  },
  {
    name: 'whatever comes is read or refused',
    property: fc.property(anyBytes, quantum, (bytes, step) => {
      refusedOrDone(() => new ToldValues(3).decode(bytes, step))
      refusedOrDone(() => decodeTargets(bytes))
      refusedOrDone(() => decodeValues([bytes]))
      refusedOrDone(() => partCounts.decode(bytes))
    }),
  },
]
