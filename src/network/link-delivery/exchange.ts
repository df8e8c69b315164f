// Exchange: delivers links to the peers that own their sites.
//
// Promises:
// - What `offer` has accepted (its promise resolved) is on disk, and stays there until the owner of its site has it on disk.
//   Crashes of either side, lost messages and changes of owner can delay or repeat it, never lose it (at-least-once delivery).
// - A link that was sent lately is not sent again, unless it was found nearer to a seed.
// - When the outbox is full, `offer` waits.
// Leaves to others: which links to send (new ones on changed pages), what is done with received ones (`LinkSink`), and who owns
// which key (`Owners`).

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallHandler } from '../../platform/calls/calls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { GroupCommit } from '../../platform/storage/group-commit.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { AcceptedBatches } from './accepted-batches.ts'
import { Arrivals } from './arrivals.ts'
import { Backpressure } from './backpressure.ts'
import { BatchReceiver } from './batch-receiver.ts'
import { BatchSender, type LinkCalls } from './batch-sender.ts'
import { Delivery, type DeliveryOptions } from './delivery.ts'
import { ExchangeError } from './exchange-error.ts'
import { asText, type ForwardedLink, type LinkText, linkChars } from './forwarded-link.ts'
import type { LinkSink } from './link-sink.ts'
import { Outbox } from './outbox/outbox.ts'
import { entryKey, type OutboxEntry } from './outbox/outbox-entry.ts'
import { type MarkedLink, marked, RecentlySent } from './outbox/recently-sent.ts'
import type { Owners } from './owners.ts'
import { checkFacts } from './wire/link-coding.ts'

interface ExchangeNeeds {
  /** A map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly calls: LinkCalls
  readonly owners: Owners
  readonly take: LinkSink
  readonly log?: Log | undefined
}

export interface ExchangeOptions extends DeliveryOptions {
  /** Links that may wait in the outbox; then `offer` waits. */
  readonly waitingMax: number
  /** Links remembered as sent, per generation of two; 17 bytes of memory each. */
  readonly recentlySentMax: number
  /** How long a receiver may take to make a batch safe. */
  readonly callMsMax: number
}

const exchangeDefaults: ExchangeOptions = {
  batchCharsMax: 128 * 1024,
  ageMsMax: 1_000,
  inFlightMax: 16,
  perPeerMax: 2,
  patienceFirstMs: 500,
  patienceLongestMs: 60_000,
  waitingMax: 5_000_000,
  recentlySentMax: 250_000,
  callMsMax: 20_000,
}

export interface ExchangeStatus {
  readonly waiting: { links: number; bytes: number; oldestMs: number | undefined }
  readonly sent: {
    links: number
    batches: number
    bytes: number
    lookups: number
    failures: number
    refused: number
    /** Their owners could not read them: see the log. */
    aside: number
  }
  /** Not sent, for they were sent lately. */
  readonly spared: number
  readonly received: { links: number; batches: number; known: number; refused: number }
  /** Peers that did not answer when they were last tried. */
  readonly silentPeers: number
  /** Callers that wait for room in the outbox. */
  readonly waitingCallers: number
}

/** Receivers take no more than 1 MB of anything. */
const batchCharsLimit = 512 * 1024
/** A large offer is taken in pieces, so that it needs room for one at a time. */
const pieceLinks = 1_000

export class Exchange {
  readonly #needs: ExchangeNeeds
  readonly #outbox: Outbox
  readonly #sent: RecentlySent
  readonly #arrivals: Arrivals
  readonly #room: Backpressure
  readonly #batchSender: BatchSender
  readonly #delivery: Delivery
  readonly #receiving: BatchReceiver
  readonly #offers: GroupCommit<MarkedLink>
  #spared = 0
  #failure: unknown

  constructor(needs: ExchangeNeeds, options: Partial<ExchangeOptions> = {}) {
    const all = { ...exchangeDefaults, ...options }
    assert(all.waitingMax >= pieceLinks && all.batchCharsMax <= batchCharsLimit)
    this.#needs = needs
    const { keyValue, clock } = needs
    this.#outbox = new Outbox(keyValue, clock)
    this.#arrivals = new Arrivals(this.#outbox)
    this.#sent = new RecentlySent(keyValue, all.recentlySentMax)
    this.#room = new Backpressure(all.waitingMax, () => this.#outbox.links)
    this.#batchSender = new BatchSender(needs, all.callMsMax)
    this.#receiving = new BatchReceiver({ ...needs, taken: new AcceptedBatches(keyValue) })
    const log = needs.log ?? silentLog
    this.#offers = new GroupCommit((links) => this.#put(links), pieceLinks)
    const parts = { ...needs, log, outbox: this.#outbox, batchSender: this.#batchSender }
    const onRemoved = (entries: readonly OutboxEntry[]): void => {
      this.#room.admitWaiting()
      this.#arrivals.noteRemoved(entries.map(({ ringKey }) => ringKey))
    }
    this.#delivery = new Delivery({ ...parts, onRemoved, onFailure: (error) => this.#fail(error) }, all)
  }

  /** Begins to send what waits. */
  start(): void {
    this.#delivery.start()
  }

  /** For the questions of other peers. */
  readonly answer: CallHandler = (from, bytes) => {
    if (this.#failure !== undefined) throw closed()
    return this.#receiving.answer(from, bytes)
  }

  /** Resolves when all are safe on disk, here or elsewhere. */
  async offer(links: readonly ForwardedLink[]): Promise<void> {
    for (const link of links) checkFacts(link)
    for (let at = 0; at < links.length; at += pieceLinks)
      await this.#offerPiece(links.slice(at, at + pieceLinks))
  }

  /** Resolves when all that was offered so far for these sites is safe with their owners; or, without that, when the signal
   * says so. */
  waitUntilDelivered(sites: Iterable<RingKey>, signal: AbortSignal): Promise<void> {
    return this.#arrivals.wait(sites, signal)
  }

  /** Passes links on that came here as the owner of their sites, to the peer that crawls these for us. Resolves with those sites
   * whose links it did not take for now. */
  async relay(peer: PeerId, links: readonly ForwardedLink[]): Promise<Set<RingKey>> {
    const bySite = Map.groupBy(links, ({ url }) => url.ringKey)
    const entries = [...bySite].map(([ringKey, ofSite]) => entryOf(ringKey, ofSite.map(asText)))
    try {
      const { refused, later } = await this.#batchSender.sendBatch(peer, entries, { wantsArc: false })
      return new Set([...later, ...refused.map(({ ringKey }) => ringKey)])
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return new Set(bySite.keys())
    }
  }

  /** How many links of a job wait here. */
  waitingOf(jobId: string): number {
    return this.#outbox.linksOf(jobId)
  }

  status(): ExchangeStatus {
    const { links, bytes, oldestMs } = this.#outbox
    const delivered = this.#delivery.counts
    const received = this.#receiving.counts
    return {
      waiting: { links, bytes, oldestMs },
      sent: {
        links: delivered.links,
        batches: delivered.batches,
        bytes: this.#batchSender.counts.questionBytes + this.#batchSender.counts.answerBytes,
        lookups: delivered.lookups,
        failures: delivered.failures,
        refused: delivered.refusedLinks,
        aside: delivered.asideLinks,
      },
      spared: this.#spared,
      received: {
        links: received.links,
        batches: received.batches,
        known: received.knownBatches,
        refused: received.refusedLinks,
      },
      silentPeers: this.#delivery.silentPeers,
      waitingCallers: this.#room.waitingCount,
    }
  }

  /** Stops sending; what waits is sent next time. Rejects with what has made sending impossible, if something has. */
  async close(): Promise<void> {
    const failure = this.#failure
    this.#fail(closed())
    await Promise.all([this.#delivery.close(), this.#receiving.waitUntilSettled()])
    if (failure !== undefined) throw failure
  }

  async #offerPiece(links: readonly ForwardedLink[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const fresh = links.map(marked).filter((link) => !this.#sent.has(link))
    this.#spared += links.length - fresh.length
    if (fresh.length > 0) await this.#offers.commit(fresh)
  }

  async #put(offered: readonly MarkedLink[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    // Pages that are fetched side by side have links in common.
    const fresh = this.#sent.each(offered)
    const links = fresh.map(({ link }) => link)
    this.#spared += offered.length - fresh.length
    if (fresh.length === 0) return
    await this.#room.enter(fresh.length)
    const { keyValue } = this.#needs
    let remember: () => void
    try {
      const [count, rememberSent] = await keyValue.transaction(() => [
        this.#outbox.put(links),
        this.#sent.put(fresh),
      ])
      count!()
      remember = rememberSent!
    } finally {
      this.#room.markEntered(fresh.length)
    }
    this.#delivery.added(charsOf(links))
    await keyValue.flush()
    remember()
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.#room.close(this.#failure)
  }
}

function closed(): ExchangeError {
  return new ExchangeError('exchange-closed', 'The exchange of links is closed')
}

function charsOf(links: readonly ForwardedLink[]): number {
  return links.reduce((sum, link) => sum + linkChars(asText(link)), 0)
}

/** Of links that lie in no outbox. */
function entryOf(ringKey: RingKey, links: readonly LinkText[]): OutboxEntry {
  return { key: entryKey(ringKey, 0), ringKey, links, step: 0, storedBytes: 0 }
}
