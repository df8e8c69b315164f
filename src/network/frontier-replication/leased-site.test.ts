import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { LeasedSite } from './leased-site.ts'

test('a change is safe with a majority of the members and all that answer, and never with fewer', () => {
  const site = new LeasedSite(ringKeyOf('site'))
  const members = ['a', 'b', 'c', 'd', 'e']
  site.members = members
  const change = { epoch: 2, sequence: 7 }
  const nobody = () => false
  const holders = (count: number, isWaitedFor: (peer: string) => boolean = nobody) => {
    site.noteKept(change)
    for (const peer of members.slice(1, count)) site.noteAck(peer, change)
    return site.isSafe(change, 'a', isWaitedFor)
  }
  // However many are silent.
  assert.deepEqual([holders(1), holders(2)], [false, false])
  assert(holders(3) && site.isWithMajority(change, 'a'))
  assert(!holders(3, (peer) => peer === 'e'), 'e answers, and has not got it yet')
  assert(!site.isSafe({ ...change, sequence: 8 }, 'a', nobody), 'nobody has the next change')
})
