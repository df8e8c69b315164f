// The status of a network that never was, with something of everything that the status page can show.

import {
  lacksOf,
  type NetworkStatus,
  type PeerStatus,
  sumsOf,
  warningsOf,
} from '../../src/model/peer-status.ts'

const begin = Date.UTC(2026, 10, 16, 11, 31)
const hourMs = 3_600_000

function statusOf(peer: string, state: PeerStatus['share']['state']): PeerStatus {
  return {
    peer,
    captures: 1_234_567,
    bytesOnDisk: 98_765_432_100,
    copies: {
      wanted: 3,
      histogram: [0, 12, 3_456, 1_231_099],
      queue: 3_468,
      bytesPerSecond: 12_345_678,
      bytesIn: 0,
      bytesOut: 0,
    },
    sites: { crawled: 1_024, kept: 2_048, toCopy: 0 },
    links: { sent: 12_345_678, received: 11_222_333, waiting: 4_321, oldestMs: 12_345, bytesSent: 99 },
    share: { shareBytes: 200_000_000_000, usedBytes: 123_456_789_000, state },
    soundness: { passedAtMs: begin, found: 3, mended: 2, damaged: 1 },
    removals: {
      hidden: 0,
      droppedForOthers: 12,
      destroyed: 3,
      missing: state === 'full' ? 7 : 0,
      quarantinedTakedowns: 0,
      mass: [],
    },
    machine: {
      version: '0.1.0',
      load: 1.25,
      cores: 8,
      memoryBytes: 312_000_000,
      freeMemoryBytes: 9_400_000_000,
      upMs: 26 * hourMs,
      positions: 4,
    },
  }
}

const volunteers = [
  ['12D3KooWQYV9dGMFoRzNStwp', 2_345_678, 2_160, 'proven'],
  ['12D3KooWRBhwfeP2Y4TCx1Sx', 412_345, 312, 'proven'],
  ['12D3KooWLiarLiarLiarLiar', 9_876, 12, 'barred'],
  ['12D3KooWEyoppNCUx8Yx66oV', 1_234, 5, 'new'],
] as const

export function madeUpNetwork(): NetworkStatus {
  const names = ['12D3KooWMbhNFam7wkCubf1c', '12D3KooWH5vEyUFBfrj1Dnqz', '12D3KooWFPvfJc85bGn2nV8F']
  const answered = [statusOf(names[0]!, 'room'), statusOf(names[1]!, 'full')]
  return {
    network: { id: '4818f02ae74c2d4e303f82d464e708be', name: 'library', kind: 'invited' },
    copiesWanted: 3,
    peers: [
      ...answered.map((status) => ({ peer: status.peer, status })),
      { peer: names[2]!, status: undefined },
    ],
    away: [{ peer: '12D3KooWAYbBaAshEHCWkexM', sinceMs: begin, untilMs: begin + 12 * hourMs }],
    sums: sumsOf(answered),
    lacks: lacksOf(answered, 3),
    warnings: warningsOf(answered),
    volunteers: volunteers.map(([id, fetched, hours, state]) => ({
      ...{ id, fetched, state, bytes: 23_456 * fetched, presentMs: hours * hourMs },
      score: state === 'barred' ? 0 : 0.98,
    })),
  }
}
