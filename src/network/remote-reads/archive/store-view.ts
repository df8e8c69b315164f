// The store as a view of the network: the same captures, with cursors that every peer understands (network-cursor.ts).
//
// Captures of one URL and millisecond come in the order of their record ids, as on every other peer.

import { type RingKey, ringKeyOfSite } from '../../../model/ring-key.ts'
import { hasSitesUnder, siteOf } from '../../../model/url/site.ts'
import { parseUrl, type Url } from '../../../model/url/url.ts'
import type { Capture } from '../../../store/capture.ts'
import { parseCaptureKey } from '../../../store/index/capture-key.ts'
import type { Answer } from '../../../store/reading/answer.ts'
import type { Selection } from '../../../store/reading/capture-finder.ts'
import type { Store } from '../../../store/store.ts'
import { ReadingError } from '../reading-error.ts'
import type { ListOptions, LocalView, NetworkCapture, SiteSelection, ViewSelection } from '../view.ts'
import { type CursorPlace, cursorPlace, isOfMoment, networkCursor } from './network-cursor.ts'

/** Sites that lie at several places of the ring. */
export interface ReadingSplits {
  isSplitWithin(from: RingKey, upTo: RingKey): boolean
  /** Where parts of the site may lie, or of the next ones that are split, when it is not. */
  placesNear(key: RingKey, sitesMax: number): readonly RingKey[]
}

type ListRequest = ListOptions & { readonly limit?: number | undefined }

export class StoreView implements LocalView {
  readonly #store: Store
  readonly #isComplete: (key: RingKey) => boolean
  readonly #splits: ReadingSplits | undefined
  readonly #tellUnsure: (capture: Capture) => void
  /** Of what was listed here: readers mostly read what they have just been given. */
  readonly #own = new WeakMap<object, Capture>()

  constructor(needs: {
    store: Store
    isComplete(key: RingKey): boolean
    splits?: ReadingSplits | undefined
    /** Told of one of several captures of a second that came as copies: which was the first may not be known yet. */
    tellUnsure?(capture: Capture): void
  }) {
    this.#store = needs.store
    this.#isComplete = (key) => needs.isComplete(key)
    this.#splits = needs.splits
    this.#tellUnsure = (capture) => needs.tellUnsure?.(capture)
  }

  /** Of a site that lies at several places nobody is sure to have all. */
  isComplete(selection: ViewSelection): boolean {
    if (selection.kind === 'arc') return this.#isCompleteWithin(selection.from, selection.upTo)
    // Its sites lie all over the ring.
    if (selection.kind === 'site' && hasSitesUnder(selection.site)) return false
    return this.isCompleteAt(keyOf(selection))
  }

  isCompleteAt(key: RingKey): boolean {
    return this.#isCompleteWithin(key, key)
  }

  #isCompleteWithin(from: RingKey, upTo: RingKey): boolean {
    return !this.#splits?.isSplitWithin(from, upTo) && this.#isComplete(from) && this.#isComplete(upTo)
  }

  list(selection: ViewSelection, options: ListRequest = {}): Iterable<NetworkCapture> {
    if (selection.kind === 'url') return this.versions(parseUrl(selection.url), options)
    const { fromMs, toMs } = options
    const after = options.after === undefined ? undefined : cursorPlace(options.after)
    const start = after?.moment.toString('base64url')
    return this.#listed(
      this.#store.scan(storeSelection(selection), { fromMs, toMs, after: start }),
      options,
      after,
    )
  }

  versions(url: Url, options: ListRequest = {}): Iterable<NetworkCapture> {
    const { reverse = false } = options
    const after = options.after === undefined ? undefined : cursorPlace(options.after)
    // The index finds a time by itself, forward and back.
    const range = narrowed(options, after, reverse)
    return this.#listed(this.#store.versions(url, { ...range, reverse }), options, after)
  }

  /** `captures`: from the moment of `after` on. */
  *#listed(
    captures: Iterable<Capture>,
    { reverse = false, limit = Number.POSITIVE_INFINITY }: ListRequest,
    after: CursorPlace | undefined,
  ): Generator<NetworkCapture> {
    let left = limit
    if (left <= 0) return
    for (const capture of inNetworkOrder(captures, reverse)) {
      const listed = { ...capture, cursor: networkCursor(capture) }
      if (after !== undefined && !isBehind(listed, after, reverse)) continue
      if (capture.isLater && capture.heardAtMs !== undefined) this.#tellUnsure(capture)
      this.#own.set(listed, capture)
      yield listed
      if (--left <= 0) return
    }
  }

  /** The store's own of a capture that was listed, by whomever. */
  ownOf(listed: NetworkCapture): Capture | undefined {
    return this.#own.get(listed) ?? this.find(listed.cursor)
  }

  /** The store's own, by the network's cursor. */
  find(cursor: string): Capture | undefined {
    const place = cursorPlace(cursor)
    for (const capture of this.#store.scan({ kind: 'all' }, { after: place.moment.toString('base64url') })) {
      if (!isOfMoment(capture, place)) return undefined
      if (capture.recordId === place.recordId) return capture
    }
    return undefined
  }

  async read(cursor: string): Promise<Answer> {
    return this.#store.read(this.#found(cursor))
  }

  async records(cursor: string, isWhole: boolean): Promise<AsyncIterable<Uint8Array>> {
    const copy = await this.#store.give(this.#found(cursor).cursor, { isWhole })
    if (copy === undefined) throw notHere()
    return copy instanceof Uint8Array ? once(copy) : copy
  }

  #found(cursor: string): Capture {
    const capture = this.find(cursor)
    if (capture === undefined) throw notHere()
    return capture
  }
}

function* inNetworkOrder(captures: Iterable<Capture>, reverse: boolean): Generator<Capture> {
  let moment: Capture[] = []
  for (const capture of captures) {
    const [first] = moment
    if (first !== undefined && (first.capturedAtMs !== capture.capturedAtMs || first.surt !== capture.surt)) {
      yield* ordered(moment, reverse)
      moment = []
    }
    moment.push(capture)
  }
  yield* ordered(moment, reverse)
}

function ordered(moment: Capture[], reverse: boolean): Capture[] {
  if (moment.length === 1) return moment
  return moment.sort((one, other) => (one.recordId < other.recordId !== reverse ? -1 : 1))
}

function isBehind({ cursor }: NetworkCapture, after: CursorPlace, reverse: boolean): boolean {
  const order = Buffer.compare(Buffer.from(cursor, 'base64url'), after.bytes)
  return reverse ? order < 0 : order > 0
}

/** The time that is left behind a place in the versions of a URL. */
function narrowed(
  { fromMs, toMs }: ListOptions,
  after: CursorPlace | undefined,
  reverse: boolean,
): { fromMs?: number | undefined; toMs?: number | undefined } {
  if (after === undefined) return { fromMs, toMs }
  const { capturedAtMs } = parseCaptureKey(Buffer.concat([after.moment, Buffer.alloc(1)]))
  return reverse
    ? { fromMs, toMs: Math.min(toMs ?? Number.POSITIVE_INFINITY, capturedAtMs + 1) }
    : { fromMs: Math.max(fromMs ?? Number.NEGATIVE_INFINITY, capturedAtMs), toMs }
}

function storeSelection(selection: Exclude<ViewSelection, { kind: 'url' }>): Selection {
  if (selection.kind !== 'arc') return selection
  const { from, upTo, domain } = selection
  return { kind: 'ring', from, to: keyAfter(upTo), domain }
}

/** undefined behind the ring's last key. */
function keyAfter(key: RingKey): RingKey | undefined {
  const next = (BigInt(`0x${key}`) + 1n).toString(16).padStart(key.length, '0')
  return next.length > key.length ? undefined : (next as RingKey)
}

function keyOf(selection: SiteSelection): RingKey {
  switch (selection.kind) {
    case 'site':
      return ringKeyOfSite(siteOf(selection.site))
    case 'host':
      return ringKeyOfSite(siteOf(selection.host))
    default:
      return parseUrl(selection.url).ringKey
  }
}

function notHere(): ReadingError {
  return new ReadingError('reading-unavailable', 'That capture is not kept here')
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
