// Member times: how far the members of a site are from it, for its owner, who may have the nearest crawl it.
//
// Every peer notes how long its own connections take, and tells the others with which it shares sites: what it was told it puts beside its
// own. Who has not been to a network of servers is predicted, as for volunteers (connect-times.ts). No request is made for any of this.
//
// Bounded: addresses of sitesMax sites, toldMax networks told and believed of each peer. A peer that lies about its way can have sites come
// to it; how many, load-plan.ts bounds.

import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { ConnectTimes, serverNetworkOf, type TimeEstimate } from '../volunteers/connect-times.ts'
import { type ToldTime, timesMax as toldMax, toldMsMax } from './wire/questions.ts'

const sitesMax = 20_000

export class MemberTimes {
  readonly #self: PeerId
  readonly #times = new ConnectTimes()
  /** Where sites were met last. */
  readonly #addresses = new LruCache<RingKey, string>({ max: sitesMax })
  /** Those asked last; what is measured again comes last. */
  readonly #own = new LruCache<string, string>({ max: toldMax })

  constructor(self: PeerId) {
    this.#self = self
  }

  /** This peer has connected to a server of the site. */
  note(site: RingKey, address: string, connectMs: number): void {
    this.#addresses.set(site, address)
    this.#own.set(serverNetworkOf(address), address)
    this.#times.note(this.#self, address, connectMs)
  }

  /** What other peers are told. */
  told(): ToldTime[] {
    return [...this.#own.values()].flatMap((address) => {
      const estimate = this.#times.to(address).of(this.#self)
      return estimate === undefined
        ? []
        : [{ address: exampleOf(address), ms: Math.min(toldMsMax, Math.round(estimate.ms)) }]
    })
  }

  heard(peer: PeerId, times: readonly ToldTime[]): void {
    for (const { address, ms } of times) this.#times.note(peer, address, ms)
  }

  /** Of those of whom it is known or can be predicted; empty where this peer itself was never there. */
  of(site: RingKey, members: readonly PeerId[]): ReadonlyMap<PeerId, TimeEstimate> {
    const address = this.#addresses.get(site)
    if (address === undefined) return new Map()
    const { of } = this.#times.to(address)
    return new Map(
      members.flatMap((peer): [PeerId, TimeEstimate][] => {
        const estimate = of(peer)
        return estimate === undefined ? [] : [[peer, estimate]]
      }),
    )
  }
}

/** Its network is what counts: which server of it was asked is nobody else's business. */
function exampleOf(address: string): string {
  return address.includes(':') ? `${serverNetworkOf(address)}::` : `${serverNetworkOf(address)}.0`
}
