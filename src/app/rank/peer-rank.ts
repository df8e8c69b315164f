// The ranks of a peer, and of its network: opened and closed together, joined with store, link graph and ring.

import { join } from 'node:path'
import type { LinkGraph } from '../../graph/link-graph.ts'
import { NetworkRanks } from '../../network/rank/network-ranks.ts'
import type { PagePlaces } from '../../network/rank/planned-parts.ts'
import {
  type CoordinatorNeeds,
  type CoordinatorOptions,
  RankCoordinator,
} from '../../network/rank/rank-coordinator.ts'
import { RankParticipant } from '../../network/rank/rank-participant.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { GraphSource } from '../../rank/graph-source.ts'
import { RankBook, rankTables } from '../../rank/rank-book.ts'
import type { RankService } from '../../rank/rank-service.ts'
import { SolitaryRanks } from '../../rank/solitary-ranks.ts'
import type { Store } from '../../store/store.ts'
import type { Platform } from '../platform.ts'

/** What of the network ranks need. */
export interface RankNetwork
  extends Pick<CoordinatorNeeds, 'self' | 'isCoordinator' | 'positions' | 'copies'> {
  readonly calls: CallService
  readonly places: PagePlaces
  peers(): readonly PeerId[]
  isPlaceOf(peer: PeerId, place: string): boolean
}

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'keyValues' | 'breathe'>
  readonly store: Pick<Store, 'hides'>
  readonly graph: LinkGraph
  readonly network?: RankNetwork | undefined
}

export type RankOptions = CoordinatorOptions

export const rankOptionsDefault: RankOptions = {
  damping: 0.85,
  seeds: [],
  tolerance: 1e-12,
  maxAgeMs: 12 * 3_600_000,
}

export interface PeerRank {
  readonly book: RankBook
  /** Of all peers. */
  readonly service: RankService
  close(): Promise<void>
}

/** Without options ranks are not computed, and what others ask is answered all the same. */
export async function openPeerRank(
  { platform, store, graph, network }: Needs,
  folder: string,
  options: RankOptions | undefined,
): Promise<PeerRank> {
  const { clock } = platform
  const breathe = () => platform.breathe()
  const isHidden = (href: string): boolean => store.hides(href)
  const keyValue = await platform.keyValues.open(join(folder, 'rank'), { tables: rankTables })
  const book = new RankBook({ keyValue, isHidden, breathe })
  const source = new GraphSource({ graph, isHidden })
  if (network === undefined) {
    const ranks = options && new SolitaryRanks({ book, source, clock, breathe }, options)
    const close = async () => {
      await ranks?.close()
      await keyValue.close()
    }
    return { book, service: book, close }
  }
  const participant = new RankParticipant({
    ...network,
    clock,
    source,
    rankOf: (href) => book.rankOf(href),
    keep: (result, runMs) => book.keep(result, runMs),
    breathe,
  })
  const service = new NetworkRanks({ ...network, own: book, participant, isHidden })
  const coordinator =
    options &&
    new RankCoordinator({ ...network, clock, participant, computedMs: () => book.computedMs }, options)
  const close = async () => {
    await coordinator?.close()
    await participant.close()
    await keyValue.close()
  }
  return { book, service, close }
}
