// One peer of a simulated archive: the real ring, places, copies, announcements, takedowns and leaving on a simulated machine;
// only the store is smaller than life (held-entries.ts), unless a real one is asked for (stored-entries.ts).
//
// Its machine's disk outlives its process. Who loses its disk never comes back: a new peer comes in its place.

import { announcementKinds } from '../../src/app/network/announcement-kinds.ts'
import { ringCalls } from '../../src/app/ring/ring-calls.ts'
import { PolyhistorError } from '../../src/errors.ts'
import { Announcements } from '../../src/network/announcements/announcements.ts'
import { Leavers } from '../../src/network/membership/presence/leavers.ts'
import { PeerPresence } from '../../src/network/membership/presence/peer-presence.ts'
import type { RememberedPresence } from '../../src/network/membership/presence/presence.ts'
import { RingPlaces } from '../../src/network/membership/presence/ring-places.ts'
import {
  CaptureCopies,
  type CaptureCopiesOptions,
} from '../../src/network/replication/captures/capture-copies.ts'
import type { PatienceLimits } from '../../src/network/replication/copies/patience.ts'
import { simulatedSigner } from '../../src/network/replication/fixtures/announcing-peers.ts'
import { namesAsTickets } from '../../src/network/ring/fixtures/names-as-tickets.ts'
import { RingNode } from '../../src/network/ring/ring-node.ts'
import type { RingOptions } from '../../src/network/ring/ring-options.ts'
import { NetworkTakedowns } from '../../src/network/takedowns/network-takedowns.ts'
import { type CallService, CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import type { CopiesLedger } from './copies-ledger.ts'
import type { DiskWatch, EntryDisk } from './entry-disk.ts'
import { HeldEntries } from './held-entries.ts'
import type { Mutation, PeerCopies } from './mutation.ts'
import type { SimulatedEntry } from './simulated-entry.ts'
import { type KeysOfRecords, StoredEntries } from './stored-entries.ts'

export interface PeerSettings {
  readonly ring: Partial<RingOptions>
  readonly copies: Partial<CaptureCopiesOptions> & Pick<CaptureCopiesOptions, 'copies'>
  readonly patience: PatienceLimits
  /** Looking who is there takes most of a simulation's time otherwise. */
  readonly lookMs: number
  /** How long a peer that may go stays until whoever asked for it has heard so, at most. */
  readonly toldMs: number
  /** A store on the simulated disk, instead of an index that stands for one. */
  readonly hasStore?: boolean | undefined
}

export interface RunningParts {
  readonly ring: RingNode
  readonly places: RingPlaces
  readonly copies: PeerCopies
  readonly takedowns: NetworkTakedowns
  readonly leavers: Leavers
}

/** All there are, and what is known of them for sure. */
export interface Surroundings {
  readonly entries: ReadonlyMap<string, SimulatedEntry>
  readonly book: CopiesLedger
  readonly keysOfRecords: KeysOfRecords
  readonly mutation: Mutation
}

const networkId = 'simulated'
const joinAgainMs = 1_000

export class ArchivingPeer {
  readonly machine: SimulatedMachine
  /** While its process runs. */
  parts: RunningParts | undefined
  /** As the last process saw it; that has ended, and what lies there can still be looked at. */
  disk: EntryDisk | undefined
  readonly #settings: PeerSettings
  readonly #surroundings: Surroundings
  #remembered: readonly RememberedPresence[] = []

  constructor(machine: SimulatedMachine, settings: PeerSettings, surroundings: Surroundings) {
    this.machine = machine
    this.#settings = settings
    this.#surroundings = surroundings
  }

  get name(): string {
    return this.machine.name
  }

  /** A process begins, and joins through whom it is told, each time anew until it is in or dead. */
  async start(through: () => readonly string[]): Promise<void> {
    const { machine } = this
    if (!machine.isUp) machine.restart()
    const { clock, random, network } = machine
    const { mutation } = this.#surroundings
    const replicas = this.#settings.copies.copies
    const services = new CallServices(new Calls({ network, clock, random }))
    const ring = new RingNode(
      { clock, random, calls: ringCalls(machine.network, services), tickets: namesAsTickets },
      { ...this.#settings.ring, networkId, replicas },
    )
    const disk = await this.#openDisk()
    const places = this.#openPlaces(ring)
    const announcements = await this.#openAnnouncements(services.service('notices'), places)
    const presence = new PeerPresence({ announcements, places, log: silentLog })
    const calls = services.service('replica')
    const real = new CaptureCopies(
      {
        held: disk.held,
        places: mutation.places?.(places) ?? places,
        clock,
        random,
        calls: mutation.calls?.(calls, disk) ?? calls,
        participants: () => presence.participants(),
      },
      { ...this.#settings.copies, ...mutation.options },
    )
    const copies = mutation.copies?.(real) ?? real
    const takedowns = new NetworkTakedowns({ announcements, store: disk, log: silentLog })
    ring.start()
    const leavers = new Leavers({ announcements, places, clock, log: silentLog })
    this.parts = { ring, places, copies, takedowns, leavers }
    await this.#join(ring, through)
    announcements.start()
    await takedowns.open()
    await presence.arrive()
    await leavers.begin()
    copies.start()
  }

  /** Whether its process runs and has joined. */
  get isOnRing(): boolean {
    return this.parts?.ring.positions.some(({ machine }) => machine.status === 'member') ?? false
  }

  /** Whether it is on its disk, be its process running or not. */
  holds(key: Uint8Array): boolean {
    return this.disk?.has(key) ?? false
  }

  kill(): void {
    this.machine.kill()
    this.parts = undefined
  }

  crash(): void {
    this.machine.crash()
    this.parts = undefined
  }

  /** For good, as a peer does it: others have what is here before it goes. Rejects when they cannot have it. */
  async leave(onHandedOver: () => void): Promise<void> {
    const { copies, leavers, ring } = this.parts!
    const { clock, random } = this.machine
    await copies.handOver(new AbortController().signal)
    onHandedOver()
    await leavers.leave()
    // Whoever asked for it hears of it first.
    await clock.sleep(random.below(this.#settings.toldMs))
    await ring.leave()
    this.kill()
  }

  async #openDisk(): Promise<EntryDisk> {
    const { book, mutation } = this.#surroundings
    const { name } = this
    const opened = await this.#openEntries({
      came: (key) => book.came(name, key),
      dropped: (key) => book.dropped(name, key),
      hidden: (url) => book.hiddenAt(name, url),
    })
    this.disk = mutation.disk?.(opened) ?? opened
    book.found(name, this.disk.keys())
    return this.disk
  }

  async #openEntries(watch: DiskWatch): Promise<EntryDisk> {
    const { entries, keysOfRecords, mutation } = this.#surroundings
    if (this.#settings.hasStore) return StoredEntries.open(this.machine, keysOfRecords, watch)
    const map = await this.machine.keyValues.open('/store')
    return HeldEntries.open(mutation.map?.(map) ?? map, entries, watch)
  }

  #openPlaces(ring: RingNode): RingPlaces {
    const { clock, network } = this.machine
    const { copies, patience, lookMs } = this.#settings
    return new RingPlaces(
      {
        ring,
        clock,
        learn: (peer, addresses) => network.learn(peer, [...addresses]),
        keep: (remembered) => {
          this.#remembered = remembered
        },
      },
      { kind: 'invited', replicas: copies.copies, patience, remembered: this.#remembered, lookMs },
    )
  }

  async #openAnnouncements(service: CallService, places: RingPlaces): Promise<Announcements> {
    const { clock, random, network, keyValues } = this.machine
    const announcements = await Announcements.open({
      keyValue: await keyValues.open('/notices'),
      clock,
      random,
      log: silentLog,
      self: network.self,
      signer: simulatedSigner(network.self),
      kinds: announcementKinds,
      calls: this.#surroundings.mutation.announcementCalls?.(service) ?? service,
      peers: () => places.peers(),
    })
    service.answer(announcements.answer)
    places.onChange(() => announcements.peersChanged())
    return announcements
  }

  async #join(ring: RingNode, through: () => readonly string[]): Promise<void> {
    const { clock, network } = this.machine
    for (;;) {
      const known = through().map((peer) => ({ peer, addresses: [addressOf(peer)] }))
      for (const { peer, addresses } of known) network.learn(peer, addresses)
      try {
        return await ring.join(known)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
      }
      await clock.sleep(joinAgainMs)
    }
  }
}

function addressOf(peer: string): string {
  return `/simulated/${peer}`
}
