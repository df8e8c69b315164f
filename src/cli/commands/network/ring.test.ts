import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { RingPeerView } from '../../../app/ring/ring-peer.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { ringText } from './ring.ts'

function viewOf(count: number): RingPeerView {
  const known = Array.from({ length: count }, (_, index) => ({
    contact: {
      peer: `12D3KooW${String(index % 100).padStart(8, '0')}`,
      index: 0,
      place: Math.floor((index / count) * 16 ** 8)
        .toString(16)
        .padStart(8, '0')
        .padEnd(40, '0') as RingKey,
      address: `/ip4/192.0.2.1/tcp/${index}`,
    },
    share: 1 / count,
    isOurs: index === 0,
  }))
  const us = known[0]!.contact
  const position = {
    place: us.place,
    index: 0,
    status: 'member' as const,
    share: 1 / count,
    predecessor: us,
    successors: [],
    isWhole: true,
  }
  return {
    network: { id: 'x', name: 'a network with quite a long name', kind: 'invited' },
    addresses: ['/ip4/192.0.2.1/tcp/0'],
    peer: us.peer,
    positions: [position],
    known,
    isWhole: true,
    sizeEstimate: count,
    neighbours:
      count > 1
        ? [
            {
              peer: known[1]!.contact.peer,
              address: '',
              state: 'silent',
              roundTripMs: 12.34,
              clockOffsetMs: -250,
            },
          ]
        : [],
  }
}

describe('the ring as text', () => {
  test('has positions where they lie: quarters at twelve, three, six and nine', () => {
    const lines = ringText(viewOf(4), Number.POSITIVE_INFINITY).split('\n')
    const middle = lines[8]!
    assert.equal(lines[0]!.trim().replaceAll('·', ''), 'A')
    assert.deepEqual([middle[0], middle.at(-1)], ['D', 'B'])
    assert.equal(lines[16]!.trim().replaceAll('·', ''), 'C')
  })

  test('tells arcs, states, round trips and clocks', () => {
    const text = ringText(viewOf(4), Number.POSITIVE_INFINITY)
    assert.match(text, /^A {2}000000000000 {2}25\.00 % .*\(us\) {2}member/m)
    assert.match(text, /^B {2}400000000000 {2}25\.00 % .* silent {4}12\.3 ms {5}-250 ms/m)
    assert.match(text, /^C .* heard of /m)
  })

  test('of a large ring only the neighbourhood is listed', () => {
    const text = ringText(viewOf(1_000), 120)
    assert.match(text, /… and 936 more/)
    assert(text.split('\n').length < 300)
  })

  test('of one is a ring too', () => {
    assert.match(ringText(viewOf(1), 80), /1 position\b[\s\S]*1 peer\b/)
  })
})
