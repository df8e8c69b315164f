// Network view: reads captures that any peer of the network keeps.
//
// The holders of a site are asked: the nearest first, the next one when that is slow, fails, or sends wrong bytes. When a holder
// says that it may lack some captures, the others are asked, too, and former holders. So they are when it is new in the network:
// an attacker that surrounds a site with new peers must not be able to hide it. Where only new peers claim to be complete, and
// not all others could be asked, the list is marked as partial. Lists are merged from two holders at least, since a single one
// could hide what others keep. Which of two captures of one second was the first is what most holders say:
// first-capture-votes.ts.
// Invariants: a payload is delivered whole only if its digest is that of the capture; memory is bounded: lists come in pages,
// large payloads in pieces, and small ones are remembered up to `cacheBytes`.
// Leaves to the caller: its own store, and which peers hold what (the ring).

import { hash } from 'node:crypto'
import { messagePiece } from '../../formats/wire/message-piece.ts'
import type { Decoder } from '../../formats/wire/message-schema.ts'
import { ownBytes } from '../../formats/wire/own-bytes.ts'
import type { CaptureRecord } from '../../model/archive.ts'
import { digestHex } from '../../model/digest.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyOfSite } from '../../model/ring-key.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { hasSitesUnder, siteOf } from '../../model/url/site.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { CallFailed } from '../../platform/calls/call-errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { FirstCaptureVotes } from './first-capture-votes.ts'
import { type Answers, type Asking, answersOf, unavailable } from './hedged-answers.ts'
import { isOfPeers, largePayload, type Source } from './large-payload.ts'
import { mergedLists } from './merged-lists.ts'
import { PeerSpeeds } from './peer-speeds.ts'
import { ReadingError } from './reading-error.ts'
import { type History, partOf, VersionListCache } from './version-list-cache.ts'
import type { ListOptions, NetworkCapture, SiteSelection, ViewSelection } from './view.ts'
import {
  type CaptureList,
  captureList,
  listMax,
  type Opened,
  openedPayload,
  type ReadRequest,
  readRequest,
} from './wire/questions.ts'

export interface Holders {
  /** Who keeps the captures at a place of the ring, best first. */
  readonly peers: readonly PeerId[]
  /** They keep those up to here, too. Before the place when that is behind the ring's end; undefined when it is not known. */
  readonly upTo: RingKey | undefined
}

export interface NetworkViewNeeds {
  readonly clock: Clock
  readonly calls: Pick<CallService, 'call'>
  holders(key: RingKey): Promise<Holders>
  /** Who may have it besides, when none of the holders is sure to have everything: former ones, say. */
  further?(key: RingKey): readonly PeerId[]
  /** It joined the network only recently. */
  isNewcomer?(peer: PeerId): boolean
  /** By its place it may have a copy: it is among the nearest. */
  mayKeep?(peer: PeerId, key: RingKey): boolean
  /** How many peers there are, ourselves included. */
  peerCount?(): number
  /** How long a message there and back takes, where that is known. */
  roundTripMs?(peer: PeerId): number | undefined
  /** A list may lack captures of a peer that did not answer. Called before that part of the list is given. */
  whenPartial?(): void
  /** Its bytes were not what it said. */
  reportWrong?(peer: PeerId, capture: NetworkCapture): void
}

export interface NetworkViewOptions {
  answerMs: number
  /** After so long the next holder is asked, too (hedging). */
  patienceMs: number
  /** When no holder claims to be complete: how long the others are waited for after the first answer. */
  graceMs: number
  cacheBytes: number
  /** Payloads up to this size are verified before their first byte is given. */
  heldBytesMax: number
}

const optionsDefault: NetworkViewOptions = {
  answerMs: 10_000,
  patienceMs: 400,
  graceMs: 2_000,
  cacheBytes: 64 * 1024 * 1024,
  heldBytesMax: 4 * 1024 * 1024,
}

/** Holders that must say that a list is complete, where there are so many: a single one could deny what the others keep. */
const opinions = 2

export interface ListRequest extends ListOptions {
  readonly limit?: number | undefined
  /** Fails when a peer that may have more did not answer, instead of giving a partial list. */
  readonly isWhole?: boolean | undefined
}

interface Page extends CaptureList {
  readonly isPartial: boolean
}

export class NetworkView {
  readonly #needs: NetworkViewNeeds
  readonly #options: NetworkViewOptions
  /** Verified, by record id: a capture never changes. */
  readonly #lately: LruCache<string, Opened>
  readonly #histories: VersionListCache
  readonly #speeds: PeerSpeeds
  /** Which captures of one second were the first. */
  readonly votes: FirstCaptureVotes

  constructor(needs: NetworkViewNeeds, options: Partial<NetworkViewOptions> = {}) {
    this.#needs = needs
    this.#options = { ...optionsDefault, ...options }
    this.#lately = new LruCache({ bytesMax: this.#options.cacheBytes, sizeOf: sizeOfOpened })
    this.#histories = new VersionListCache(needs)
    this.#speeds = new PeerSpeeds({ clock: needs.clock, roundTripMs: (peer) => needs.roundTripMs?.(peer) })
    this.votes = new FirstCaptureVotes({
      clock: needs.clock,
      waitMs: this.#options.graceMs,
      patienceMs: this.#options.patienceMs,
      holders: (key) => needs.holders(key),
      further: (key) => (needs.further?.(key) ?? []).filter((peer) => needs.mayKeep?.(peer, key) ?? false),
      ask: (peer, question) => this.#call(peer, question, captureList),
    })
  }

  /** Oldest first, or newest first with `reverse`; as they were a moment ago. */
  async *versions(
    url: Url,
    request: TimeRange & { reverse?: boolean | undefined; limit?: number | undefined } = {},
  ): AsyncGenerator<NetworkCapture> {
    const selection = { kind: 'url', url: url.href } as const
    const history = await this.#histories.of(url.surt, () => this.#history(url.ringKey, selection))
    if (history === undefined) return yield* this.list(selection, request)
    if (history.isPartial) this.#needs.whenPartial?.()
    yield* partOf(history.captures, request, request)
  }

  /** In the order of the view, a page at a time; a page may come from another peer than the one before. */
  async *list(selection: SiteSelection, request: ListRequest = {}): AsyncGenerator<NetworkCapture> {
    if (selection.kind === 'site' && hasSitesUnder(selection.site)) {
      return yield* this.all(request, selection.site)
    }
    const key = ringKeyOfSite(siteSelected(selection))
    let left = request.limit ?? Number.POSITIVE_INFINITY
    let { after } = request
    while (left > 0) {
      const { captures, isCut, isPartial } = await this.#page(key, selection, {
        ...request,
        after,
        limit: left,
      })
      if (isPartial) this.#needs.whenPartial?.()
      yield* captures
      left -= captures.length
      after = captures.at(-1)?.cursor
      if (!isCut || after === undefined) return
    }
  }

  /** Everything that anybody keeps, round the ring; of one domain, when that is given. */
  async *all(request: Omit<ListRequest, 'reverse'> = {}, domain?: string): AsyncGenerator<NetworkCapture> {
    let left = request.limit ?? Number.POSITIVE_INFINITY
    let { after } = request
    let from = after === undefined ? firstKey : keyOfCursor(after)
    while (left > 0) {
      const { upTo } = await this.#needs.holders(from)
      if (upTo === undefined) throw unavailable(new Error('the ring cannot be walked now'))
      const isLast = upTo < from
      const selection = { kind: 'arc', from, upTo: isLast ? lastKey : upTo, domain } as const
      const { captures, isCut, isPartial } = await this.#page(from, selection, {
        ...request,
        after,
        limit: left,
      })
      if (isPartial) this.#needs.whenPartial?.()
      yield* captures
      left -= captures.length
      const last = captures.at(-1)
      if (isCut && last !== undefined) {
        after = last.cursor
        from = keyOfCursor(after)
      } else if (isLast || upTo === lastKey) return
      else from = keyAfter(upTo)
    }
  }

  /** `without`: who is not to be asked. */
  async read(capture: NetworkCapture, without: readonly PeerId[] = []): Promise<CaptureRecord> {
    const lately = this.#lately.get(capture.recordId)
    if (lately !== undefined) return { ...lately, payload: () => once(lately.piece) }
    const peers = (await this.#everyHolder(capture)).filter((peer) => !without.includes(peer))
    const { peer, opened } = await this.#openRight(peers, capture)
    const { head, sizeBytes, piece, session } = opened
    if (session !== undefined) {
      const asking = this.#askingFor(peers, capture)
      const payload = () => largePayload(asking, { peer, opened }, capture.content?.digest)
      return { head, sizeBytes, payload }
    }
    this.#lately.set(capture.recordId, { ...opened, head: head && ownBytes(head), piece: ownBytes(piece) })
    return { head, sizeBytes, payload: () => once(piece) }
  }

  /** The capture's records, from the first whose bytes are taken: `take` gives undefined for what is wrong. */
  async records<T>(
    capture: NetworkCapture,
    { isWhole, without = [] }: { isWhole: boolean; without?: readonly PeerId[] },
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<T | undefined>,
  ): Promise<T> {
    const peers = (await this.#everyHolder(capture)).filter((peer) => !without.includes(peer))
    const tried = new Set<PeerId>()
    for (let failure: unknown; ; ) {
      const rest = peers.filter((peer) => !tried.has(peer))
      if (rest.length === 0) throw failure ?? unavailable(undefined)
      const question = { kind: 'records', cursor: capture.cursor, isWhole } as const
      const { peer, answer } = await this.#first(rest, question, openedPayload)
      tried.add(peer)
      try {
        const taken = await take(this.#pieces({ peer, opened: answer }))
        if (taken !== undefined) return taken
        failure = this.#wrong(peer, capture)
      } catch (error) {
        if (!isOfPeers(error)) throw error
        failure = error
      }
    }
  }

  async #history(key: RingKey, selection: SiteSelection): Promise<History> {
    const { captures, isCut, isPartial } = await this.#page(key, selection, { limit: listMax })
    return isCut ? undefined : { captures, isPartial }
  }

  async #page(
    key: RingKey,
    selection: ViewSelection,
    { isWhole = false, ...request }: ListRequest & { limit: number },
  ): Promise<Page> {
    const options = { ...request, limit: Math.min(request.limit, listMax) }
    const question = { kind: 'list', selection, options } as const
    const isNewcomer = (peer: PeerId): boolean => this.#needs.isNewcomer?.(peer) ?? false
    const isEnough = ({ isComplete }: CaptureList, peer: PeerId): boolean => isComplete && !isNewcomer(peer)
    const { peers } = await this.#needs.holders(key)
    // A full listing waits for every holder; there is no timeout.
    const patient = { graceMs: this.#options.answerMs, isDoubtful: () => false }
    const near = await this.#answers(
      trustedFirst(this.#speeds.inOrder(peers), isNewcomer),
      question,
      captureList,
      isEnough,
      { ...(isWhole && patient), enoughMin: opinions },
    )
    const all = near.isEnough ? near : await this.#withFurther(near, key, peers, question)
    const merged = mergedLists(
      all.asked.map(({ answer }) => answer),
      options,
    )
    // A silent holder may have it: so the answer is not "not archived", but "there may be more".
    const isSomething = merged.captures.length > 0 || request.after !== undefined
    const isDoubtful = !all.isEnough && (all.failure !== undefined || this.#restsOnNewcomers(all, isNewcomer))
    const isKnown = !isDoubtful || (isSomething && !isWhole)
    if (!isKnown || all.asked.length === 0) throw unavailable(all.failure)
    return { ...merged, captures: await this.votes.markFirst(merged.captures), isPartial: isDoubtful }
  }

  /** Only new peers claim to be complete, and a peer that may have more was not asked. */
  #restsOnNewcomers({ asked }: Answers<CaptureList>, isNewcomer: (peer: PeerId) => boolean): boolean {
    const isClaimed = asked.some(({ peer, answer }) => answer.isComplete && isNewcomer(peer))
    return isClaimed && asked.length < (this.#needs.peerCount?.() ?? 0)
  }

  async #withFurther(
    near: Answers<CaptureList>,
    key: RingKey,
    peers: readonly PeerId[],
    question: ReadRequest,
  ): Promise<Answers<CaptureList>> {
    const further = (this.#needs.further?.(key) ?? []).filter((peer) => !peers.includes(peer))
    const far = await this.#answers(further, question, captureList, () => false, {
      waitMs: this.#options.graceMs,
    })
    return { asked: [...near.asked, ...far.asked], isEnough: false, failure: near.failure }
  }

  async #everyHolder({ url }: NetworkCapture): Promise<PeerId[]> {
    const { ringKey } = parseUrl(url)
    const { peers } = await this.#needs.holders(ringKey)
    const further = this.#needs.further?.(ringKey) ?? []
    return [...new Set([...this.#speeds.inOrder(peers), ...this.#speeds.inOrder(further)])]
  }

  /** Payloads of one piece are verified before they are given out. */
  async #openRight(holders: readonly PeerId[], capture: NetworkCapture): Promise<Source> {
    const tried = new Set<PeerId>()
    for (;;) {
      const source = await this.#open(holders, capture, tried)
      if (source.opened.session !== undefined || isOf(capture, source.opened.piece)) return source
      const error = this.#wrong(source.peer, capture)
      tried.add(source.peer)
      if (tried.size === holders.length) throw error
    }
  }

  #askingFor(holders: readonly PeerId[], capture: NetworkCapture): Parameters<typeof largePayload>[0] {
    return {
      heldBytesMax: this.#options.heldBytesMax,
      pieces: (source) => this.#pieces(source),
      openElsewhere: (tried) => this.#open(holders, capture, tried),
      wrong: (peer) => this.#wrong(peer, capture),
    }
  }

  async *#pieces({ peer, opened }: Source): AsyncGenerator<Uint8Array> {
    yield opened.piece
    const { session } = opened
    if (session === undefined) return
    for (let number = 1; ; number++) {
      const { bytes, isLast } = await this.#call(peer, { kind: 'piece', session, number }, messagePiece)
      yield bytes
      if (isLast) return
    }
  }

  async #open(
    holders: readonly PeerId[],
    { cursor }: NetworkCapture,
    tried: ReadonlySet<PeerId>,
  ): Promise<Source> {
    const peers = holders.filter((peer) => !tried.has(peer))
    const { peer, answer } = await this.#first<Opened>(peers, { kind: 'open', cursor }, openedPayload)
    return { peer, opened: answer }
  }

  #wrong(peer: PeerId, capture: NetworkCapture): ReadingError {
    this.#speeds.noteFailure(peer)
    this.#needs.reportWrong?.(peer, capture)
    return new ReadingError('reading-damaged', `${capture.url} was not given as it was captured`)
  }

  async #first<T>(peers: readonly PeerId[], question: ReadRequest, decoder: Decoder<T>) {
    const { asked, failure } = await this.#answers(peers, question, decoder, () => true)
    if (asked[0] === undefined) throw unavailable(failure)
    return asked[0]
  }

  #answers<T>(
    peers: readonly PeerId[],
    question: ReadRequest,
    decoder: Decoder<T>,
    isEnough: (answer: T, peer: PeerId) => boolean,
    more: Partial<Asking<T>> = {},
  ): Promise<Answers<T>> {
    const ask = (peer: PeerId, signal: AbortSignal): Promise<T> => this.#call(peer, question, decoder, signal)
    const isDoubtful = (peer: PeerId): boolean => this.#speeds.hasFailed(peer)
    return answersOf(this.#needs, peers, { ...this.#options, isEnough, isDoubtful, ask, ...more })
  }

  async #call<T>(peer: PeerId, question: ReadRequest, decoder: Decoder<T>, signal?: AbortSignal): Promise<T> {
    const { clock, calls } = this.#needs
    const options = { deadlineMs: this.#options.answerMs, signal, channel: 'bulk' } as const
    const startMs = clock.monotonicMs()
    try {
      const answer = decoder.decode(await calls.call(peer, readRequest.encode(question), options))
      this.#speeds.noteAnswer(peer, clock.monotonicMs() - startMs)
      return answer
    } catch (error) {
      const waitedMs = clock.monotonicMs() - startMs
      // A peer that answers "not here" works. One that lost to a faster peer has failed only if it kept us waiting.
      if (error instanceof CallFailed) this.#speeds.noteAnswer(peer, waitedMs)
      else if (!signal?.aborted || waitedMs > this.#options.patienceMs) this.#speeds.noteFailure(peer)
      throw error
    }
  }
}

function trustedFirst(peers: readonly PeerId[], isNewcomer: (peer: PeerId) => boolean): PeerId[] {
  return [...peers.filter((peer) => !isNewcomer(peer)), ...peers.filter(isNewcomer)]
}

const firstKey = '0'.repeat(2 * ringKeyBytes) as RingKey
const lastKey = 'f'.repeat(2 * ringKeyBytes) as RingKey

function keyAfter(key: RingKey): RingKey {
  return (BigInt(`0x${key}`) + 1n).toString(16).padStart(2 * ringKeyBytes, '0') as RingKey
}

function keyOfCursor(cursor: string): RingKey {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length < ringKeyBytes) throw new ReadingError('reading-bad-cursor', 'That is no place in a list')
  return ringKeyFromBytes(bytes.subarray(0, ringKeyBytes))
}

function isOf({ content }: NetworkCapture, payload: Uint8Array): boolean {
  return content === undefined || hash('sha256', payload, 'hex') === digestHex(content.digest)
}

function siteSelected(selection: SiteSelection): ReturnType<typeof siteOf> {
  if (selection.kind === 'site') return siteOf(selection.site)
  return selection.kind === 'host' ? siteOf(selection.host) : parseUrl(selection.url).site
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function sizeOfOpened({ head, piece }: Opened): number {
  return (head?.length ?? 0) + piece.length
}
