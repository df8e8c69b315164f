// A simulated ring that is ideal from the first moment: lists, predecessors and fingers are worked out instead of waited
// for, since tens of thousands of peers would join for hours.

import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import type { Contact } from '../../src/network/ring/ring.ts'
import type { RingOptions } from '../../src/network/ring/ring-options.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

/** The internet within a continent. */
export const link = { delayMsMin: 5, delayMsMax: 50, loss: 0 }

export interface BuiltRing {
  world: RingWorld
  peers: SimulatedPeer[]
  /** In the order of the ring. */
  contacts: Contact[]
}

export function buildRing(
  count: number,
  options: {
    seed: string
    ring?: Partial<RingOptions>
    /** What is otherwise with some, counted from 0. */
    ringOf?: (number: number) => Partial<RingOptions>
  },
): BuiltRing {
  const { seed, ring = {}, ringOf = () => ({}) } = options
  const world = new RingWorld({ seed, link, ring })
  const peers = Array.from({ length: count }, (_, number) => world.begin({ ring: ringOf(number) }))
  const positions = peers.flatMap(({ node }) => node.positions)
  const contacts = positions.map(({ machine }) => machine.self).sort((a, b) => (a.place < b.place ? -1 : 1))
  for (const position of positions) settle(position, contacts)
  for (const { node } of peers) {
    node.start()
    for (const position of node.positions) position.start()
  }
  return { world, peers, contacts }
}

/** Puts a position where it belongs. */
function settle(position: Position, contacts: readonly Contact[]): void {
  const { machine, fingers } = position
  const count = contacts.length
  const rank = rankOf(contacts, machine.self.place)
  const before = contacts[(rank - 1 + count) % count]!
  const entries = Array.from(
    { length: Math.min(16, count - 1) },
    (_, step) => contacts[(rank + 1 + step) % count]!,
  )
  const [ask] = machine.handle({ kind: 'enter-after', member: before })
  if (ask?.kind !== 'ask') throw new Error('a position that does not join')
  const successors = { entries, isWhole: count - 1 <= 16 }
  position.handle({ kind: 'answered', serial: ask.serial, state: { predecessor: before, successors } })
  for (let finger = fingers.next(machine.successors); finger !== undefined && !fingers.isBuilt; ) {
    fingers.set(finger.power, contacts[rankOf(contacts, finger.target) % count]!)
    finger = fingers.next(machine.successors)
  }
}

/** How many lie before the key. */
export function rankOf(contacts: readonly Contact[], key: RingKey): number {
  let low = 0
  let high = contacts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (contacts[middle]!.place < key) low = middle + 1
    else high = middle
  }
  return low
}

export function someKey(world: RingWorld): RingKey {
  return Buffer.from(world.random.bytes(20)).toString('hex') as RingKey
}
