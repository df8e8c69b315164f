import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { lacksOf, type PeerStatus, sumsOf } from './peer-status.ts'

function statusOf(histogram: number[], state: PeerStatus['share']['state'] = 'room'): PeerStatus {
  return {
    peer: 'peer',
    captures: 5,
    bytesOnDisk: 100,
    copies: { wanted: 3, histogram, queue: 1, bytesPerSecond: 2, bytesIn: 0, bytesOut: 0 },
    sites: { crawled: 1, kept: 3, toCopy: 0 },
    links: { sent: 3, received: 4, waiting: 5, oldestMs: histogram.length, bytesSent: 6 },
    share: { shareBytes: 1_000, usedBytes: 10, state },
    soundness: { passedAtMs: 1_000 * histogram.length, found: 3, mended: 2, damaged: 1 },
    removals: { hidden: 0, droppedForOthers: 0, destroyed: 0, missing: 0, quarantinedTakedowns: 0, mass: [] },
  }
}

describe('the status of a network', () => {
  test('is the sum of its peers, the longest wait taken', () => {
    const sums = sumsOf([statusOf([0, 1, 2]), statusOf([1, 0, 0, 7])])
    assert.deepEqual(sums.histogram, [1, 1, 2, 7])
    assert.equal(sums.entries, 11)
    assert.equal(sums.queue, 2)
    assert.equal(sums.links.waiting, 10)
    assert.equal(sums.links.oldestMs, 4)
    assert.equal(sums.shareBytes, 2_000)
    assert.deepEqual(sums.soundness, { passedAtMs: 3_000, found: 6, mended: 4, damaged: 2 })
  })

  test('has not been read whole while one peer has not', () => {
    const never = { ...statusOf([1]), soundness: { passedAtMs: null, found: 0, mended: 0, damaged: 0 } }
    assert.equal(sumsOf([statusOf([1]), never]).soundness.passedAtMs, null)
  })

  test('says what is lacking, and nothing when nothing is', () => {
    assert.deepEqual(lacksOf([statusOf([0, 0, 0, 9]), statusOf([]), statusOf([])], 3), [])
    const lacks = lacksOf([statusOf([2, 0, 9]), statusOf([], 'full')], 3)
    assert.equal(lacks.length, 3)
    assert.match(lacks[0]!, /1 more peer,/)
    assert.match(lacks[1]!, /2 of 11 entries/)
    assert.match(lacks[2]!, /1 peer of 2/)
  })

  test('says that peers are waited for when copies are missing and nothing is copied', () => {
    const missing = { ...statusOf([0, 1, 4, 9]), copies: { ...statusOf([0, 1, 4, 9]).copies, queue: 0 } }
    const idle = { ...statusOf([]), copies: { ...statusOf([]).copies, queue: 0 } }
    const lacks = lacksOf([missing, idle, idle], 3, 1)
    assert.equal(lacks.length, 1)
    assert.match(lacks[0]!, /5 of 14 entries have fewer than 3 copies/)
    // They are being made.
    assert.deepEqual(lacksOf([missing, idle, statusOf([])], 3, 1), [])
    // They will be in a moment.
    assert.deepEqual(lacksOf([missing, idle, idle], 3, 0), [])
  })

  test('says that peers were told different numbers of copies', () => {
    const other = { ...statusOf([]), copies: { ...statusOf([]).copies, wanted: 2 } }
    const lacks = lacksOf([statusOf([0, 0, 0, 9]), other, statusOf([])], 3)
    assert.equal(lacks.length, 1)
    assert.match(lacks[0]!, /--copies.* 2, others 3 /)
    // Of a peer that does not say.
    const unsaid = { ...statusOf([]), copies: { ...statusOf([]).copies, wanted: 0 } }
    assert.deepEqual(lacksOf([statusOf([0, 0, 0, 9]), unsaid, statusOf([])], 3), [])
  })
})
