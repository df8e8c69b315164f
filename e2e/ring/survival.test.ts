// Eight real peers on this machine: what kill -9, a pause and a partition do to their ring.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RingOfPeers } from './ring-of-peers.ts'

const options = { keys: 16, deadlineMs: 300_000 }
const all = [0, 1, 2, 3, 4, 5, 6, 7]

test('peers survive each other: three killed, one paused, a partition; and a leave is told', {
  timeout: 2_400_000,
}, async () => {
  const ring = await RingOfPeers.start({ count: 8, isCuttable: true })
  const told = (what: string, ms: number): void =>
    console.log(`${what}: agreed after ${(ms / 1_000).toFixed(1)} s`)
  try {
    told('eight started', await ring.agree(all, options))

    const halves = [all.slice(0, 4), all.slice(4)] as const
    ring.network.cut((one, other) => Number(one) < 4 !== Number(other) < 4)
    told('one half, cut off', await ring.agree(halves[0], options))
    told('the other half', await ring.agree(halves[1], options))
    ring.network.heal()
    told('the cut mended', await ring.agree(all, options))

    const paused = ring.peers[7]!
    paused.signal('SIGSTOP')
    told('one paused', await ring.agree(all.slice(0, 7), options))
    paused.signal('SIGCONT')
    told('it goes on', await ring.agree(all, options))

    for (const index of [0, 3, 5]) ring.peers[index]!.signal('SIGKILL')
    const survivors = [1, 2, 4, 6, 7]
    told('three killed', await ring.agree(survivors, options))

    assert.equal(await ring.peers[6]!.end('SIGTERM'), 0)
    told('one left', await ring.agree([1, 2, 4, 7], options))
    // Whom it began with is dead: it remembers others.
    await ring.restart(6)
    told('it came back', await ring.agree(survivors, options))
  } finally {
    await ring.end()
  }
})
