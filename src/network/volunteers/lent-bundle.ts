// A bundle: URLs of one host, lent to volunteers, from the crawl's asking for them until each has its outcome.
//
//   normal   gathered, and handed to a volunteer that waited
//   pending  out, until its deadline
//   high     somebody was late with it: it goes to the next volunteer before all new work, and then back to the frontier
//   checked  some of what came, or all of it, is fetched by another volunteer in another network, or by this peer
//
// The host is asked by one at a time through all of that, and has its pause in between; what cannot be got so goes back to the queue.
// Nobody is believed in what this peer could see otherwise: a failure is this peer's to establish, and a page that two saw differently
// is fetched by this peer, twice if need be. Whoever is then found wrong loses what it brought. Two newcomers
// prove each other only after this peer has seen for itself what each of them brings.

import type { FetchOptions } from '../../crawl/fetch/fetcher.ts'
import type { Fetched, FetchOutcome } from '../../crawl/fetch/outcome.ts'
import type { HostTerms } from '../../crawl/frontier/frontier-hosts.ts'
import { type LentHost, notAsked } from '../../crawl/lent-fetching.ts'
import { pauseMsOf } from '../../crawl/politeness/host-pace.ts'
import { PolyhistorError } from '../../errors.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import { fetchedOf } from './answer-check.ts'
import { bodyBytesMax } from './given-answers.ts'
import type { BundleWork, HandedResult } from './handed-bundles.ts'
import type { BundleTimes } from './turn-arounds.ts'
import { type BundlePace, urlBytesMax, urlsMax } from './volunteer-messages.ts'
import type { AskedPlace, WaitingVolunteer } from './waiting-asks.ts'

export interface BundleNeeds {
  readonly clock: Clock
  readonly random: Random
  handOut(place: AskedPlace, work: BundleWork): Promise<HandedResult>
  /** A volunteer that waits now or soon. */
  next(isFit: (volunteer: WaitingVolunteer) => boolean, waitMs: number): Promise<AskedPlace | undefined>
  /** Fetched by this peer itself. */
  fetchHere(url: Url, options: FetchOptions): Promise<FetchOutcome>
  termsOf(url: Url): HostTerms
  /** The host was asked until now, by whomever. */
  rest(url: Url): void
  robotsOf(url: Url): Uint8Array | undefined
  isSame(one: Fetched, other: Fetched): Promise<boolean>
  /** How likely a page of this one is looked at again. */
  checkChanceOf(peer: PeerId): number
  /** Its word is enough for another's; the words of two that were tried are enough for each other's. */
  isProven(peer: PeerId): boolean
  isTried(peer: PeerId): boolean
  /** Pages of this host that this peer knows the answer to, at most so many. */
  canariesOf(url: Url, count: number): readonly Fetched[]
  /** What came of it, for its record. */
  note(peer: PeerId, counts: Readonly<Record<string, number>>): void
  /** Found wrong; resolves with whether it is shut out. */
  wrong(peer: PeerId, url: Url): Promise<boolean>
  isBarred(peer: PeerId): boolean
  /** Whether hardly anybody is nearer to this host. */
  isNear(volunteer: WaitingVolunteer): boolean
  /** Pages that only this one has seen, or nobody but this other one. */
  brought(peer: PeerId, urls: readonly Url[], other?: PeerId): Promise<void>
  /** A bundle is back whole: what that took. */
  noteTimes(by: WaitingVolunteer, url: Url, address: string, times: BundleTimes): void
  /** Somebody was late with it: so long it took until all its URLs had come to an end. */
  noteOverdue(url: Url, ms: number): void
  /** It went back to the queue; `isOurs`: no volunteer can do it. */
  returned(url: Url, isOurs: boolean): void
}

interface Entry {
  readonly url: Url
  readonly options: FetchOptions
  /** What this peer saw of it lately. */
  readonly known?: Fetched | undefined
  /** Nothing comes of it but a second look. */
  readonly isCheck?: boolean | undefined
  readonly resolve: (outcome: FetchOutcome) => void
}

/** What one volunteer says came of an entry. */
interface Said {
  readonly entry: Entry
  readonly by: WaitingVolunteer
  readonly fetched: Fetched
}

/** Two that say the same of a page. */
interface Agreement {
  readonly one: Said
  readonly same: Said
}

/** On what one volunteer said of a page. */
type Verdict = 'right' | 'wrong' | 'unknown'

/** Volunteers that a bundle is handed to before it goes back. */
const handedMax = 3
/** How long a volunteer is waited for: for work that is overdue, and to look at what another brought. */
const overdueWaitMs = 5_000
const checkWaitMs = 2_000
/** So often this peer looks itself, though there is a volunteer that could. */
const ownCheckShare = 0.25
/** For its record: this peer itself, or one that is proven, saw the same. */
const assured = { agreed: 1, assured: 1 }
/** So many bundles have a page in them that this peer knows. */
const canaryShare = 0.05
/** A bundle is not to take longer than this, at the pace of its host. */
const bundleMsMax = 60_000
/** Besides the first: all that newcomers bring is fetched twice. */
const newcomerRoom = 5
/** The same, for one of which it is to be found out how near it is. */
const trialRoom = 1

export class LentBundle implements LentHost {
  readonly room: number
  readonly #needs: BundleNeeds
  readonly #terms: HostTerms
  #place: AskedPlace | undefined
  #expected = 1
  #left = 0
  readonly #entries: Entry[] = []
  /** When the host may be asked next, by the monotonic clock. */
  #nextAtMs: number
  #responseMs: number | undefined
  #wasOverdue = false

  /** `isSure`: whether the volunteer's way to the host is known. */
  constructor(needs: BundleNeeds, place: AskedPlace, url: Url, isSure: boolean) {
    this.#needs = needs
    this.#place = place
    this.#terms = needs.termsOf(url)
    this.#responseMs = this.#terms.pace.responseMs
    this.#nextAtMs = needs.clock.monotonicMs()
    const eachMs = this.#pauseMs() + 1_000
    const trustedRoom = needs.checkChanceOf(place.peer) === 1 ? newcomerRoom : urlsMax - 2
    const roomMax = isSure ? trustedRoom : Math.min(trustedRoom, trialRoom)
    this.room = Math.min(roomMax, Math.max(0, Math.floor(bundleMsMax / eachMs) - 1))
  }

  expect(count: number): void {
    this.#expected += count
  }

  fetch(url: Url, options: FetchOptions): Promise<FetchOutcome> {
    return new Promise((resolve, reject) => {
      const { signal } = options
      const abort = () => reject(signal?.reason)
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      const settle = (outcome: FetchOutcome) => {
        signal?.removeEventListener('abort', abort)
        resolve(outcome)
      }
      this.#entries.push({ url, options, resolve: settle })
      this.#beginIfWhole()
    })
  }

  leaveOut(): void {
    this.#left++
    this.#beginIfWhole()
  }

  #beginIfWhole(): void {
    if (this.#entries.length + this.#left < this.#expected) return
    const place = this.#place!
    if (this.#entries.length === 0) place.giveBack()
    else this.#begin(place)
  }

  #begin(place: AskedPlace): void {
    const { clock, noteOverdue } = this.#needs
    const begunAtMs = clock.monotonicMs()
    void this.#run(place)
      .catch((error: unknown) => {
        // Nobody may wait for ever.
        for (const { resolve } of this.#entries) resolve(notAsked)
        if (!(error instanceof PolyhistorError)) throw error
      })
      .finally(() => {
        if (this.#wasOverdue) noteOverdue(this.#entries[0]!.url, clock.monotonicMs() - begunAtMs)
      })
  }

  async #run(first: AskedPlace): Promise<void> {
    const fit = this.#entries.filter((entry) => isSendable(entry))
    for (const entry of this.#entries) if (!fit.includes(entry)) this.#giveBack(entry, true)
    if (fit.length === 0) return first.giveBack()
    const canaries = this.#canaries(fit)
    let waiting: readonly Entry[] = [...fit, ...canaries]
    const tried = new Set<PeerId>()
    let place: AskedPlace | undefined = first
    for (let count = 0; place !== undefined && waiting.length > 0; count++) {
      const by: WaitingVolunteer = place
      tried.add(by.peer)
      const { said, unsaid, isPaused } = await this.#askVolunteer(
        place,
        waiting,
        count === 0 ? 'normal' : 'high',
      )
      place = undefined
      const isHonest = await this.#settle(by, said)
      waiting = isHonest
        ? unsaid
        : [...unsaid, ...said.map(({ entry }) => entry).filter((entry) => !this.#isDone(entry))]
      waiting = waiting.filter(({ known }) => known === undefined)
      if (isPaused || waiting.length === 0 || count + 1 >= handedMax) break
      place = await this.#needs.next(({ peer }) => !tried.has(peer), overdueWaitMs)
    }
    for (const entry of waiting) this.#giveBack(entry)
  }

  readonly #done = new Set<Entry>()

  #isDone(entry: Entry): boolean {
    return this.#done.has(entry)
  }

  #finish(entry: Entry, outcome: FetchOutcome): void {
    if (this.#done.has(entry)) return
    this.#done.add(entry)
    entry.resolve(outcome)
  }

  #giveBack(entry: Entry, isOurs = false): void {
    if (entry.known !== undefined || entry.isCheck || this.#done.has(entry)) return
    this.#needs.returned(entry.url, isOurs)
    this.#finish(entry, notAsked)
  }

  #canaries(entries: readonly Entry[]): Entry[] {
    const { random } = this.#needs
    if (entries.length === 0 || random.below(1_000) >= canaryShare * 1_000) return []
    const own = new Set(entries.map(({ url }) => url.href))
    const known = this.#needs
      .canariesOf(entries[0]!.url, 1)
      .filter(({ capture }) => !own.has(capture.url.href))
    return known.map((fetched) => ({
      url: fetched.capture.url,
      options: { allow: entries[0]!.options.allow },
      known: fetched,
      resolve: () => {},
    }))
  }

  /** Hands the entries to a volunteer. `isPaused`: the host wants to be left alone. */
  async #askVolunteer(
    place: AskedPlace,
    entries: readonly Entry[],
    urgency: 'normal' | 'high',
  ): Promise<{ said: Said[]; unsaid: Entry[]; isPaused: boolean }> {
    const { clock } = this.#needs
    const by: WaitingVolunteer = { peer: place.peer, prefix: place.prefix }
    // Which of them are looked at again, or known, must not show.
    const sent = shuffled(entries, this.#needs.random)
    const startMs = Math.max(0, Math.ceil(this.#nextAtMs - clock.monotonicMs()))
    const { end, answers, sinceMs, outMs } = await this.#needs.handOut(place, {
      urgency,
      urls: sent.map(({ url, options }) => ({
        href: url.href,
        etag: options.validators?.etag,
        lastModified: options.validators?.lastModified,
        bytesMax: Math.min(options.bytesMax ?? bodyBytesMax, bodyBytesMax),
      })),
      pace: this.#wirePace(),
      startMs,
      robots: this.#needs.robotsOf(sent[0]!.url),
      site: sent[0]!.url.ringKey,
    })
    const endedAtMs = clock.monotonicMs()
    if (end !== 'not-ours') this.#askedUntil(endedAtMs)
    const said: Said[] = []
    const unsaid: Entry[] = []
    const failed: Entry[] = []
    let bytes = 0
    let isPaused = false
    for (const [index, entry] of sent.entries()) {
      const answer = answers.get(index)
      if (answer?.kind === 'response') {
        const wasConditional =
          entry.options.validators?.etag !== undefined || entry.options.validators?.lastModified !== undefined
        const given = { ...by, sinceMs, nowMs: clock.nowMs(), endedAtMs, wasConditional }
        const fetched = fetchedOf(entry.url, answer, given)
        if (typeof fetched !== 'string') {
          said.push({ entry, by, fetched })
          bytes += fetched.bodyBytes
          this.#responseMs = fetched.responseMs
          continue
        }
        // No honest program makes such an answer.
        if (await this.#needs.wrong(by.peer, entry.url)) isPaused = false
      }
      if (answer?.kind === 'failure' && !entry.isCheck) failed.push(entry)
      else unsaid.push(entry)
      if (answer?.kind !== 'untried') continue
      if (answer.why === 'pause') isPaused = true
      else if (answer.why !== 'time' && answer.why !== 'stopped') this.#giveBack(entry, true)
    }
    if (end === 'not-ours') isPaused = true
    if (said.length === sent.length) this.#noteTimes(by, said, outMs - startMs)
    const isLate = end === 'overdue' && answers.size < sent.length
    if (isLate) this.#wasOverdue = true
    if (end !== 'not-ours') {
      const fetchedCount = said.filter(({ entry }) => entry.known === undefined).length
      this.#needs.note(by.peer, { bundles: 1, fetched: fetchedCount, bytes, overdue: isLate ? 1 : 0 })
    }
    for (const entry of failed) {
      const established = entry.known ?? (await this.#fetchHere(entry))
      if (established === undefined) unsaid.push(entry)
      else if (established.kind === 'failed') isPaused = true
      else this.#needs.note(by.peer, { falseFailures: 1 })
      if (established !== undefined) this.#finish(entry, established)
    }
    return { said, unsaid: unsaid.filter((entry) => !this.#isDone(entry)), isPaused }
  }

  /** Of a bundle whose pages all came. */
  #noteTimes(by: WaitingVolunteer, said: readonly Said[], busyMs: number): void {
    const fetches = said.map(({ fetched: { connectMs, responseMs } }) => ({ connectMs, responseMs }))
    const pausesMs = fetches.slice(0, -1).reduce((sum, { responseMs }) => sum + this.#pauseMs(responseMs), 0)
    const { url, ipAddress } = said[0]!.fetched.capture
    this.#needs.noteTimes(by, url, ipAddress, { tookMs: Math.max(0, busyMs - pausesMs), fetches })
  }

  /** Looks at some of what a volunteer brought, or at all of it, and lets the rest pass. False: it was caught, and what is not done
   * with has to come from another. */
  async #settle(by: WaitingVolunteer, said: readonly Said[]): Promise<boolean> {
    const { random } = this.#needs
    const chance = this.#needs.checkChanceOf(by.peer) * 1_000_000
    const canaries = said.filter(({ entry }) => entry.known !== undefined)
    const pages = said.filter(({ entry }) => entry.known === undefined)
    const checked = pages.filter(() => random.below(1_000_000) < chance)
    let isHonest = !this.#needs.isBarred(by.peer)
    for (const one of canaries) if (isHonest) isHonest = await this.#checkCanary(one)
    if (isHonest && checked.length > 0) isHonest = await this.#check(by, checked)
    const rest = pages.filter(({ entry }) => !this.#isDone(entry))
    // Caught meanwhile, in another of its bundles: what is noted as brought from now on nobody would doubt.
    if (!isHonest || this.#needs.isBarred(by.peer)) return false
    await this.#needs.brought(
      by.peer,
      rest.map(({ entry }) => entry.url),
    )
    for (const { entry, fetched } of rest) this.#finish(entry, fetched)
    return true
  }

  async #checkCanary({ entry, by, fetched }: Said): Promise<boolean> {
    const known = entry.known!
    if (await this.#needs.isSame(known, fetched)) {
      this.#needs.note(by.peer, assured)
      return true
    }
    // It may have changed since.
    const now = await this.#fetchHere(entry)
    if (now === undefined || now.kind === 'failed') return true
    try {
      if (await this.#needs.isSame(now, fetched)) this.#needs.note(by.peer, assured)
      else if (await this.#needs.isSame(now, known)) {
        await this.#needs.wrong(by.peer, entry.url)
        return false
      } else this.#needs.note(by.peer, { undecided: 1 })
    } finally {
      await now.discard()
    }
    return true
  }

  /** Has each page looked at again: by this peer itself until the volunteer is tried, by another volunteer after that. */
  async #check(by: WaitingVolunteer, checked: readonly Said[]): Promise<boolean> {
    const { isSame, isBarred, isProven, isTried } = this.#needs
    const waiting = shuffled(checked, this.#needs.random)
    let isHonest = true
    // What else it brought comes from others: to look at it again would only be asked for in vain.
    const isCaught = () => !isHonest && isBarred(by.peer)
    const look = async (one: Said, other?: Said) => {
      if ((await this.#judge(one, other)) === 'wrong') isHonest = false
    }
    const isUntried = () => !isProven(by.peer) && !isTried(by.peer)
    while (waiting.length > 0 && isUntried() && !isCaught()) await look(waiting.pop()!)
    if (isCaught() || waiting.length === 0) return isHonest
    const second = await this.#second(by)
    const other =
      second &&
      (await this.#askVolunteer(
        second,
        waiting.map(({ entry }) => forCheck(entry)),
        'normal',
      ))
    const seen = new Map(other?.said.map((one) => [one.entry.url.href, one]))
    const agreed: Agreement[] = []
    for (const one of waiting) {
      if (isCaught()) return false
      const same = seen.get(one.entry.url.href)
      if (same !== undefined && (await isSame(one.fetched, same.fetched))) agreed.push({ one, same })
      else await look(one, same)
    }
    // Only now: who was wrong where they differ is not believed where they agree.
    const believed: Agreement[] = []
    for (const both of agreed) {
      if (isCaught()) return false
      if (this.#isEnough(both)) believed.push(both)
      else await look(both.one, both.same)
    }
    await this.#agree(believed)
    return isHonest
  }

  /** Whether it is believed what both say. Two newcomers may belong together, whatever networks they come from: their word counts once
   * each of them has been tried. */
  #isEnough({ one, same }: Agreement): boolean {
    const { isProven, isTried } = this.#needs
    const peers = [one.by.peer, same.by.peer]
    return peers.some((peer) => isProven(peer)) || peers.every((peer) => isTried(peer))
  }

  /** Somebody in another network, a newcomer if one waits that is near: then one look tells of both. What one that is
   * proven brought this peer looks at itself now and then; of newcomers it has seen some already. */
  async #second(by: WaitingVolunteer): Promise<AskedPlace | undefined> {
    const { random, next, isProven, isTried, isNear } = this.#needs
    const isOurs = isProven(by.peer) && random.below(1_000) < ownCheckShare * 1_000
    if (by.prefix === '' || isOurs) return undefined
    const isOfUse = (peer: PeerId) =>
      isProven(by.peer) || isProven(peer) || (isTried(by.peer) && isTried(peer))
    const isFit = ({ peer, prefix }: WaitingVolunteer) =>
      peer !== by.peer && prefix !== '' && prefix !== by.prefix && isOfUse(peer)
    const newcomer = await next((one) => isFit(one) && !isProven(one.peer) && isNear(one), 0)
    return newcomer ?? next(isFit, checkWaitMs)
  }

  /** They are kept, and noted for both: if both are caught, nobody has seen them. */
  async #agree(pages: readonly Agreement[]): Promise<void> {
    const { note, isProven, brought } = this.#needs
    const [first] = pages
    if (first === undefined) return
    const [peer, other] = [first.one.by.peer, first.same.by.peer]
    const urls = pages.map(({ one }) => one.entry.url)
    await brought(peer, urls, other)
    await brought(other, urls, peer)
    const [isPeerProven, isOtherProven] = [isProven(peer), isProven(other)]
    for (const { one } of pages) {
      note(peer, isOtherProven ? assured : { agreed: 1 })
      note(other, isPeerProven ? assured : { agreed: 1 })
      this.#finish(one.entry, one.fetched)
    }
  }

  /** This peer looks itself, and says of the first one whether it was right. */
  async #judge(one: Said, other: Said | undefined): Promise<Verdict> {
    const own = await this.#fetchHere(one.entry)
    // This peer cannot tell: then nobody is believed, and it comes again.
    if (own === undefined || own.kind === 'failed') {
      this.#giveBack(one.entry)
      return 'unknown'
    }
    const accused: Said[] = []
    for (const said of other === undefined ? [one] : [one, other]) {
      if (await this.#needs.isSame(own, said.fetched)) this.#needs.note(said.by.peer, assured)
      else accused.push(said)
    }
    const wrong = await this.#blame(accused, own)
    if (accused.includes(one)) {
      this.#finish(one.entry, own)
      return wrong.includes(one) ? 'wrong' : 'unknown'
    }
    this.#finish(one.entry, one.fetched)
    await own.discard()
    return 'right'
  }

  /** Who of them is wrong for certain: this peer saw something else, twice the same. A third volunteer's word counts for them where this
   * peer sees each time something else. */
  async #blame(accused: readonly Said[], own: Fetched): Promise<Said[]> {
    const { note, isSame, wrong } = this.#needs
    const again = accused.length === 0 ? undefined : await this.#fetchHere(accused[0]!.entry)
    if (again === undefined || again.kind === 'failed') return []
    const found: Said[] = []
    try {
      for (const said of accused) {
        if (await isSame(again, said.fetched)) note(said.by.peer, assured)
        else if (await isSame(again, own)) {
          await wrong(said.by.peer, said.entry.url)
          found.push(said)
        } else await this.#askThird(said)
      }
    } finally {
      await again.discard()
    }
    return found
  }

  async #askThird(said: Said): Promise<void> {
    const place = await this.#second(said.by)
    const third = place && (await this.#askVolunteer(place, [forCheck(said.entry)], 'normal'))
    const seen = third?.said[0]
    const isConfirmed = seen !== undefined && (await this.#needs.isSame(seen.fetched, said.fetched))
    this.#needs.note(said.by.peer, isConfirmed ? { agreed: 1 } : { undecided: 1 })
  }

  /** At the host's pace. undefined when its site is not ours any more. */
  async #fetchHere({ url, options }: Entry): Promise<FetchOutcome | undefined> {
    const { clock } = this.#needs
    const waitMs = this.#nextAtMs - clock.monotonicMs()
    if (waitMs > 0) await clock.sleep(waitMs, options.signal)
    const outcome = await this.#needs.fetchHere(url, options)
    if (outcome.kind === 'failed' && outcome.code === 'address-forbidden') return undefined
    if (outcome.kind !== 'failed') this.#responseMs = outcome.responseMs
    this.#askedUntil(clock.monotonicMs())
    return outcome
  }

  #askedUntil(endedAtMs: number): void {
    this.#needs.rest(this.#entries[0]!.url)
    this.#nextAtMs = Math.max(this.#nextAtMs, endedAtMs + this.#pauseMs())
  }

  #pauseMs(responseMs = this.#responseMs): number {
    const { pace, rules } = this.#terms
    return pauseMsOf({ crawlDelayMs: pace.crawlDelayMs, responseMs }, rules)
  }

  #wirePace(): BundlePace {
    const { pace, rules } = this.#terms
    const { delayMs, delayFactor, delayMsMin, delayMsMax, ruleDelayMs = 0, crawlDelayMsMax } = rules
    const leastMs = Math.ceil(Math.max(ruleDelayMs, Math.min(pace.crawlDelayMs, crawlDelayMsMax)))
    return { delayMs, delayFactor: Math.ceil(delayFactor), delayMsMin, delayMsMax, leastMs }
  }
}

function forCheck({ url, options }: Entry): Entry {
  return { url, options, isCheck: true, resolve: () => {} }
}

function isSendable({ url, options }: Entry): boolean {
  const { sent, headers = [], limits } = options
  return (
    sent === undefined &&
    headers.length === 0 &&
    limits === undefined &&
    Buffer.byteLength(url.href) <= urlBytesMax
  )
}
