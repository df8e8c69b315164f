// Even places: takes one of our ticket's other places, or gives one up, where that brings how full all those concerned are nearer together.
//
// Now and then the peers that a step would concern are asked how full they are and what lies on their arcs, and one step is taken
// by the plan (place-plan.ts). Nothing is agreed on. The ring sees a position that joins or leaves; copies follow as they do then. Before a
// place is given up, those who will keep what it stands for have been given it, and have shown that they have it.
//
// Does not flap: a step has to pay clearly, none is taken while the ring or copies near us or near those concerned are not at rest, which
// a step of theirs ends, too, and a place that was taken or given up rests for a day.
// What others' words can do is bounded: so many steps a day, none of fewer peers than `heardMin`, half of the peers heard have to lie to
// move the median, we are too full by our own count only, and half of what we give always stays.
// Who has no such service (an earlier version) counts for nothing; who does not answer holds up what concerns it.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import { positionsMax } from '../ring/protocol/place.ts'
import type { Contact } from '../ring/ring.ts'
import { changesOfGiving, changesOfTaking, keepersAt, keptArcs, type MassOf } from './kept-change.ts'
import { type Fill, type PlaceChange, type PlaceStep, placesMin, planStep } from './place-plan.ts'
import { type PlaceTerms, placeTermsDefault } from './place-terms.ts'
import { type AskedArc, arcsMax, type FillAnswer, fillAnswer, placesQuestion } from './wire/questions.ts'

/** Our places: see src/app/ring/taken-places.ts. */
interface OwnPlaces {
  /** What we give, in positions. */
  readonly weight: number
  readonly indexes: readonly number[]
  take(index: number): Promise<boolean>
  give(index: number): boolean
}

interface Needs {
  readonly self: PeerId
  readonly calls: CallService
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly taken: OwnPlaces
  /** How many keep each thing. */
  readonly replicas: number
  /** Where our ticket's place with this index lies. */
  placeAt(index: number): RingKey
  /** Everybody on the ring, with ourselves. */
  positions(): readonly Contact[]
  /** The ring is at rest near us, and nothing lacks copies of which we know. */
  isSettled(): boolean
  /** The disk fills up: no place is taken. */
  isShortOfRoom(): boolean
  /** Bytes that lie here of an arc, about. */
  heldBytes(after: RingKey, upTo: RingKey): number
  /** Gives a peer what lies here of an arc. True when it has shown that it has all of it. */
  handOver(peer: PeerId, arc: AskedArc, signal: AbortSignal): Promise<boolean>
}

/** What a place more or less would change, as far as the ring tells: whose bytes, and what has to be known of which arc. */
interface Option {
  readonly kind: PlaceStep['kind']
  readonly index: number
  readonly concerned: ReadonlySet<PeerId>
  readonly arcs: readonly AskedArc[]
  changes(massOf: MassOf): PlaceChange['changes']
}

/** By who is asked: of what. */
type Asked = Map<PeerId, Map<string, AskedArc>>

/** `none`: it knows of no such question. */
type Heard = FillAnswer | 'none' | undefined

export interface PlacesView {
  readonly taken: number
  readonly given: number
}

const askMs = 10_000
/** More than that cannot be said. */
const bytesMax = 2 ** 48 - 1
const dayMs = 24 * 3_600_000
/** Of random share, up and down: peers that started together do not look together. */
const jitter = 0.5

export class EvenPlaces {
  readonly #needs: Needs
  readonly #terms: PlaceTerms
  readonly #stop = new AbortController()
  #task: PeriodicTask | undefined
  /** Of the last day. */
  #stepsMs: number[] = []
  /** By index: until when it is to stay as it is. */
  readonly #resting = new Map<number, number>()
  /** Exchanged for one that has been taken; given up when that is filled, unless that takes too long. */
  #exchanged: { readonly index: number; readonly untilMs: number } | undefined
  #counts = { taken: 0, given: 0 }

  constructor(needs: Needs, terms: Partial<PlaceTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...placeTermsDefault, ...terms }
    needs.calls.answer((_, bytes) => this.#answer(bytes))
  }

  start(): void {
    const { random } = this.#needs
    this.#task = new PeriodicTask(this.#needs, this.#terms.lookMs, () => this.#look(), {
      jitter: { share: jitter, random },
    })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task?.close()
  }

  /** Since the start. */
  get view(): PlacesView {
    return this.#counts
  }

  #answer(bytes: Uint8Array): Uint8Array {
    const { arcs } = placesQuestion.decode(bytes)
    const { heldBytes, taken, isSettled } = this.#needs
    const told = (bytes: number): number => Math.min(bytes, bytesMax)
    return fillAnswer.encode({
      ...{ kept: told(this.#kept()), weight: taken.weight, isSettled: isSettled() },
      masses: arcs.map(({ after, upTo }) => told(heldBytes(after, upTo))),
    })
  }

  /** Bytes that we are to keep. */
  #kept(): number {
    const { self, replicas, heldBytes } = this.#needs
    const arcs = keptArcs(this.#ring(), self, replicas)
    return arcs.reduce((sum, { after, upTo }) => sum + heldBytes(after, upTo), 0)
  }

  #ring(): Contact[] {
    return [...this.#needs.positions()].sort((one, other) => (one.place < other.place ? -1 : 1))
  }

  async #look(): Promise<void> {
    if (!this.#mayStep()) return
    const ring = this.#ring()
    const step = this.#pending() ?? (await this.#planned(ring))
    if (step === undefined) return
    if (step.kind === 'give' && !(await this.#isHandedOver(ring, step.index))) return
    // Others were asked meanwhile, which takes a while.
    if (this.#mayStep() && areSame(ring, this.#ring())) await this.#carryOut(step)
  }

  #mayStep(): boolean {
    const { stepEveryMs, stepsPerDayMax } = this.#terms
    const nowMs = this.#nowMs()
    this.#stepsMs = this.#stepsMs.filter((atMs) => nowMs - atMs < dayMs)
    for (const [index, untilMs] of this.#resting) if (untilMs <= nowMs) this.#resting.delete(index)
    const lastMs = this.#stepsMs.at(-1) ?? Number.NEGATIVE_INFINITY
    const isTime = nowMs - lastMs >= stepEveryMs && this.#stepsMs.length < stepsPerDayMax
    return isTime && !this.#stop.signal.aborted && this.#needs.isSettled()
  }

  #pending(): PlaceStep | undefined {
    const { taken } = this.#needs
    const { index = 0, untilMs = 0 } = this.#exchanged ?? {}
    const { indexes, weight } = taken
    const isMore = indexes.length > placesMin(weight) && indexes.includes(index)
    if (this.#nowMs() < untilMs && isMore) return { kind: 'give', index }
    this.#exchanged = undefined
    return undefined
  }

  async #planned(ring: readonly Contact[]): Promise<PlaceStep | undefined> {
    const { self, heldBytes, taken } = this.#needs
    const { asked, options } = this.#questions(ring)
    const heard = await this.#ask(asked)
    const fills = new Map<PeerId, Fill>([[self, { kept: this.#kept(), weight: taken.weight }]])
    for (const [peer, answer] of heard) if (answer !== undefined && answer !== 'none') fills.set(peer, answer)
    if (fills.size < this.#terms.heardMin) return undefined
    if (Math.max(...[...fills.values()].map(({ kept }) => kept)) < this.#terms.bytesMin) return undefined
    const masses = new Map<string, number>()
    for (const [peer, arcs] of asked)
      for (const [at, [name, { after, upTo }]] of [...arcs].entries()) {
        const answer = heard.get(peer)
        if (peer === self) masses.set(name, heldBytes(after, upTo))
        else if (answer !== undefined && answer !== 'none') masses.set(name, answer.masses[at]!)
      }
    const isAtRest = (peer: PeerId): boolean => {
      const answer = heard.get(peer)
      return peer === self || answer === 'none' || answer?.isSettled === true
    }
    const possible = options.filter(
      ({ concerned, arcs }) => [...concerned].every(isAtRest) && arcs.every((arc) => masses.has(nameOf(arc))),
    )
    const massOf: MassOf = (after, upTo) => masses.get(nameOf({ after, upTo })) ?? 0
    const changesOf = (kind: PlaceStep['kind']): PlaceChange[] =>
      possible
        .filter((option) => option.kind === kind)
        .map((option) => ({ index: option.index, changes: option.changes(massOf) }))
    const [own, others] = [changesOf('give'), changesOf('take')]
    return planStep({ self, fills, own, others, taken: taken.indexes.length }, this.#terms)
  }

  /** What could be done, as far as it can be asked after in one look, and who is to be asked about what. */
  #questions(ring: readonly Contact[]): { asked: Asked; options: Option[] } {
    const { random, self } = this.#needs
    const options: Option[] = []
    let asked: Asked = new Map([[self, new Map()]])
    for (const option of shuffled([...this.#options(ring)], random)) {
      const more = this.#withArcs(asked, option, ring)
      const isTooMuch = [...more.entries()].some(([peer, arcs]) => peer !== self && arcs.size > arcsMax)
      if (more.size - 1 > this.#terms.askedMax || isTooMuch) continue
      asked = more
      options.push(option)
    }
    return { asked, options }
  }

  *#options(ring: readonly Contact[]): Iterable<Option> {
    const { taken, isShortOfRoom } = this.#needs
    const own = taken.indexes
    if (!isShortOfRoom())
      for (let index = 0; index < positionsMax; index++)
        if (!own.includes(index) && !this.#resting.has(index)) yield this.#option('take', index, ring)
    for (const index of own) if (!this.#resting.has(index)) yield this.#option('give', index, ring)
  }

  #option(kind: PlaceStep['kind'], index: number, ring: readonly Contact[]): Option {
    const { self, replicas, placeAt } = this.#needs
    const place = placeAt(index)
    const address = ring.find(({ peer }) => peer === self)?.address ?? ''
    const changes = (massOf: MassOf) =>
      kind === 'take'
        ? changesOfTaking(ring, { peer: self, index, place, address }, replicas, massOf)
        : changesOfGiving(ring, place, replicas, massOf)
    const arcs: AskedArc[] = []
    const concerned = new Set(
      changes((after, upTo) => {
        arcs.push({ after, upTo })
        // Any number will do, but for sums that are nothing.
        return 2 ** arcs.length
      }).keys(),
    )
    return { kind, index, concerned, arcs, changes }
  }

  /** Of what we keep ourselves we know what lies there; of the rest its owner does. */
  #withArcs(asked: Asked, { concerned, arcs }: Option, ring: readonly Contact[]): Asked {
    const { self, replicas } = this.#needs
    const more: Asked = new Map([...asked].map(([peer, known]) => [peer, new Map(known)]))
    for (const peer of concerned) if (!more.has(peer)) more.set(peer, new Map())
    for (const arc of arcs) {
      const found = ring.findIndex(({ place }) => place >= arc.upTo)
      const owner = Math.max(0, found)
      const peer = keepersAt(ring, owner, replicas).has(self) ? self : ring[owner]!.peer
      if (!more.has(peer)) more.set(peer, new Map())
      more.get(peer)!.set(nameOf(arc), arc)
    }
    return more
  }

  async #ask(asked: Asked): Promise<Map<PeerId, Heard>> {
    const { self } = this.#needs
    const others = [...asked].filter(([peer]) => peer !== self)
    const heard = await Promise.all(others.map(([peer, arcs]) => this.#askOne(peer, [...arcs.values()])))
    return new Map(others.map(([peer], at) => [peer, heard[at]]))
  }

  async #askOne(peer: PeerId, arcs: readonly AskedArc[]): Promise<Heard> {
    try {
      const question = placesQuestion.encode({ kind: 'fill', arcs: [...arcs] })
      const { signal } = this.#stop
      const answer = fillAnswer.decode(
        await this.#needs.calls.call(peer, question, { deadlineMs: askMs, signal }),
      )
      return answer.masses.length === arcs.length ? answer : undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return error.code === 'service-unknown' ? 'none' : undefined
    }
  }

  /** Whether all who are to keep what we then do not have shown that they have it. */
  async #isHandedOver(ring: readonly Contact[], index: number): Promise<boolean> {
    const { self, replicas, placeAt, handOver } = this.#needs
    const place = placeAt(index)
    const without = ring.filter((contact) => contact.place !== place)
    if (without.length === ring.length) return false
    for (const [at, { place: upTo }] of ring.entries()) {
      const before = keepersAt(ring, at, replicas)
      if (!before.has(self)) continue
      const owner = without.findIndex((contact) => contact.place >= upTo)
      const takers = keepersAt(without, Math.max(0, owner), replicas).difference(before)
      const arc = { after: ring.at(at - 1)!.place, upTo }
      for (const peer of takers) if (!(await handOver(peer, arc, this.#stop.signal))) return false
    }
    return true
  }

  async #carryOut({ kind, index, instead }: PlaceStep): Promise<void> {
    const { taken, log } = this.#needs
    const isDone = kind === 'take' ? await taken.take(index) : taken.give(index)
    // One that failed counts, too: it is not tried again at once.
    this.#stepsMs.push(this.#nowMs())
    if (!isDone) return
    const untilMs = this.#nowMs() + this.#terms.restMs
    this.#resting.set(index, untilMs)
    this.#exchanged = instead === undefined ? undefined : { index: instead, untilMs }
    this.#counts = {
      taken: this.#counts.taken + (kind === 'take' ? 1 : 0),
      given: this.#counts.given + (kind === 'give' ? 1 : 0),
    }
    const places = taken.indexes.length
    if (kind === 'take') log.info({ index, places }, 'A place on the ring was taken: others are fuller')
    else log.info({ index, places }, 'A place on the ring was given up: others are emptier')
  }

  #nowMs(): number {
    return this.#needs.clock.monotonicMs()
  }
}

function nameOf({ after, upTo }: AskedArc): string {
  return `${after} ${upTo}`
}

function areSame(ones: readonly Contact[], others: readonly Contact[]): boolean {
  return ones.length === others.length && ones.every(({ place }, at) => place === others[at]!.place)
}
