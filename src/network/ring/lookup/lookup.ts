// Lookup: asks one peer after another until one says that it owns the key.
//
// Invariants: ends within `lookupMs`. Nobody's word but the owner's own counts; an owner that lies too far from the key to
// be likely is not believed, nor one behind another that was named nearer to it before that one was asked. Where somebody may stand in
// between, several peers before the key are asked whom they know there, by ways of our own: places cannot be chosen, so that of all
// that claim a key the nearest is right, and it takes one honest peer to name it (0105). Who takes longer than
// usual is passed over (hedged-requests.ts). When everybody named is dead or points elsewhere, the ring is healing: it waits a
// little and begins again (route.ts).

import { PolyhistorError } from '../../../errors.ts'
import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import { arcBetween, isOwned } from '../protocol/place.ts'
import type { PositionState } from '../protocol/rules.ts'
import { nobodyElse } from '../protocol/successor-list.ts'
import type { Contact, KnownPeer } from '../ring.ts'
import { RingLookupFailed } from '../ring-error.ts'
import type { RingOptions } from '../ring-options.ts'
import type { TicketExchange } from '../ticket-exchange.ts'
import { decodeFind, type FindAnswer } from '../wire/answers.ts'
import { firstResult, type HedgedRequest } from './hedged-requests.ts'
import type { Asked, RingClient } from './ring-client.ts'
import { Route } from './route.ts'
import type { RoutingTable } from './routing-table.ts'

/** Chance that an honest gap is larger than so many mean ones: e^-24. Half of it is for a wrong guess of the mean. */
const gapsMax = 48
/** When an owner is suspicious: it lies farther from the key, in mean gaps, and somebody may stand in between. Then so many that stand
 * before the key, near enough to know who follows it, must have named nobody nearer; so many more are asked to find them. */
interface Vigilance {
  readonly gapsMax: number
  readonly witnesses: number
  readonly asks: number
}

/** Of honest owners one of three lies farther. */
const calm: Vigilance = { gapsMax: 1, witnesses: 3, asks: 8 }
/** Since two peers claimed one key: four of five. It costs several times as many questions. */
const vigilant: Vigilance = { gapsMax: 0.2, witnesses: 6, asks: 24 }
const vigilantMs = 3_600_000
const witnessGaps = 12
const pauseMsFirst = 100
const pauseMsMax = 1_000

interface Found extends PositionState {
  owner: Contact
  hops: number
}

interface FindOptions {
  /** Successors of the owner to bring along. */
  successorsMax: number
  /** Only through these, not by what we know: for a ring that we are not on, or not sure to be on. */
  through?: readonly KnownPeer[]
  /** A place that is not to be asked: ours, while we join. */
  except?: RingKey
  deadlineMs?: number
  /** Whom to enter after is wanted, not who owns: nobody need own the key for that. */
  isEntry?: boolean
}

export class Lookup {
  readonly #clock: Clock
  readonly #asking: RingClient
  readonly #tickets: TicketExchange
  readonly #routes: RoutingTable
  readonly #options: RingOptions
  #vigilantUntilMs = Number.NEGATIVE_INFINITY

  constructor(
    needs: { clock: Clock; asking: RingClient; tickets: TicketExchange; routes: RoutingTable },
    options: RingOptions,
  ) {
    this.#clock = needs.clock
    this.#asking = needs.asking
    this.#tickets = needs.tickets
    this.#routes = needs.routes
    this.#options = options
  }

  async find(key: RingKey, options: FindOptions): Promise<Found> {
    const untilMs = this.#clock.monotonicMs() + (options.deadlineMs ?? this.#options.lookupMs)
    const search = new Search(new Route(key), options)
    let pauseMs = pauseMsFirst
    for (;;) {
      const found = await this.#walk(search, untilMs)
      if (found !== undefined) return found
      const leftMs = untilMs - this.#clock.monotonicMs()
      if (leftMs <= pauseMs || search.route.isExhausted)
        throw new RingLookupFailed(key, `${search.hops} peers answered, none owns it`)
      await this.#clock.sleep(pauseMs)
      pauseMs = Math.min(2 * pauseMs, pauseMsMax)
      search.route.beginAgain()
    }
  }

  /** Asks everybody on the way once. */
  async #walk(search: Search, untilMs: number): Promise<Found | undefined> {
    const { route, options } = search
    if (options.through === undefined) {
      const own = this.#routes.find(route.key, options.successorsMax)
      if (own.kind === 'mine') return { ...own, hops: search.hops }
      route.addLikely(own.likely)
      route.addNearer(own.nearer)
      const guess = this.#routes.guess(route.key)
      if (guess !== undefined) route.addLikely([guess])
    } else {
      const found = await this.#askFirst(search, options.through)
      if (found !== undefined) return found
    }
    const found = await firstResult(this.#clock, () => this.#nextAsk(search, untilMs))
    return found ?? (search.doubted && { ...search.doubted, hops: search.hops })
  }

  #nextAsk(search: Search, untilMs: number): HedgedRequest<Found> | undefined {
    if (this.#clock.monotonicMs() >= untilMs) return undefined
    let contact = search.route.next()
    if (contact?.place === search.options.except) contact = search.route.next()
    if (contact === undefined) return undefined
    const asked = contact
    return {
      patienceMs: this.#asking.neighbours.usualMs(asked.peer, this.#options),
      run: () => this.#askContact(search, asked),
    }
  }

  async #askFirst(search: Search, through: readonly KnownPeer[]): Promise<Found | undefined> {
    for (const { peer, addresses } of through) {
      try {
        const asked = await this.#asking.askPeer(peer, addresses, search.question(), { tries: 1 })
        const answer = this.#readNow(asked) ?? (await this.#tickets.fetchAndRead(asked, peer, decodeFind))
        return this.#take(search, answer, peer)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
      }
    }
    return undefined
  }

  async #askContact(search: Search, contact: Contact): Promise<Found | undefined> {
    try {
      const asked = await this.#asking.ask(contact, search.question(), { tries: 1 })
      const answer =
        this.#readNow(asked) ?? (await this.#tickets.fetchAndRead(asked, contact.peer, decodeFind))
      if (answer.kind === 'ask') this.#noteWitness(search, contact)
      return this.#take(search, answer, contact.peer)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#routes.unlearn(contact)
      search.route.failed(contact)
      return undefined
    }
  }

  #readNow(asked: Asked): FindAnswer | undefined {
    return this.#tickets.readNow(asked, decodeFind)
  }

  #take(search: Search, answer: FindAnswer, peer: string): Found | undefined {
    search.hops++
    if (answer.kind === 'ask') {
      this.#routes.learn(answer.nearer)
      this.#routes.learn(answer.likely)
      search.route.answered(answer)
      if (search.options.isEntry) return entryOf(answer, search.hops, peer)
      const { doubted } = search
      const isSettled = doubted !== undefined && search.witnesses.size >= this.#vigilance.witnesses
      return isSettled && !search.route.isDoubtful(doubted.owner)
        ? { ...doubted, hops: search.hops }
        : undefined
    }
    return this.#judge(search, answer, peer)
  }

  /** Whether to believe one that says that it owns the key. */
  #judge(search: Search, answer: FindAnswer & { kind: 'mine' }, peer: string): Found | undefined {
    const { kind: _, ...claim } = answer
    const { key } = search.route
    if (claim.owner.peer !== peer) throw new MessageMalformed('an owner that is somebody else')
    if (!isOwned(claim.predecessor.place, key, claim.owner.place))
      throw new MessageMalformed('an owner of keys that are not its own')
    const gaps = arcBetween(key, claim.owner.place) * this.#routes.sizeEstimate()
    if (search.options.through === undefined && gaps > gapsMax)
      throw new MessageMalformed('an owner that lies too far from the key')
    // Whoever we know to stand nearer to the key is asked before this one is believed.
    const known = this.#routes.cache.atOrAfter(key)
    if (known !== undefined && search.options.through === undefined) search.route.addLikely([known])
    this.#routes.learn([claim.owner, claim.predecessor, ...claim.successors.entries])
    const found = { ...claim, hops: search.hops }
    // Of two that claim it one lies, or has not heard of the other yet.
    if (search.doubted !== undefined && search.doubted.owner.place !== claim.owner.place) this.#beVigilant()
    search.doubt(found)
    if (this.#wantsWitnesses(search, gaps)) {
      const { asks } = this.#vigilance
      search.route.addNearer(this.#routes.waysTo(key).nearer)
      search.route.addNearer(this.#routes.cache.before(key, asks))
      search.route.goOn(asks)
      return undefined
    }
    const nearest = search.doubted!
    return search.route.isDoubtful(nearest.owner) ? undefined : nearest
  }

  /** Not where our own lists tell who follows the key, nor on a ring so small that they name everybody. */
  #wantsWitnesses({ options, witnesses, route }: Search, gaps: number): boolean {
    if (options.through !== undefined || options.isEntry || gaps <= this.#vigilance.gapsMax) return false
    return witnesses.size < this.#vigilance.witnesses && !this.#routes.isNearUs(route.key)
  }

  get #vigilance(): Vigilance {
    return this.#clock.monotonicMs() < this.#vigilantUntilMs ? vigilant : calm
  }

  #beVigilant(): void {
    this.#vigilantUntilMs = this.#clock.monotonicMs() + vigilantMs
  }

  #noteWitness({ route, witnesses }: Search, { peer, place }: Contact): void {
    if (arcBetween(place, route.key) * this.#routes.sizeEstimate() <= witnessGaps) witnesses.add(peer)
  }
}

/** The position right before the key, as it says itself, and who follows it. */
function entryOf(
  { before, likely }: FindAnswer & { kind: 'ask' },
  hops: number,
  peer: string,
): Found | undefined {
  if (before?.peer !== peer) return undefined
  return { owner: likely[0] ?? before, predecessor: before, successors: nobodyElse, hops }
}

/** What one lookup has come to so far. */
class Search {
  readonly route: Route
  readonly options: FindOptions
  /** Peers that stand right before the key, and said whom they know behind it. */
  readonly witnesses = new Set<string>()
  hops = 0
  #doubted: Found | undefined

  constructor(route: Route, options: FindOptions) {
    this.route = route
    this.options = options
  }

  /** Of those that claim the key, the nearest to it. */
  get doubted(): Found | undefined {
    return this.#doubted
  }

  doubt(found: Found): void {
    const { key } = this.route
    const before = this.#doubted
    if (before === undefined || arcBetween(key, found.owner.place) < arcBetween(key, before.owner.place))
      this.#doubted = found
  }

  question() {
    return { kind: 'find', key: this.route.key, successorsMax: this.options.successorsMax } as const
  }
}
