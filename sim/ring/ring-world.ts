// Peers of a simulated ring: real RingNodes on a fabric. Starts, kills, pauses and lets them leave, and knows who is on
// the ring.

import { createHash } from 'node:crypto'
import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import { namesAsTickets } from '../../src/network/ring/fixtures/names-as-tickets.ts'
import { KnownContacts } from '../../src/network/ring/known-contacts.ts'
import type { Position } from '../../src/network/ring/position.ts'
import type { Rules } from '../../src/network/ring/protocol/rules.ts'
import type { KnownPeer } from '../../src/network/ring/ring.ts'
import { RingNode } from '../../src/network/ring/ring-node.ts'
import type { RingOptions } from '../../src/network/ring/ring-options.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { Simulation } from '../../src/platform/simulated/simulation.ts'
import { Fabric, type FabricLink, type Port } from './fabric.ts'

export interface SimulatedPeer {
  name: string
  node: RingNode
  port: Port
  isBase: boolean
}

export interface RingWorldOptions {
  seed: string
  link: FabricLink
  ring: Partial<RingOptions>
  rules?: Rules
  keepTrace?: boolean
}

export const networkId = 'simulated'
/** More than a ring of twenty thousand and a day's newcomers have. */
const contactsMax = 2 ** 17

/** A name as long as real ones are, and an address. */
export function identityOf(number: number, seed: string): { name: string; address: string } {
  const digest = createHash('sha256').update(`${seed} ${number}`).digest()
  const name = `12D3KooW${digest.toString('base64url').replace(/[-_]/g, 'x').slice(0, 43)}x`
  return {
    name,
    address: `/ip4/${10 + (number % 100)}.${number >> 16}.${(number >> 8) & 255}.${number & 255}/tcp/4001`,
  }
}

export class RingWorld {
  readonly simulation: Simulation
  readonly fabric: Fabric
  readonly random: SimulatedRandom
  readonly peers = new Map<string, SimulatedPeer>()
  /** Told whenever a position changes, joins or leaves. */
  changed: (peer: SimulatedPeer) => void = () => {}
  readonly #options: RingWorldOptions
  /** Shared by all peers: what a contact is, each of them would work out alike. */
  readonly #contacts = new KnownContacts(networkId, contactsMax)
  #count = 0

  constructor(options: RingWorldOptions) {
    this.#options = options
    this.simulation = new Simulation({ seed: options.seed, keepTrace: options.keepTrace ?? false })
    this.fabric = new Fabric(this.simulation, options.link)
    this.random = this.simulation.random.fork('ring world')
  }

  /** A new process, of a new peer or of one that ran before. */
  begin(options: { isBase?: boolean; ring?: Partial<RingOptions>; number?: number } = {}): SimulatedPeer {
    const number = options.number ?? this.#count++
    const { name, address } = identityOf(number, this.#options.seed)
    const port = this.fabric.open(name, address)
    const random = this.simulation.random.fork(`peer ${number} at ${this.simulation.nowMs}`)
    const node = new RingNode(
      { clock: port, random, calls: port, tickets: namesAsTickets, contacts: this.#contacts },
      { networkId, ...this.#options.ring, ...options.ring },
      this.#options.rules,
    )
    const peer = { name, node, port, isBase: options.isBase ?? false }
    this.peers.set(name, peer)
    node.onChange(() => this.changed(peer))
    return peer
  }

  /** Joins through whom it is told, each time anew; tries again until it is in or dead. */
  async join(peer: SimulatedPeer, through: () => SimulatedPeer[]): Promise<void> {
    for (;;) {
      const known: KnownPeer[] = through().map(({ name, port }) => ({
        peer: name,
        addresses: [port.address],
      }))
      try {
        return await peer.node.join(known)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
      }
      await peer.port.sleep(1_000)
    }
  }

  kill(peer: SimulatedPeer, isRefusing: boolean): void {
    this.simulation.note(peer.name, 'kill', isRefusing ? 1 : 0)
    peer.port.end(isRefusing)
    this.peers.delete(peer.name)
  }

  async leave(peer: SimulatedPeer): Promise<void> {
    this.simulation.note(peer.name, 'leave', '')
    await peer.node.leave()
    this.kill(peer, true)
  }

  someLive(): SimulatedPeer {
    const live = [...this.peers.values()]
    return live[this.random.below(live.length)]!
  }

  /** Every live position on the ring, by place. */
  members(): Map<RingKey, Position> {
    const members: [RingKey, Position][] = []
    for (const { node } of this.peers.values()) {
      for (const position of node.positions) {
        if (position.machine.status === 'member') members.push([position.machine.self.place, position])
      }
    }
    return new Map(members.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
