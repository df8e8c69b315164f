// Notices: what every peer of a network must know reaches every peer, and stays known.
//
// A new one is told to some peers, who tell others: within a second or two nearly everybody has it. Who was away, or was
// missed by chance, gets it by comparison: with a peer that has just appeared, and with one chosen by chance every now and
// then. So all who can reach each other, be it by way of others, hold the same in the end.
//
// Promises: what `put` has given back is safe here. Listeners hear of every notice that counts from then on, once it is safe,
// whoever wrote it. Leaves to others what a notice means: here all members of a network may write all notices.

import { PolyhistorError } from '../../errors.ts'
import type { CallHandler, CallOptions } from '../../world/calls.ts'
import type { Clock, Timer } from '../../world/clock.ts'
import type { KeyValue } from '../../world/key-value.ts'
import type { PeerId, Pieces } from '../../world/network.ts'
import type { Random } from '../../world/random.ts'
import { answerQuestion } from '../comparison/answering.ts'
import { entriesById } from '../comparison/difference.ts'
import { compareNotices } from './comparing.ts'
import type { Notice } from './notice.ts'
import { NoticeBook } from './notice-book.ts'
import {
  type Fetched,
  messageBytesTypical,
  messagesOf,
  type Question,
  readQuestion,
  sizeOf,
  writeFetched,
  writeQuestion,
} from './questions.ts'

export interface NoticesNeeds {
  /** A map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly self: PeerId
  readonly calls: { call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array> }
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
}

export interface NoticesOptions {
  /** Peers that a new notice is told to. With four, a few of a hundred do not hear of it before they compare. */
  readonly toldMax: number
  /** How often to compare with a peer chosen by chance. */
  readonly compareMs: number
  readonly callMsMax: number
}

export const noticesDefaults: NoticesOptions = { toldMax: 6, compareMs: 30_000, callMsMax: 10_000 }

/** How soon to compare with a peer that has appeared: others may appear with it. */
const appearedMs = 200

export type NoticeListener = (notice: Notice) => void

export class Notices {
  readonly #needs: NoticesNeeds
  readonly #options: NoticesOptions
  readonly #book: NoticeBook
  readonly #listeners = new Set<NoticeListener>()
  readonly #pulls = new Map<PeerId, Promise<void>>()
  readonly #telling = new Set<Promise<void>>()
  #known: ReadonlySet<PeerId> = new Set()
  #timer: Timer | undefined
  #isClosed = false

  static async open(needs: NoticesNeeds, options: Partial<NoticesOptions> = {}): Promise<Notices> {
    return new Notices(needs, { ...noticesDefaults, ...options }, await NoticeBook.open(needs.keyValue))
  }

  private constructor(needs: NoticesNeeds, options: NoticesOptions, book: NoticeBook) {
    this.#needs = needs
    this.#options = options
    this.#book = book
  }

  /** Begins to compare. */
  start(): void {
    this.#compareIn(appearedMs)
  }

  /** Resolves when those who were being told have heard, or do not answer. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await Promise.allSettled([...this.#telling, ...this.#pulls.values()])
  }

  get(kind: string, name: string): Notice | undefined {
    return this.#book.get(kind, name)
  }

  all(kind: string): Iterable<Notice> {
    return this.#book.all(kind)
  }

  /** Resolves when it is safe here; others hear of it soon. */
  async put(kind: string, name: string, value: Uint8Array): Promise<void> {
    const { clock, self } = this.#needs
    const notice = await this.#book.write(kind, name, (before) => ({
      kind,
      name,
      value,
      peer: self,
      version: Math.max((before?.version ?? 0) + 1, Math.floor(clock.nowMs())),
    }))
    this.#tell([notice])
    this.#heard([notice])
  }

  /** Gives what stops it. */
  onChange(listener: NoticeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Both know what either of us knew. Rejects with a PolyhistorError when the other does not answer. */
  pull(peer: PeerId): Promise<void> {
    let pull = this.#pulls.get(peer)
    if (pull === undefined) {
      pull = this.#compareWith(peer).finally(() => this.#pulls.delete(peer))
      this.#pulls.set(peer, pull)
    }
    return pull
  }

  /** Who is on the ring may have changed. */
  peersChanged(): void {
    const peers = new Set(this.#needs.peers())
    const hasNew = [...peers].some((peer) => !this.#known.has(peer))
    if (hasNew) this.#compareIn(appearedMs)
    else this.#known = peers
  }

  /** For the questions of other peers. */
  readonly answer: CallHandler = async (from, bytes) => {
    const question = readQuestion(bytes)
    if (question.kind === 'compare') return answerQuestion(this.#book.sums, question.bytes)
    if (question.kind === 'fetch') return writeFetched(this.#fetch(question))
    await this.#hear(question.notices, from)
    return new Uint8Array()
  }

  #fetch({ range, ids }: Extract<Question, { kind: 'fetch' }>): Fetched {
    const entries = ids.length > 0 ? entriesById(this.#book, range, ids) : this.#book.sums.entries(range)
    const notices: Notice[] = []
    let bytes = 0
    for (const entry of entries) {
      for (const notice of this.#book.noticesOf([entry])) {
        bytes += sizeOf(notice)
        if (notices.length > 0 && bytes > messageBytesTypical) return { notices, next: entry.key }
        notices.push(notice)
      }
    }
    return { notices, next: undefined }
  }

  async #hear(notices: readonly Notice[], from: PeerId): Promise<void> {
    const news = await this.#book.merge(notices)
    if (news.length === 0) return
    this.#tell(news, from)
    this.#heard(news)
  }

  #heard(notices: readonly Notice[]): void {
    for (const notice of notices) for (const listener of [...this.#listeners]) listener(notice)
  }

  /** Whoever does not answer finds out when it compares. */
  #tell(notices: readonly Notice[], from?: PeerId): void {
    if (this.#isClosed) return
    const peers = this.#some(
      this.#needs.peers().filter((peer) => peer !== from),
      this.#options.toldMax,
    )
    for (const peer of peers) {
      for (const message of messagesOf(notices)) {
        const telling = this.#tellOne(peer, message).finally(() => this.#telling.delete(telling))
        this.#telling.add(telling)
      }
    }
  }

  async #tellOne(peer: PeerId, notices: readonly Notice[]): Promise<void> {
    try {
      await this.#ask(peer, { kind: 'tell', notices })
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #compareIn(delayMs: number): void {
    if (this.#isClosed) return
    this.#timer?.cancel()
    this.#timer = this.#needs.clock.after(delayMs, () => void this.#compare())
  }

  async #compare(): Promise<void> {
    const { compareMs } = this.#options
    const peers = this.#needs.peers()
    const appeared = peers.filter((peer) => !this.#known.has(peer))
    this.#known = new Set(peers)
    // A peer that has appeared may come from another part of a torn network, and so may several.
    const chosen = this.#some(appeared.length > 0 ? appeared : peers, appeared.length > 0 ? 3 : 1)
    this.#compareIn(compareMs * (0.5 + this.#needs.random.fraction()))
    for (const peer of chosen) {
      try {
        await this.pull(peer)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
      }
    }
  }

  #compareWith(peer: PeerId): Promise<void> {
    return compareNotices({
      book: this.#book,
      random: this.#needs.random,
      ask: (question) => this.#ask(peer, question),
      hear: (notices) => this.#hear(notices, peer),
    })
  }

  #ask(peer: PeerId, question: Question): Promise<Uint8Array> {
    return this.#needs.calls.call(peer, writeQuestion(question), { deadlineMs: this.#options.callMsMax })
  }

  /** So many of them, by chance. */
  #some(peers: readonly PeerId[], countMax: number): PeerId[] {
    const left = [...peers]
    const chosen: PeerId[] = []
    while (chosen.length < countMax && left.length > 0)
      chosen.push(...left.splice(this.#needs.random.below(left.length), 1))
    return chosen
  }
}
