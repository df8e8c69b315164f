// The running peer of a home, whole: its place on the ring, its part in the network's archive, crawler and interfaces, opened in
// this order and closed in the opposite one. Alone where the home has no network.
//
// `polyhistor peer` runs it on this machine, the simulator on many that it makes up.

import { cannotLeave, cannotRestart, type PeerControl } from '../console/peer-control.ts'
import { clockLack } from '../network/membership/presence/clock-offset.ts'
import { type Timer, within } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { PeriodicTask } from '../platform/periodic-task.ts'
import type { Store } from '../store/store.ts'
import { ArchiveNetwork, type ArchiveNetworkOptions } from './network/archive-network.ts'
import { openPeer, type Peer, type PeerOptions } from './peer.ts'
import type { Platform } from './platform.ts'
import { forgettingRoute } from './ring/forgetting.ts'
import { leaveHomeNetwork } from './ring/home-network.ts'
import { Leaving } from './ring/leaving.ts'
import { openRingPeer, type RingPeer, type RingPeerOptions } from './ring/ring-peer.ts'
import { ringRoutes } from './ring/ring-routes.ts'
import { roleRoutes } from './ring/role-routes.ts'
import { openSolitaryRing } from './ring/solitary-ring.ts'
import type { DiskShare } from './share/disk-share.ts'

interface HomePeerNeeds {
  readonly platform: Platform
  readonly store: Store
  readonly log: Log
}

/** What makes a peer one of a network. */
export interface HomePeerNetwork {
  readonly ring: RingPeerOptions
  readonly archive: ArchiveNetworkOptions
  readonly share: DiskShare
}

export interface HomePeerOptions extends Omit<PeerOptions, 'moreRoutes' | 'control'> {
  /** undefined where the home has none. */
  readonly network: HomePeerNetwork | undefined
  /** Whoever runs it opens it again when `isRestartAsked`. */
  readonly canRestart?: boolean | undefined
}

/** Visits under way get this long to end: with what follows (the server's own grace, closing) a stop is to take 10 seconds at most. */
const graceMs = 4_000
const tellMs = 60_000
/** Whoever watches it leave is to see that it has, on a busy machine, too. */
const toldMs = 15_000

interface Parts {
  readonly peer: Peer
  readonly ring: RingPeer | undefined
  readonly network: ArchiveNetwork | undefined
  readonly leaving: Leaving
  readonly restart: AbortController
  closeRing(): Promise<void>
}

export class HomePeer {
  readonly #needs: HomePeerNeeds
  readonly #home: string
  readonly #parts: Parts

  static async open(needs: HomePeerNeeds, options: HomePeerOptions): Promise<HomePeer> {
    const { home } = options.server
    const { ring, routes, close } = await openRing(needs, home, options.network)
    try {
      const { network: joined } = options
      const network =
        ring && joined && (await ArchiveNetwork.open({ ...needs, ring, share: joined.share }, joined.archive))
      const leaving = new Leaving()
      const moreRoutes =
        network === undefined
          ? routes
          : [
              ...routes,
              ...leaving.routes(),
              forgettingRoute((dead) => network.forget(dead)),
              ...roleRoutes(() => network.roleParts),
            ]
      const restart = new AbortController()
      const control: PeerControl = {
        restart: () => (options.canRestart ? restart.abort() : cannotRestart()),
        drain: () => (network ? leaving.ask() : cannotLeave()),
        stay: () => (network ? leaving.callOff() : cannotLeave()),
      }
      network?.whenPlacesLost(() => {
        if (options.canRestart) restart.abort()
      })
      const peer = await openPeer({ ...needs, network }, { ...options, moreRoutes, control })
      return new HomePeer(needs, home, { peer, ring, network, leaving, restart, closeRing: close })
    } catch (error) {
      await close()
      throw error
    }
  }

  private constructor(needs: HomePeerNeeds, home: string, parts: Parts) {
    this.#needs = needs
    this.#home = home
    this.#parts = parts
  }

  get peer(): Peer {
    return this.#parts.peer
  }

  /** It was stopped to be opened again. */
  get isRestartAsked(): boolean {
    return this.#parts.restart.signal.aborted
  }

  /** Where there are others. */
  get ring(): RingPeer | undefined {
    return this.#parts.ring
  }

  /** Crawls until it is stopped, or has left its network for good. When crawling cannot go on, the archive can still be read:
   * then rejects once it is stopped. */
  async run(stopped: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([stopped, this.#parts.restart.signal])
    const { log, platform } = this.#needs
    const abort = new AbortController()
    let grace: Timer | undefined
    const startGrace = (): void => {
      grace = platform.clock.after(graceMs, () => abort.abort())
    }
    stop.addEventListener('abort', startGrace, { once: true })
    const telling = this.#tellNowAndThen()
    try {
      await this.#crawlUntil(stop, abort.signal)
    } catch (error) {
      // Whoever looks after the archive needs to see why nothing is added.
      log.error({ err: error }, 'Crawling has stopped; the archive can still be read')
      await aborted(stop)
      throw error
    } finally {
      void telling.close()
      stop.removeEventListener('abort', startGrace)
      grace?.cancel()
    }
  }

  async close(): Promise<void> {
    const { peer, leaving, closeRing } = this.#parts
    try {
      await peer.close()
    } finally {
      await closeRing()
      if (leaving.isDone) await leaveHomeNetwork(this.#home, this.#needs.platform)
    }
  }

  async #crawlUntil(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    const { log, platform } = this.#needs
    const { peer, network, leaving } = this.#parts
    while (!stop.aborted && !leaving.isDone) {
      await peer.crawl({ stop: AbortSignal.any([stop, leaving.asked]), abort })
      if (stop.aborted || network === undefined) break
      log.info({}, 'Leaving the network: what is here is handed over')
      await leaving.carryOut(stop, (signal, tell) => network.handOver(signal, tell))
      if (leaving.isDone) await within(platform.clock, toldMs, leaving.told)
    }
  }

  #tellNowAndThen(): PeriodicTask {
    const { log, platform } = this.#needs
    const { peer, ring } = this.#parts
    return new PeriodicTask(platform, tellMs, () => {
      log.info({ ...peer.counts }, 'Keeping the archive fresh')
      const lack = ring && clockLack(ring.view())
      if (lack !== undefined) log.warn({}, lack)
    })
  }
}

async function openRing(
  { platform, log }: HomePeerNeeds,
  home: string,
  network: HomePeerNetwork | undefined,
): Promise<{
  ring: RingPeer | undefined
  routes: NonNullable<PeerOptions['moreRoutes']>
  close(): Promise<void>
}> {
  if (network === undefined) {
    const alone = await openSolitaryRing(platform, home)
    return { ring: undefined, routes: ringRoutes(alone), close: () => alone.close() }
  }
  const ring = await openRingPeer({ platform, log }, network.ring)
  const { name } = ring.view().network
  log.info({ peer: ring.peer, network: name, addresses: ring.addresses() }, 'Other peers are listened to')
  return { ring, routes: ringRoutes(ring), close: () => ring.close() }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
