// A ring of one, for a peer that has no network: it owns every key, and reaches nobody. Needs no sockets.

import type { RingKey } from '../../model/ring-key.ts'
import type { LookupResult, PlaceTickets, RingCalls } from '../../network/ring/ring.ts'
import { RingNode } from '../../network/ring/ring-node.ts'
import { PeerUnreachable } from '../../platform/network/network.ts'
import type { Platform } from '../platform.ts'
import { MembershipFiles } from './membership-files.ts'
import type { RingPeerView } from './ring-peer.ts'

interface SolitaryRing {
  view(): RingPeerView
  lookup(key: RingKey): Promise<LookupResult>
  close(): Promise<void>
}

/** Alone, nobody's place matters to anybody. */
const ourNameAlone: PlaceTickets = { saltOf: (peer) => peer, proofOf: () => undefined, learn: () => {} }

export async function openSolitaryRing(
  { clock, random, files }: Pick<Platform, 'clock' | 'random' | 'files'>,
  home: string,
): Promise<SolitaryRing> {
  const self = await new MembershipFiles(home, { files, random }).peer()
  const calls: RingCalls = {
    self,
    addresses: () => [],
    learn: () => {},
    call: (peer) => Promise.reject(new PeerUnreachable(peer, 'this peer has no network')),
    answer: () => {},
  }
  const needs = { clock, random, calls, tickets: ourNameAlone }
  const ring = new RingNode(needs, { networkId: self })
  await ring.join([])
  const network = { id: '', name: '', kind: 'alone' } as const
  return {
    view: () => ({ network, addresses: [], ...ring.view() }),
    lookup: (key) => ring.lookup(key),
    close: () => ring.leave(),
  }
}
