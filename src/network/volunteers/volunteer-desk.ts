// The desk where volunteers get work from this peer: answers their questions, and lends them the hosts of sites that this peer crawls.
//
// It is idle until the first volunteer comes: then nothing costs anything. Parts: waiting-asks.ts (who waits), handed-bundles.ts (who has
// what, and until when), lent-bundle.ts (what becomes of a bundle), volunteer-book.ts (what is known of each), own-answers.ts (pages to
// try them with), placement.ts (who is near which host), spot-checks.ts (what is looked at afterwards). Decision 0111 says why it is built so.

import type { FetchOptions } from '../../crawl/fetch/fetcher.ts'
import type { Fetched, FetchOutcome } from '../../crawl/fetch/outcome.ts'
import type { HostTerms } from '../../crawl/frontier/frontier-hosts.ts'
import type { LentFetching, LentHost } from '../../crawl/lent-fetching.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { CallContext } from '../../platform/calls/calls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import { version } from '../../version.ts'
import { HandedBundles } from './handed-bundles.ts'
import { LentBundle } from './lent-bundle.ts'
import { OwnAnswers } from './own-answers.ts'
import { type HostPlacement, Placement } from './placement.ts'
import { SpotChecks } from './spot-checks.ts'
import type { VolunteerBook } from './volunteer-book.ts'
import {
  robotsBytesMax,
  type ToldAnswer,
  type VolunteerAnswer,
  type VolunteerQuestion,
  volunteerAnswer,
  volunteerQuestion,
  volunteerRefusal,
} from './volunteer-messages.ts'
import {
  checkChanceOf,
  isProven,
  isTried,
  networkPrefixOf,
  scoreOf,
  stateOf,
  type TrustTerms,
  type VolunteerView,
} from './volunteer-record.ts'
import { type AskedPlace, WaitingAsks, type WaitingVolunteer } from './waiting-asks.ts'

interface Needs {
  readonly calls: CallService
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly book: VolunteerBook
  readonly userAgent: string
  /** Where the volunteer's connection comes from. */
  addressOf(peer: PeerId): string | undefined
  /** Peers that crawl too, and where they are. */
  leaders(): ToldAnswer['leaders']
  canCrawl(site: RingKey, forMs: number): boolean
  termsOf(url: Url): HostTerms
  rest(url: Url): void
  robotsOf(url: Url): Uint8Array | undefined
  fetchHere(url: Url, options: FetchOptions): Promise<FetchOutcome>
  isSame(one: Fetched, other: Fetched): Promise<boolean>
  /** It is to be fetched anew. */
  fetchAgain(hrefs: readonly string[]): void
  /** Which version of the program the network runs, signed; undefined where nothing was released. */
  release?(): Uint8Array | undefined
  /** Somebody waits for work. */
  wake(): void
}

/** An answer is sent a little before the question's deadline. */
const patienceMsMax = 30_000
const noneRetryMs = 1_000
const refusedMs = 60_000
const writeMs = 5_000
/** URLs that went back so often are fetched by this peer. */
const returnsMax = 2
const returnsRemembered = 10_000
/** Who is late with so many of its bundles, and more than this part of them, gets none for a while. */
const lateMin = 3
const lateShareMax = 0.3
const restMs = 10 * 60_000
const ownHostMs = 10 * 60_000
/** So many bundles go to newcomers while others wait, too; and so many where more of those wait than are needed. */
const newcomerShare = 0.1
const newcomerShareMin = 0.02
const provenEnough = 4
/** This peer fetches itself where the nearest volunteer is so much farther away: its own line is to be spared. */
const farFactor = 2
const farMs = 50
const trialShare = 0.05
/** Who was not there for so long is gone; and where nothing was lent for so long, a crawl is over. */
const quietMs = 60_000

/** Between two questions of one that is there. */
const presentMsMax = 60_000
export const overdueSentence = 'A bundle was overdue'

export class VolunteerDesk implements LentFetching {
  readonly #needs: Needs
  readonly #terms: TrustTerms
  readonly #asks: WaitingAsks
  readonly #handed: HandedBundles
  readonly #own: OwnAnswers
  readonly #placement = new Placement()
  readonly #returns = new LruCache<string, number>({ max: returnsRemembered })
  /** Who has come since this peer was started, and when it was there last. */
  readonly #seen = new LruCache<PeerId, number>({ max: 10_000 })
  readonly #resting = new LruCache<PeerId, number>({ max: 10_000 })
  readonly #writing: PeriodicTask
  /** Hosts whose pages need this peer's browser, for a while. */
  readonly #ownHosts = new LruCache<string, number>({ max: 10_000 })
  readonly #checks: SpotChecks
  #lentAtMs = 0
  #isClosed = false

  constructor(needs: Needs, terms: TrustTerms) {
    this.#needs = needs
    this.#terms = terms
    const { clock, random, calls } = needs
    this.#asks = new WaitingAsks({ clock })
    this.#handed = new HandedBundles({
      clock,
      random,
      canCrawl: (site, forMs) => needs.canCrawl(site, forMs),
    })
    this.#own = new OwnAnswers({ clock, random })
    this.#checks = new SpotChecks(
      {
        ...{ clock, random, log: needs.log, book: needs.book },
        canCrawl: (href) => needs.canCrawl(parseUrl(href).ringKey, 0),
        fetchAgain: (hrefs) => needs.fetchAgain(hrefs),
      },
      terms,
    )
    this.#writing = new PeriodicTask({ clock }, writeMs, async () => {
      this.#checkQuiet()
      await needs.book.write()
    })
    calls.answer((from, bytes, context) => this.#answer(from, volunteerQuestion.decode(bytes), context))
    // What was to be fetched anew when this peer was stopped.
    if (needs.book.doubts > 0) needs.fetchAgain([...needs.book.doubted()].slice(0, 100_000))
  }

  /** All that are known, those that fetched most first. */
  views(): VolunteerView[] {
    return this.#needs.book.views().sort((a, b) => b.fetched - a.fetched)
  }

  /** Pages that only a volunteer has seen, and that nothing speaks for yet. */
  get openPages(): number {
    return [...this.#needs.book.open.values()].reduce((sum, count) => sum + count, 0)
  }

  get waiting(): number {
    return this.#asks.size
  }

  begin(url: Url): LentHost | undefined {
    if (this.#isClosed || this.#asks.size === 0) return undefined
    if ((this.#returns.get(url.href) ?? 0) >= returnsMax) return undefined
    if ((this.#ownHosts.get(url.authority) ?? 0) > this.#needs.clock.monotonicMs()) return undefined
    if (!this.#needs.canCrawl(url.ringKey, 0)) return undefined
    const placement = this.#placement.of(url.authority)
    const place = this.#take(placement)
    if (place === undefined) return undefined
    const isSure = placement.isSureOf(place)
    if (isSure && this.#isOursToFetch(placement, place)) {
      place.giveBack()
      return undefined
    }
    const { book, random, clock, log, termsOf, rest, robotsOf, fetchHere, isSame } = this.#needs
    this.#lentAtMs = clock.monotonicMs()
    return new LentBundle(
      {
        ...{ clock, random, termsOf, rest, fetchHere, isSame },
        robotsOf: (robotsUrl) => {
          const robots = robotsOf(robotsUrl)
          return robots && robots.length <= robotsBytesMax ? robots : undefined
        },
        handOut: (to, work) => this.#handed.handOut(to, work),
        next: (isFit, waitMs) => {
          const { costMsOf } = this.#placement.of(url.authority)
          return this.#asks.next((one) => isFit(one) && this.#isFit(one), costMsOf, waitMs)
        },
        checkChanceOf: (peer) => checkChanceOf(book.of(peer), this.#terms),
        isProven: (peer) => isProven(book.of(peer), this.#terms),
        isTried: (peer) => isTried(book.of(peer)),
        canariesOf: (near, count) => this.#own.of(near, count),
        note: (peer, counts) => this.#note(peer, counts),
        wrong: (peer, wrongUrl) => this.#wrong(peer, wrongUrl),
        isNear: (one) => this.#placement.of(url.authority).isNear(one),
        isBarred: (peer) => book.of(peer).barred !== undefined,
        brought: (peer, urls, other) =>
          book.noteBrought(
            peer,
            urls.map(({ href }) => href),
            other,
          ),
        noteTimes: (by, at, address, times) => {
          if (!this.#placement.noteBundle(by, at.authority, address, times))
            this.#note(by.peer, { contradicted: 1 })
        },
        noteOverdue: (late, ms) => log.debug({ host: late.authority, ms }, overdueSentence),
        returned: (back, isOurs) => {
          this.#returns.set(back.href, isOurs ? returnsMax : (this.#returns.get(back.href) ?? 0) + 1)
        },
      },
      place,
      url,
      isSure,
    )
  }

  keepBack(url: Url): void {
    this.#returns.set(url.href, returnsMax)
    this.#ownHosts.set(url.authority, this.#needs.clock.monotonicMs() + ownHostMs)
  }

  /** This peer itself has connected to a host. */
  noteConnect(host: string, address: string, connectMs: number): void {
    this.#placement.noteOwn(host, address, connectMs)
  }

  noteOwn(fetched: Fetched): void {
    if (this.#seen.size > 0) this.#own.note(fetched)
  }

  isDoubted({ href }: Url): boolean {
    return this.#needs.book.isDoubted(href) || this.#checks.has(href)
  }

  async clear({ href }: Url, isSame: boolean): Promise<void> {
    await this.#needs.book.clear(href)
    await this.#checks.looked(href, isSame)
  }

  /** Resolves when no volunteer asks any host for this peer. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#asks.close()
    await this.#handed.close()
    await this.#writing.close()
  }

  /** Those that are proven come first, since a newcomer's pages are all fetched twice; but now and then a newcomer does, or none would
   * ever be proven. */
  #take({ costMsOf, isNear, isSureOf }: HostPlacement): AskedPlace | undefined {
    const { book, random } = this.#needs
    const isFit = (one: WaitingVolunteer) => this.#isFit(one)
    const isNew = ({ peer }: WaitingVolunteer) => stateOf(book.of(peer), this.#terms) === 'new'
    const isKnownGood = (one: WaitingVolunteer) => !isNew(one) && isNear(one) && isSureOf(one) && isFit(one)
    const isEnough = this.#asks.has(provenEnough, isKnownGood)
    const isTurnOfNew = random.below(1_000) < (isEnough ? newcomerShareMin : newcomerShare) * 1_000
    const isPreferred = (one: WaitingVolunteer) => isNew(one) === isTurnOfNew && isNear(one)
    return (
      this.#asks.take((one) => isFit(one) && isPreferred(one), costMsOf) ?? this.#asks.take(isFit, costMsOf)
    )
  }

  /** Whether this peer is much nearer to the host. Not always, or it would never be found out that things have changed. */
  #isOursToFetch({ ownMs, costMsOf }: HostPlacement, place: AskedPlace): boolean {
    if (ownMs === undefined || costMsOf(place) <= farFactor * ownMs + farMs) return false
    return this.#needs.random.below(1_000) >= trialShare * 1_000
  }

  #noteSeen(peer: PeerId): void {
    const nowMs = this.#needs.clock.monotonicMs()
    const sinceMs = nowMs - (this.#seen.get(peer) ?? nowMs)
    this.#seen.set(peer, nowMs)
    if (sinceMs > 0 && sinceMs <= presentMsMax) this.#needs.book.add(peer, { presentMs: Math.round(sinceMs) })
  }

  #checkQuiet(): void {
    const beforeMs = this.#needs.clock.monotonicMs() - quietMs
    const isIdle = this.#handed.size === 0 && this.#lentAtMs < beforeMs
    this.#checks.begin((peer) => isIdle || (this.#seen.get(peer) ?? 0) < beforeMs)
  }

  #isFit({ peer }: WaitingVolunteer): boolean {
    return this.#handed.hasRoomFor(peer)
  }

  async #answer(from: PeerId, question: VolunteerQuestion, context: CallContext): Promise<Uint8Array> {
    return volunteerAnswer.encode(await this.#answerTo(from, question, context))
  }

  async #answerTo(from: PeerId, question: VolunteerQuestion, context: CallContext): Promise<VolunteerAnswer> {
    if (this.#isClosed) return volunteerRefusal('stopping', 'This peer is about to stop')
    const { book } = this.#needs
    this.#noteSeen(from)
    const { barred } = book.of(from)
    if (barred !== undefined && question.kind !== 'tell') return volunteerRefusal('barred', barred)
    switch (question.kind) {
      case 'ask':
        return this.#ask(from, question, context)
      case 'hold':
        return { kind: 'held', fenceMs: this.#handed.hold(from, question.ids) }
      case 'give': {
        const isTaken = this.#handed.give(from, question.id, question.isLast, question.packed)
        return isTaken ? { kind: 'taken' } : volunteerRefusal('late', 'Nobody waits for that any more')
      }
      case 'tell':
        return this.#tell(from)
      case 'release':
        return { kind: 'released', release: this.#needs.release?.() }
    }
  }

  async #ask(
    from: PeerId,
    { free, patienceMs }: Extract<VolunteerQuestion, { kind: 'ask' }>,
    context: CallContext,
  ): Promise<VolunteerAnswer> {
    const { clock, userAgent } = this.#needs
    const restUntilMs = this.#resting.get(from) ?? 0
    if (restUntilMs > clock.monotonicMs()) return { kind: 'none', retryMs: refusedMs }
    if (free === 0) return { kind: 'none', retryMs: noneRetryMs }
    const prefix = networkPrefixOf(this.#needs.addressOf(from))
    const sinceMs = clock.monotonicMs()
    const waited = this.#asks.wait(
      { peer: from, prefix, free, patienceMs: Math.min(patienceMs, patienceMsMax) },
      context.signal,
    )
    this.#needs.wake()
    const bundles = await waited
    if (bundles.length === 0) return { kind: 'none', retryMs: noneRetryMs }
    // Rounded down: the volunteer's fence begins earlier rather than later.
    const heldMs = Math.floor(clock.monotonicMs() - sinceMs)
    return {
      kind: 'work',
      heldMs,
      nowMs: Math.round(clock.nowMs()),
      userAgent,
      bundles: this.#handed.begun(bundles),
    }
  }

  #tell(from: PeerId): VolunteerAnswer {
    const { book } = this.#needs
    const record = book.of(from)
    return {
      kind: 'told',
      leaders: this.#needs.leaders(),
      fetched: record.fetched,
      bytes: record.bytes,
      score: scoreOf(record),
      state: stateOf(record, this.#terms),
      ...book.rankOf(from),
      program: `polyhistor/${version}`,
    }
  }

  #note(peer: PeerId, counts: Readonly<Record<string, number>>): void {
    const { overdue, bundles, bytes: _bytes } = this.#needs.book.add(peer, counts)
    if ((counts.overdue ?? 0) === 0 || overdue < lateMin || overdue < lateShareMax * bundles) return
    this.#resting.set(peer, this.#needs.clock.monotonicMs() + restMs)
  }

  async #wrong(peer: PeerId, url: Url): Promise<boolean> {
    const { book, log } = this.#needs
    const { wrong, barred } = book.add(peer, { wrong: 1 })
    log.warn({ peer, url: url.href, wrong }, 'A volunteer brought what its server did not send')
    if (barred !== undefined) return true
    const isOut = wrong >= this.#terms.wrongMax
    if (isOut)
      await book.bar(
        peer,
        `${wrong} pages that it brought were not what their servers sent, such as ${url.href}`,
      )
    const hrefs: string[] = []
    const count = await book.doubt(peer, isOut ? 'all' : 'open', (href) => hrefs.push(href))
    if (isOut)
      log.warn({ peer, pages: count }, 'A volunteer is shut out; what only it brought is fetched anew')
    this.#needs.fetchAgain(hrefs)
    return isOut
  }
}
