// Lookups on a ring of which a fifth lies, together: whoever is asked for a key that it does not own names the liar that stands next behind
// the key, and that one says that the key is its own. Real RingNodes; locations that peers remember are few, as on a ring that is much
// larger than what one of them has heard of.
//
// Promise: at least 99 of 100 lookups of honest peers find the owner.

import { type RingKey, ringKeyOf } from '../../src/model/ring-key.ts'
import { arcBetween } from '../../src/network/ring/protocol/place.ts'
import type { Contact } from '../../src/network/ring/ring.ts'
import { encodeFind } from '../../src/network/ring/wire/answers.ts'
import { ringQuestion } from '../../src/network/ring/wire/questions.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

export interface LiarOptions {
  readonly seed: string
  readonly peers?: number
  readonly lookups?: number
  /** Of all. */
  readonly share?: number
  readonly askers?: number
  /** Locations that a peer remembers. */
  readonly cacheMax?: number
}

export interface LiarFigures {
  readonly lookups: number
  readonly right: number
  readonly wrong: number
  readonly failed: number
  readonly hops: number
}

export async function runLiars({
  seed,
  peers = 120,
  lookups = 400,
  share = 0.2,
  cacheMax = 24,
  askers = 12,
}: LiarOptions): Promise<LiarFigures> {
  const world = new RingWorld({ seed, link: { delayMsMin: 5, delayMsMax: 40, loss: 0 }, ring: { cacheMax } })
  const all: SimulatedPeer[] = []
  for (let count = 0; count < peers; count++) {
    const peer = world.begin({})
    void world.join(peer, () => all.slice(0, 3))
    await world.simulation.advance(count < 4 ? 3_000 : 500)
    all.push(peer)
  }
  // Fingers come one after the other.
  await world.simulation.advance(240_000)
  const liars = new Set(all.filter((_, index) => index % Math.round(1 / share) === 0))
  const places = [...world.members()].map(([place, { machine }]) => ({ place, contact: machine.self }))
  const lying = places.filter(({ contact }) => [...liars].some(({ name }) => name === contact.peer))
  for (const liar of liars) lie(liar, lying)
  // Each makes many, as peers do.
  const honest = all.filter((peer) => !liars.has(peer)).slice(0, askers)
  const figures = { lookups: 0, right: 0, wrong: 0, failed: 0, hops: 0 }
  for (let count = 0; count < lookups; count++) {
    const key = ringKeyOf(`${seed} key ${count}`)
    const truth = places.find(({ place }) => place >= key) ?? places[0]!
    const asker = honest[world.random.below(honest.length)]!
    figures.lookups++
    try {
      const { owner, hops } = await world.simulation.complete(asker.node.lookup(key))
      figures[owner.position === truth.place ? 'right' : 'wrong']++
      figures.hops += hops
    } catch {
      figures.failed++
    }
  }
  return figures
}

/** From now on. Keys of its own it owns up to: who lies about those is found out by nobody, and owns them all the same. */
function lie({ port }: SimulatedPeer, liars: readonly { place: RingKey; contact: Contact }[]): void {
  const honestly = port.handler!
  port.answer((from, bytes) => {
    const question = ringQuestion.decode(bytes)
    const answer = honestly(from, bytes) as Uint8Array
    if (question.kind !== 'find') return answer
    const { key } = question
    const behind = liars.toSorted((one, other) => arcBetween(key, one.place) - arcBetween(key, other.place))
    const next = behind[0]!.contact
    const before = behind.at(-1)!.contact
    if (next.peer !== port.self)
      return encodeFind({ kind: 'ask', likely: [next], nearer: [before], before: undefined })
    if (isOwnersAnswer(answer)) return answer
    const entries = behind.slice(1, 4).map(({ contact }) => contact)
    return encodeFind({
      kind: 'mine',
      owner: next,
      predecessor: before,
      successors: { entries, isWhole: false },
    })
  })
}

/** Behind the version: see answers.ts. */
function isOwnersAnswer(answer: Uint8Array): boolean {
  return answer[1] === 1
}
