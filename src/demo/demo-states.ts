// What the demo's page shows, in one object: the peers, the ring, the copies, the sites, what matters most. Asked of any peer that
// runs; parts that cannot be had at the moment stay as they were.

import type { RingPeerView } from '../app/ring/ring-peer.ts'
import type { NetworkStatus } from '../model/peer-status.ts'
import type { DemoSite, DemoState } from '../ui/screens/demo/demo-state.ts'
import type { DemoNetwork } from './demo-network.ts'
import { type LittleWeb, littleSites } from './little-web.ts'

const everyMs = 1_000
const rankEveryMs = 10_000
const keyDigits = 12

export class DemoStates {
  readonly #network: DemoNetwork
  readonly #listeners = new Set<(state: DemoState) => void>()
  readonly #stopped = new AbortController()
  #status: NetworkStatus | undefined
  #ring: RingPeerView | undefined
  #ranked: DemoState['ranked'] = []
  #rankedAtMs = Number.NEGATIVE_INFINITY
  #sites: DemoSite[]

  constructor(network: DemoNetwork, web: LittleWeb) {
    this.#network = network
    this.#sites = littleSites.map(({ title, what, name }) => ({
      ...{ title, what, live: `${web.origin(name)}/` },
      place: undefined,
      owner: undefined,
    }))
  }

  get now(): DemoState {
    const statuses = new Map(this.#status?.peers.map(({ peer, status }) => [peer, status]))
    return {
      peers: this.#network.peers.map(({ name, state, url, id }) => {
        const status = state === 'running' ? statuses.get(id) : undefined
        return {
          ...{ name, state, url },
          captures: status?.captures,
          bytesOnDisk: status?.bytesOnDisk,
          sitesCrawled: status?.sites.crawled,
        }
      }),
      arcs: (this.#ring?.known ?? []).map(({ contact, share }) => ({
        end: turnOf(contact.place),
        share,
        peer: this.#numberOf(contact.peer),
      })),
      sites: this.#sites,
      copiesWanted: this.#status?.copiesWanted ?? 0,
      histogram: this.#status?.sums.histogram ?? [],
      ranked: this.#ranked,
    }
  }

  /** Calls it with every state from now on, until the signal. */
  listen(listener: (state: DemoState) => void, until: AbortSignal): void {
    this.#listeners.add(listener)
    until.addEventListener('abort', () => this.#listeners.delete(listener))
  }

  /** Looks every second until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#look(signal).catch(() => undefined)
      if (signal.aborted) return
      const { now } = this
      for (const listener of this.#listeners) listener(now)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #look(signal: AbortSignal): Promise<void> {
    const peer = this.#network.running[0]
    if (peer === undefined) return
    this.#ring = await peer.ask<RingPeerView>('/api/v1/ring', signal)
    this.#status = await peer.ask<NetworkStatus>('/api/v1/status', signal)
    this.#sites = await Promise.all(
      this.#sites.map(async (site) => {
        const found = await peer.ask<{ key: string; owner: { peer: string } }>(
          `/api/v1/lookup?url=${encodeURIComponent(site.live)}`,
          signal,
        )
        return { ...site, place: turnOf(found.key), owner: this.#numberOf(found.owner.peer) }
      }),
    )
    if (performance.now() - this.#rankedAtMs < rankEveryMs) return
    this.#rankedAtMs = performance.now()
    this.#ranked = (await peer.ask<{ ranked: DemoState['ranked'] }>('/api/v1/rank?top=6', signal)).ranked
  }

  #numberOf(id: string): number | undefined {
    const number = this.#network.peers.findIndex((peer) => peer.id === id)
    return number === -1 ? undefined : number
  }
}

/** A place or key in hexadecimal as a part of the whole turn. */
function turnOf(place: string): number {
  return Number.parseInt(place.slice(0, keyDigits), 16) / 16 ** keyDigits
}
