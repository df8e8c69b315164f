import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type NetworkStatus, type PeerStatus, sumsOf } from '../../../model/peer-status.ts'
import { statusText } from './status.ts'

const own: PeerStatus = {
  peer: 'ourselves-abcdefgh',
  captures: 1_204,
  bytesOnDisk: 5_000_000,
  copies: {
    wanted: 3,
    histogram: [0, 0, 12, 1_192],
    queue: 12,
    bytesPerSecond: 3_000_000,
    bytesIn: 0,
    bytesOut: 0,
  },
  sites: { crawled: 9, kept: 20, toCopy: 0 },
  links: { sent: 10, received: 11, waiting: 2, oldestMs: 1_234, bytesSent: 100 },
  share: { shareBytes: 100_000_000_000, usedBytes: 5_000_000, state: 'room' },
  soundness: { passedAtMs: Date.UTC(2026, 2, 3, 14, 5), found: 3, mended: 2, damaged: 1 },
  removals: { hidden: 0, droppedForOthers: 0, destroyed: 0, missing: 0, quarantinedTakedowns: 0, mass: [] },
}
const status: NetworkStatus = {
  network: { id: 'id', name: 'library', kind: 'invited' },
  copiesWanted: 3,
  peers: [
    { peer: own.peer, status: own },
    { peer: 'another-zyxwvuts', status: undefined },
  ],
  sums: sumsOf([own]),
  away: [
    { peer: 'third-qrstuvwx', sinceMs: Date.UTC(2026, 2, 3, 7, 30), untilMs: Date.UTC(2026, 2, 3, 19, 30) },
  ],
  lacks: ['1 more peer, for 3 copies of everything.'],
  warnings: [],
}

describe('the status', () => {
  test('of a peer without a network tells of the archive, and of nothing that needs others', () => {
    const alone = { id: '', name: '', kind: 'open' as const }
    const peers = [{ peer: '', status: { ...own, share: { ...own.share, shareBytes: 0 } } }]
    const text = statusText(
      { ...status, network: alone, peers, away: [], lacks: [], warnings: ['Look.'] },
      100,
    )
    assert.match(text, /^Warning +Look\.\nState +\w+\nArchive +1204 captures, 5MB on disk\nRot +everything/)
    assert.match(text, /Network +none/)
    assert.doesNotMatch(text, /0B|[Cc]opies|Links/)
  })

  test('tells copies, repair, links, disk and who does not answer', () => {
    const text = statusText(status, 100)
    assert.match(text, /library: 2 peers, of which 1 did not answer/)
    assert.match(text, /^ +2 █ 12 !$/m)
    assert.match(text, /^ +3 █{40} 1192$/m)
    assert.match(text, /12 entries to copy, 3MB\/s/)
    assert.match(text, /2 waiting \(the oldest for 1\.2 s\)/)
    assert.match(text, /Rot +everything .* by 2026-03-03 14:05 UTC; 3 found, 2 mended, 1 not mended !/)
    assert.match(text, /Lacks +1 more peer/)
    assert.match(text, /abcdefgh \(us\) +well/)
    assert.match(text, /zyxwvuts +no answer/)
    assert.match(text, /Away +…qrstuvwx since 2026-03-03 07:30 UTC, waited for until 2026-03-03 19:30 UTC/)
  })
})
