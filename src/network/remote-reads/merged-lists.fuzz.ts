import assert from 'node:assert/strict'
import fc from 'fast-check'
import { mergedLists } from './merged-lists.ts'
import type { NetworkCapture } from './view.ts'

const cursorOf = (number: number): string => Buffer.from([number]).toString('base64url')
const captureOf = (number: number) =>
  ({ recordId: `id-${number}`, cursor: cursorOf(number) }) as NetworkCapture
const numberOf = ({ cursor }: NetworkCapture): number => Buffer.from(cursor, 'base64url')[0]!

/** A page of what one peer knows. */
function pageOf(known: readonly number[], after: number | undefined, limit: number, reverse: boolean) {
  const inOrder = [...known].sort((one, other) => (reverse ? other - one : one - other))
  const rest = inOrder.filter((number) => after === undefined || (reverse ? number < after : number > after))
  const captures = rest.slice(0, limit).map(captureOf)
  return { captures, isCut: rest.length > limit, isComplete: false }
}

const knowledge = fc.array(fc.uniqueArray(fc.nat(255), { maxLength: 60 }), { minLength: 1, maxLength: 5 })

export const properties = [
  {
    name: 'page after page, what several peers know comes whole, each once and in order',
    property: fc.property(
      knowledge,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (peers, limit, limitOfPeers, reverse) => {
        const found: number[] = []
        for (let after: number | undefined; ; after = found.at(-1)) {
          const pages = peers.map((known) => pageOf(known, after, limitOfPeers, reverse))
          const options = { after: after === undefined ? undefined : cursorOf(after), reverse, limit }
          const { captures, isCut } = mergedLists(pages, options)
          assert(captures.length <= limit)
          found.push(...captures.map(numberOf))
          if (!isCut) break
          assert(captures.length > 0)
        }
        const all = [...new Set(peers.flat())].sort((one, other) => (reverse ? other - one : one - other))
        assert.deepEqual(found, all)
      },
    ),
  },
  {
    name: 'whatever peers send, a page goes on behind the last, in order and without repeating',
    property: fc.property(
      fc.array(fc.record({ numbers: fc.array(fc.nat(255)), isCut: fc.boolean() })),
      fc.nat(255),
      (lists, after) => {
        const sent = lists.map(({ numbers, isCut }) => ({
          captures: numbers.map(captureOf),
          isCut,
          isComplete: false,
        }))
        const { captures } = mergedLists(sent, { after: cursorOf(after), limit: 1_000 })
        const numbers = captures.map(numberOf)
        assert(numbers.every((number, index) => number > (numbers[index - 1] ?? after)))
      },
    ),
  },
]
