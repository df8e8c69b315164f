// One peer of a simulated archive: the real ring, places, copies and notices on a simulated machine; only the store is
// smaller than life (held-entries.ts).
//
// Its machine's disk outlives its process. Who loses its disk never comes back: a new peer comes in its place.

import { PolyhistorError } from '../../src/errors.ts'
import type { RememberedPresence } from '../../src/peer/ring/presence.ts'
import { RingPlaces } from '../../src/peer/ring/ring-places.ts'
import { CaptureCopies, type CaptureCopiesOptions } from '../../src/replica/captures/capture-copies.ts'
import type { PatienceLimits } from '../../src/replica/copies/patience.ts'
import { Notices } from '../../src/replica/notices/notices.ts'
import type { RingCalls } from '../../src/ring/ring.ts'
import { RingNode } from '../../src/ring/ring-node.ts'
import type { RingOptions } from '../../src/ring/ring-options.ts'
import { CallServices } from '../../src/world/call-services.ts'
import { Calls } from '../../src/world/calls.ts'
import type { SimulatedMachine } from '../../src/world/simulated/machine.ts'
import { HeldEntries } from './held-entries.ts'
import type { SimulatedEntry } from './simulated-entry.ts'

export interface PeerSettings {
  readonly ring: Partial<RingOptions>
  readonly copies: Partial<CaptureCopiesOptions> & Pick<CaptureCopiesOptions, 'copies'>
  readonly patience: PatienceLimits
}

export interface RunningParts {
  readonly ring: RingNode
  readonly places: RingPlaces
  readonly held: HeldEntries
  readonly copies: CaptureCopies
  readonly notices: Notices
}

const networkId = 'simulated'
const joinAgainMs = 1_000
/** Looking takes most of a simulation's time otherwise. */
const lookMs = 10_000

export class ArchivingPeer {
  readonly machine: SimulatedMachine
  /** While its process runs. */
  parts: RunningParts | undefined
  readonly #settings: PeerSettings
  readonly #world: ReadonlyMap<string, SimulatedEntry>
  /** As the last process saw it; that has ended, and what lies there can still be looked at. */
  #disk: HeldEntries | undefined
  #remembered: readonly RememberedPresence[] = []

  constructor(machine: SimulatedMachine, settings: PeerSettings, world: ReadonlyMap<string, SimulatedEntry>) {
    this.machine = machine
    this.#settings = settings
    this.#world = world
  }

  get name(): string {
    return this.machine.name
  }

  /** A process begins, and joins through whom it is told, each time anew until it is in or dead. */
  async start(through: () => readonly string[]): Promise<void> {
    const { machine } = this
    if (!machine.isUp) machine.restart()
    const { clock, random, network, keyValues } = machine
    const { ring: ringOptions, copies: copiesOptions, patience } = this.#settings
    const replicas = copiesOptions.copies
    const services = new CallServices(new Calls({ network, clock, random }))
    const ring = new RingNode(
      { clock, random, calls: ringCalls(machine, services) },
      { ...ringOptions, networkId, replicas },
    )
    const held = await HeldEntries.open(await keyValues.open('/store'), this.#world)
    const places = new RingPlaces(
      {
        ring,
        clock,
        learn: (peer, addresses) => network.learn(peer, [...addresses]),
        keep: (remembered) => {
          this.#remembered = remembered
        },
      },
      { networkId, kind: 'invited', replicas, patience, remembered: this.#remembered, lookMs },
    )
    const copies = new CaptureCopies(
      { held, places, clock, random, calls: services.service('replica') },
      copiesOptions,
    )
    const calls = services.service('notices')
    const keyValue = await keyValues.open('/notices')
    const notices = await Notices.open({
      keyValue,
      clock,
      random,
      self: network.self,
      calls,
      peers: () => places.peers(),
    })
    calls.answer(notices.answer)
    ring.start()
    this.#disk = held
    this.parts = { ring, places, held, copies, notices }
    await this.#join(ring, through)
    copies.start()
    notices.start()
  }

  /** Whether it is on its disk, be its process running or not. */
  holds({ key }: SimulatedEntry): boolean {
    return this.#disk?.has(key) ?? false
  }

  kill(): void {
    this.machine.kill()
    this.parts = undefined
  }

  crash(): void {
    this.machine.crash()
    this.parts = undefined
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

function ringCalls({ network }: SimulatedMachine, services: CallServices): RingCalls {
  const service = services.service('ring')
  return {
    self: network.self,
    addresses: () => network.addresses(),
    learn: (peer, addresses) => network.learn(peer, addresses),
    call: (peer, bytes, options) => service.call(peer, bytes, options),
    answer: (handler) => service.answer(handler),
  }
}
