// The store as the crawler's archive.

import type { Sighting } from '../../changes/page-state.ts'
import { type Validators, validatorsOf } from '../../crawl/fetch/conditional.ts'
import type {
  Archive,
  CrawledCapture,
  Kept,
  LastVersion,
  PageViewToKeep,
  ReadVersion,
  UntilOthers,
} from '../../crawl/visit/archive.ts'
import type { ReadyRecords } from '../../crawl/visit/page-work.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import type { RenderedPages } from '../../model/rendered-page.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { parseUuid } from '../../model/uuid.ts'
import type { Batcher } from '../../platform/batcher.ts'
import { asBytes } from '../../platform/storage/ordered-map.ts'
import type { Capture, NewCapture, Receipt } from '../../store/capture.ts'
import { equalContentKeys } from '../../store/contents/content-key.ts'
import { ArchivedRenderings } from '../../store/reading/rendered-pages.ts'
import type { MadeRecords } from '../../store/records/record-builder.ts'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'
import { type ContentsElsewhere, lookElsewhere, registerKept } from '../store/store-elsewhere.ts'

/** Later than any capture. */
const endOfTimeMs = Date.UTC(9999, 0)
/** Captures on their way to our own disk: with more, it does not keep up, and pages pile up in memory. */
const appendingMax = 64
/** Refusals in a row that are looked past for an answer. */
const refusalsMax = 16
/** Captures of other URLs with the same key that are looked past. */
const siblingsMax = 64
/** 304s in a row that are looked past for the version that they speak of. After more, the page is fetched whole again. */
const notModifiedMax = 100

export class StoreArchive implements Archive {
  readonly #store: Store
  readonly #spread: ((capture: Capture) => Promise<void>) | undefined
  readonly #elsewhere: ContentsElsewhere | undefined
  readonly #departures: Batcher<void, void> | undefined
  readonly rendered: RenderedPages
  #appending = 0

  /** `spread`: a capture counts as kept when that has resolved as well. `departures`: captures that are to be spread wait
   * for the next of these, so that several share a flush of the disk. */
  constructor(
    store: Store,
    spread?: (capture: Capture) => Promise<void>,
    elsewhere?: ContentsElsewhere,
    departures?: Batcher<void, void>,
  ) {
    this.#store = store
    this.#spread = spread
    this.#elsewhere = elsewhere
    this.#departures = departures
    this.rendered = new ArchivedRenderings(store)
  }

  /** Of a 304 the version that it speaks of: there stand the validators, and how the payload is to be read. */
  async lastVersion(url: Url): Promise<StoredVersion | undefined> {
    const newest = this.#newest(url)
    const capture = newest && (this.#spokenOf(newest, url) ?? newest)
    return capture && new StoredVersion(capture, await this.#validators(capture, url))
  }

  async keep(
    capture: CrawledCapture,
    last?: LastVersion | 'none',
    untilOthers: UntilOthers = (others) => others,
  ): Promise<Kept> {
    const { notModified, records, ...rest } = capture
    const before = last === 'none' ? undefined : (this.#captureOf(last) ?? this.#newest(capture.url))
    try {
      const elsewhere = lookElsewhere(this.#elsewhere, capture.url)
      const append = () =>
        records
          ? this.#store.append({ ...rest, ...knownOf(records) }, { stored: madeOf(records), elsewhere })
          : this.#store.append(
              notModified ? { ...rest, revisit: { kind: 'not-modified', of: notModified } } : rest,
              { elsewhere, isOurs: true },
            )
      const receipt = await this.#keptByAll(append, untilOthers)
      registerKept(this.#elsewhere, receipt)
      const { kind } = receipt.capture
      const isKnownPayload = kind === 'same' || kind === 'not-modified'
      const answered = isRefusal(receipt.capture) ? before : this.#answered(before, capture.url)
      const observed = {
        sighting: sightingOf(receipt.capture),
        before: before && before.importedBy === undefined ? sightingOf(before) : undefined,
        earlier: (afterMs: number) => this.#earlier(capture.url, afterMs),
      }
      if (answered === undefined) return { as: 'new', isKnownPayload, observed }
      const isSame = isSameContent(answered, receipt.capture) || kind === 'not-modified'
      return { as: isSame ? 'same' : 'changed', isKnownPayload, observed }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'store-taken-down')
        return { as: 'hidden', isKnownPayload: false }
      throw error
    }
  }

  async keepView(
    { page, kind, capturedAtMs, contentType, bytes }: PageViewToKeep,
    untilOthers: UntilOthers = (others) => others,
  ): Promise<boolean> {
    const url = viewUrl(page, kind)
    if (url === undefined) return false
    const view = { url, targetUri: viewTarget(page.href, kind), capturedAtMs, contentType, block: bytes }
    try {
      const { capture } = await this.#keptByAll(() => this.#store.append(view, { isOurs: true }), untilOthers)
      return capture.kind === 'same'
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store-taken-down')) throw error
      return false
    }
  }

  /** On a network nobody waits for our own disk alone: as long as it keeps up, that is done in batches, too. */
  async #keptByAll(append: () => Promise<Receipt>, untilOthers: UntilOthers): Promise<Receipt> {
    const spread = this.#spread
    if (spread === undefined) return append()
    const isBehind = this.#appending >= appendingMax
    this.#appending++
    const here = this.#appendInBatch(append).finally(() => this.#appending--)
    if (isBehind) await here
    return await untilOthers(
      here.then(async (receipt) => {
        await spread(receipt.capture)
        return receipt
      }),
    )
  }

  async #appendInBatch(append: () => Promise<Receipt>): Promise<Receipt> {
    await this.#departures?.add()
    return await append()
  }

  async read(version: LastVersion): Promise<ReadVersion> {
    const capture =
      this.#captureOf(version) ?? this.#store.nearest(parseUrl(version.url), version.capturedAtMs)
    if (capture === undefined)
      throw new StoreError('store-not-found', `${version.url} is no longer in this store.`)
    const { head = new Uint8Array(0), payload } = await this.#store.read(capture)
    const { isElsewhere, payloadBytes } = capture
    return isElsewhere
      ? { head, payload: readable(payload()), payloadBytes: undefined }
      : { head, payload: payload(), payloadBytes }
  }

  /** Whether the payload can be had; what others keep they may have lost. */
  async #isSafe({ content, isElsewhere, payloadBytes }: Capture, { ringKey }: Url): Promise<boolean> {
    if (!isElsewhere || content === undefined || this.#store.elsewhere.has(content.digest)) return true
    const wanted = { digest: content.digest, sizeBytes: payloadBytes, site: ringKey }
    return (await this.#elsewhere?.isSafe(wanted)) ?? false
  }

  /** Validators are of one URL to the letter, and say nothing where there was an error. */
  async #validators(capture: Capture, url: Url): Promise<Validators> {
    // What somebody imported says nothing of the page as it is on the web.
    if (capture.importedBy !== undefined) return {}
    if (capture.url !== url.href || capture.status !== 200 || !(await this.#isSafe(capture, url))) return {}
    try {
      const { head, isBroken } = await this.#store.read(capture)
      // Who asks for changes only would never get the rest.
      if (isBroken) return {}
      const headers = head && parseHttpHead(head)?.headers
      return headers === undefined ? {} : validatorsOf(headers)
    } catch (error) {
      // What cannot be read is fetched anew.
      if (error instanceof StoreError) return {}
      throw error
    }
  }

  #spokenOf(newest: Capture, url: Url): Capture | undefined {
    let version: Capture | undefined = newest
    for (let steps = 0; version?.kind === 'not-modified' && steps < notModifiedMax; steps++)
      version = this.#newest(url, version.capturedAtMs)
    return version?.kind !== 'not-modified' && isSameContent(version, newest) ? version : undefined
  }

  #captureOf(version: LastVersion | undefined): Capture | undefined {
    return version instanceof StoredVersion ? version.capture : undefined
  }

  /** The newest that is an answer: who was told to come later has not seen the page change by then. */
  #answered(newest: Capture | undefined, url: Url): Capture | undefined {
    let version = newest
    for (let steps = 0; version !== undefined && isRefusal(version) && steps < refusalsMax; steps++)
      version = this.#newest(url, version.capturedAtMs)
    return version !== undefined && isRefusal(version) ? undefined : version
  }

  *#earlier(url: Url, afterMs: number): Generator<Sighting> {
    for (const capture of this.#store.versions(url, { fromMs: afterMs + 1 }))
      if (capture.url === url.href && capture.importedBy === undefined) yield sightingOf(capture)
  }

  /** Of this very URL: others share its key, and are other pages. */
  #newest(url: Url, beforeMs = endOfTimeMs): Capture | undefined {
    let looks = 0
    for (const capture of this.#store.versions(url, { toMs: beforeMs, reverse: true })) {
      if (capture.url === url.href) return capture
      if (++looks === siblingsMax) break
    }
    return undefined
  }
}

export function sightingOf({
  recordId,
  capturedAtMs,
  status,
  mime,
  content,
  payloadBytes,
}: Capture): Sighting {
  return {
    id: parseUuid(recordId),
    atMs: Math.max(0, capturedAtMs),
    status,
    mime,
    digest: content?.digest,
    bytes: payloadBytes,
  }
}

function knownOf({
  recordId,
  payloadDigest,
  signature,
  logLeaf,
}: ReadyRecords): Pick<NewCapture, 'recordId' | 'payloadDigest' | 'signature' | 'logLeaf'> {
  return {
    recordId,
    payloadDigest: { algorithm: 'sha256', bytes: asBytes(payloadDigest) },
    signature,
    logLeaf: logLeaf === undefined ? undefined : asBytes(logLeaf),
  }
}

function madeOf({ bytes, mainBytes }: ReadyRecords): MadeRecords {
  return { bytes, mainBytes: () => mainBytes }
}

/** What others keep may become unreachable at any time: then the page has no links to find, and the crawl goes on. */
async function* readable(payload: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* payload
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

function isRefusal({ status }: Capture): boolean {
  return status === 429 || status === 503
}

function isSameContent(one: Capture | undefined, other: Capture): boolean {
  return (
    one?.content !== undefined && other.content !== undefined && equalContentKeys(one.content, other.content)
  )
}

/** With the capture at hand, so that nobody has to look it up again. */
class StoredVersion implements LastVersion {
  readonly capture: Capture
  readonly validators: Validators

  constructor(capture: Capture, validators: Validators) {
    this.capture = capture
    this.validators = validators
  }

  get url(): string {
    return this.capture.url
  }

  get capturedAtMs(): number {
    return this.capture.capturedAtMs
  }

  get recordId(): string {
    return this.capture.recordId
  }
}
