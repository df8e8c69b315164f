import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RingKey } from '../../model/ring-key.ts'
import type { RingPeerView } from './ring-peer.ts'
import { ringPicture } from './ring-picture.ts'

function viewOf(count: number, name = 'ours'): RingPeerView {
  const known = Array.from({ length: count }, (_, index) => ({
    contact: {
      peer: `peer <${index}>`,
      index: 0,
      place: Math.floor((index / count) * 2 ** 32)
        .toString(16)
        .padStart(8, '0')
        .padEnd(40, '0') as RingKey,
      address: '',
    },
    share: 1 / count,
    isOurs: index === 1,
  }))
  const network = { id: '', name, kind: 'invited' }
  return {
    network,
    addresses: [],
    peer: 'peer <1>',
    positions: [],
    known,
    isWhole: true,
    sizeEstimate: count,
    neighbours: [],
  }
}

test('four quarters lie at the top, right, bottom and left', () => {
  const dots = [...ringPicture(viewOf(4)).matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="(8|11)"/g)]
  assert.deepEqual(
    dots.map(([, x, y]) => [Number(x), Number(y)]),
    [
      [200, 50],
      [350, 200],
      [200, 350],
      [50, 200],
    ],
  )
})

test('what others named cannot break out of the picture', () => {
  const picture = ringPicture(viewOf(2, '</text><script>alert(1)</script>'))
  assert.doesNotMatch(picture, /<script|peer </)
})

test('a very large ring is thinned out, and we stay on it', () => {
  const picture = ringPicture(viewOf(20_000))
  assert(picture.length < 500_000)
  assert.match(picture, /class="ours"/)
  assert.match(picture, />20000 positions</)
})
