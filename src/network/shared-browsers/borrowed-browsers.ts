// The browsers of other peers, as one that this peer can show pages in: for those who have none.
//
// Which peers have one is asked of some of them now and then, and remembered for a while. A page is shown by one that is free; who is
// gone or silent in the middle of it must say again that it has one, and the page counts as crashed: whoever wanted it shown may try
// again, and gets another, or waits a while for one to come back. What comes back is a member's word: bounded, checked for its form, and told as that member's.

import { PolyhistorError } from '../../errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import {
  BrowserError,
  type PageBrowser,
  type PageToShow,
  type ShownPage,
} from '../../platform/network/browser.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import {
  type BrowserAnswer,
  type BrowserQuestion,
  browserAnswer,
  browserQuestion,
  hrefBytesMax,
  isPicture,
  pageIdBytes,
} from './browser-messages.ts'
import { LentPage } from './lent-page.ts'

interface Needs {
  readonly calls: Pick<CallService, 'call'>
  readonly clock: Clock
  readonly random: Random
  /** All others that are present, as far as is known. */
  peers(): readonly PeerId[]
}

/** Asked at once whether they have one. */
const askedMax = 32
const offerMsMax = 5_000
/** For so long an answer counts; where nobody has one it is asked again sooner. */
const knownMs = 60_000
const unknownMs = 15_000
/** When one was lost: for so long it is hoped for, and asked for this often. */
const hopeMs = 2 * 60_000
const hopingMs = 5_000
const busyMs = 1_000
/** A page waits so long for a browser that is free. */
const patienceMs = 10 * 60_000
/** For a place in line, and for what is seen to come back. */
const slackMs = 60_000

export class BorrowedBrowsers implements PageBrowser {
  readonly #needs: Needs
  /** Who has one, and until when it is not to be asked. */
  #lenders = new Map<PeerId, number>()
  readonly #pages = new Map<string, LentPage>()
  readonly #stop = new AbortController()
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #lostAtMs = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Whether some peer has a browser, as far as is known, or that is not known yet; looks again in the background when it is old. */
  get mayBeThere(): boolean {
    const isKnown = this.#lookedAtMs > Number.NEGATIVE_INFINITY && this.#looking === undefined
    if (this.#isOld) void this.look()
    return this.#lenders.size > 0 || !isKnown
  }

  async ready(): Promise<void> {
    if (this.#isOld || this.#looking !== undefined) await this.look()
    if (this.#lenders.size === 0 && !this.#isHopeful) throw nobodyHasOne
  }

  async show(page: PageToShow, signal?: AbortSignal): Promise<ShownPage> {
    if (Buffer.byteLength(page.href) > hrefBytesMax) throw nobodyHasOne
    const untilMs = this.#needs.clock.monotonicMs() + patienceMs
    for (;;) {
      signal?.throwIfAborted()
      await this.ready()
      const peer = this.#free()
      const shown = peer === undefined ? undefined : await this.#shownBy(peer, page, signal)
      if (shown !== undefined) return shown
      if (this.#needs.clock.monotonicMs() >= untilMs) throw allAreBusy
      await this.#needs.clock.sleep(busyMs, anyOf(signal, this.#stop.signal))
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the peer stops'))
    for (const page of this.#pages.values()) page.end()
  }

  /** What a page that another peer shows for us asks for. */
  async answer(from: PeerId, question: BrowserQuestion): Promise<BrowserAnswer> {
    if (question.kind !== 'part' && question.kind !== 'more') return { kind: 'nothing' }
    const page = this.#pages.get(nameOf(question.id))
    if (page === undefined || page.peer !== from) return { kind: 'nothing' }
    return question.kind === 'part' ? page.part(question) : page.more(question.number)
  }

  /** Asks who has one. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  get #isOld(): boolean {
    const ageMs = this.#needs.clock.monotonicMs() - this.#lookedAtMs
    return ageMs > (this.#lenders.size > 0 ? knownMs : this.#isHopeful ? hopingMs : unknownMs)
  }

  get #isHopeful(): boolean {
    return this.#needs.clock.monotonicMs() - this.#lostAtMs < hopeMs
  }

  async #look(): Promise<void> {
    const asked = this.#someOf(this.#needs.peers())
    if (asked.length === 0) return
    this.#lookedAtMs = this.#needs.clock.monotonicMs()
    const offers = await Promise.all(asked.map((peer) => this.#offerOf(peer)))
    const before = this.#lenders
    this.#lenders = new Map(offers.flat().map((peer) => [peer, before.get(peer) ?? 0]))
  }

  /** Those who had one first: in a large network they are found again. */
  #someOf(peers: readonly PeerId[]): PeerId[] {
    const known = peers.filter((peer) => this.#lenders.has(peer))
    const others = peers.filter((peer) => !this.#lenders.has(peer))
    const start = this.#needs.random.below(Math.max(1, others.length))
    return [...known, ...others.slice(start), ...others.slice(0, start)].slice(0, askedMax)
  }

  async #offerOf(peer: PeerId): Promise<PeerId[]> {
    try {
      const answer = await this.#ask(peer, { kind: 'offer' }, offerMsMax, this.#stop.signal)
      return answer.kind === 'offered' && answer.isReady ? [peer] : []
    } catch (error) {
      if (error instanceof PolyhistorError || this.#stop.signal.aborted) return []
      throw error
    }
  }

  #free(): PeerId | undefined {
    const nowMs = this.#needs.clock.monotonicMs()
    const busy = new Set([...this.#pages.values()].map(({ peer }) => peer))
    const free = [...this.#lenders].filter(([peer, untilMs]) => untilMs <= nowMs && !busy.has(peer))
    return free[this.#needs.random.below(Math.max(1, free.length))]?.[0]
  }

  /** undefined when it shows none now. */
  async #shownBy(
    peer: PeerId,
    page: PageToShow,
    signal: AbortSignal | undefined,
  ): Promise<ShownPage | undefined> {
    const { clock, random } = this.#needs
    const id = random.bytes(pageIdBytes)
    const lent = new LentPage(peer, page)
    this.#pages.set(nameOf(id), lent)
    const { timeMsMax, idleMs, behaviourMsMax, scrollsMax } = page.limits
    const times = { timeMs: timeMsMax, idleMs, behaviourMs: behaviourMsMax, scrolls: scrollsMax }
    const question = { kind: 'show', id, href: page.href, ...times } as const
    try {
      const answer = await this.#ask(peer, question, timeMsMax + slackMs, anyOf(signal, this.#stop.signal))
      if (answer.kind === 'shown') return shownPage(peer, answer)
      if (answer.kind === 'refused' && answer.code === 'busy')
        this.#lenders.set(peer, clock.monotonicMs() + busyMs)
      else this.#lenders.delete(peer)
      return undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError) || signal?.aborted || this.#stop.signal.aborted) throw error
      // Gone in the middle of it, or silent for longer than a page may take.
      this.#lenders.delete(peer)
      this.#lostAtMs = clock.monotonicMs()
      return { ending: 'crashed', links: [], text: '', title: '' }
    } finally {
      this.#pages.delete(nameOf(id))
      lent.end()
    }
  }

  async #ask(
    peer: PeerId,
    question: BrowserQuestion,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<BrowserAnswer> {
    const options = { deadlineMs, signal, channel: 'bulk' } as const
    return browserAnswer.decode(await this.#needs.calls.call(peer, browserQuestion.encode(question), options))
  }
}

const nobodyHasOne = new BrowserError('browser-missing', 'No peer of the network has a browser.')
const allAreBusy = new BrowserError('browser-missing', 'No browser of the network’s peers became free.')

function shownPage(peer: PeerId, answer: Extract<BrowserAnswer, { kind: 'shown' }>): ShownPage {
  const { ending, title, text, links, view, thumbnail } = answer
  return {
    ...{ ending, title, text, links, shownBy: peer },
    view: isPicture(view) ? view : undefined,
    thumbnail: isPicture(thumbnail) ? thumbnail : undefined,
  }
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}

function anyOf(signal: AbortSignal | undefined, stop: AbortSignal): AbortSignal {
  return signal === undefined ? stop : AbortSignal.any([signal, stop])
}
