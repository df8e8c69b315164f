// Adds what a volume's records are about to a new index, as if they had just been written.
//
// A record that says again what another one said (a copy that a crash left behind, a refused duplicate) is dead weight.
// Adding is synchronous, inside an index change; only a delta must be read before, for its size is not in its record.

import { parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import { indexUrl } from '../../formats/http/request-query.ts'
import { decodeZstdFrame } from '../../formats/warc/compression/zstd-frame.ts'
import { contentOf, holdsHttp } from '../../formats/warc/payload.ts'
import { dateOf, revisitTargetOf, targetUriOf, typeOf } from '../../formats/warc/record.ts'
import type { CaptureKind } from '../../model/capture-json.ts'
import { equalDigests, parseDigest } from '../../model/digest.ts'
import { parseWarcDate } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import { parseUuid } from '../../model/uuid.ts'
import type { EarlierCapture } from '../capture.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import { type ContentKey, parseContentKey } from '../contents/content-key.ts'
import { type ContentLoader, deltaBytesMax } from '../contents/content-loader.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { recordUuid } from '../import/capture-making.ts'
import { captureKey, serialMax, urlPrefix } from '../index/capture-key.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import { newContentEntry } from '../index/content-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { Location } from '../index/location.ts'
import { remarkedInSecond } from '../index/same-second.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { mimeOf } from '../reading/answer-facts.ts'
import type { CaptureFinder } from '../reading/capture-finder.ts'
import { isMarkedForCaptures } from '../records/capture-content-mark.ts'
import { importedByIn, isImportedRevisit } from '../records/import-mark.ts'
import { filedUrl, isMarkedRequest } from '../records/request-mark.ts'
import { earlierIn, namedCapture, payloadDigestIn, revisitedOf } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import type { WalkedRecord, WalkItem } from './volume-walk.ts'

export type Group = Extract<WalkItem, { kind: 'group' }>

/** A delta undone, as far as the index must know. */
interface DeltaFacts {
  base: ContentKey
  sizeBytes: number
  isDamaged: boolean
}

interface Needs {
  index: StoreIndex
  ledger: Ledger
  finder: CaptureFinder
  matcher: ContentMatcher
  loader: ContentLoader
  digest: ContentDigest
}

export class GroupAdding {
  readonly #needs: Needs
  readonly #refilesRequests: boolean
  /** Where captures are filed now that earlier versions filed as GETs, by record id: others name them by the URL alone. */
  readonly #refiled = new Map<string, string>()

  constructor(needs: Needs, { refilesRequests = false } = {}) {
    this.#needs = needs
    this.#refilesRequests = refilesRequests
  }

  get refiled(): number {
    return this.#refiled.size
  }

  isDelta({ record }: Group): boolean {
    return revisitTargetOf(record)?.kind === 'delta-zstd'
  }

  /** undefined while its base is not in the index. */
  async deltaFacts({ record }: Group): Promise<DeltaFacts | undefined> {
    const { finder, loader, digest } = this.#needs
    const earlier = this.#earlierIn(record)
    const base = earlier && namedCapture(finder, earlier)?.content
    if (base === undefined || !loader.has(base)) return undefined
    try {
      const frame = contentOf({ version: '1.1', fields: record.fields, block: record.block! }).payload
      const bytes = decodeZstdFrame(
        Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength),
        deltaBytesMax,
        await loader.bytes(base),
      )
      const isDamaged = !equalDigests(
        digest.of(bytes),
        parseDigest(record.fields.get('WARC-Payload-Digest')!),
      )
      return { base, sizeBytes: bytes.length, isDamaged }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      // Whatever is wrong with it or its base, the scrub will say so again.
      return { base, sizeBytes: 0, isDamaged: true }
    }
  }

  /** Inside an index change. Gives the bytes that live now: 0 when it is nothing, or nothing new. */
  add(group: Group, volume: number, delta?: DeltaFacts): number {
    const { record, companionBytes } = group
    const location = { volume, offset: record.offset, length: record.length }
    const target = targetUriOf(record) ?? ''
    if (typeOf(record) === 'resource' && target.startsWith('urn:sha256:'))
      return this.#addContent(group, location, target)
    const url = this.#urlOf(group)
    const kind = kindOf(record)
    if (url === null || kind === undefined) return 0
    if (!this.#addCapture(group, location, url, kind, delta)) return 0
    if (url.href !== filedUrl(record)?.href) this.#refiled.set(recordUuid(record), url.href)
    return record.length + companionBytes
  }

  /** Earlier versions did not mark what was no GET: its request tells. */
  #urlOf({ record, requestQuery }: Group): Url | null {
    const url = filedUrl(record)
    if (url === null || requestQuery === undefined || !this.#refilesRequests) return url
    return isMarkedRequest(record) ? url : indexUrl(url, requestQuery)
  }

  #earlierIn(record: WalkedRecord): EarlierCapture | undefined {
    const earlier = earlierIn(record)
    const refiled = this.#refiled.get(earlier?.recordId ?? '')
    return earlier && refiled !== undefined ? { ...earlier, url: refiled } : earlier
  }

  /** A content by itself. How often it was put is not known: it counts as once. One that nobody put has no references
   * until captures are found that need it. */
  #addContent({ record, checksum }: Group, location: Location, target: string): number {
    const { index, ledger, matcher } = this.#needs
    let key: ContentKey
    try {
      key = parseContentKey(target.slice('urn:'.length))
    } catch (error) {
      if (error instanceof StoreError) return 0
      throw error
    }
    const isDamaged = !equalDigests(record.payloadDigest, key.digest)
    const isForCaptures = isMarkedForCaptures(record)
    const known = index.content(key)
    if (known !== undefined) {
      if (key.overflow === 0) return this.#addAgain(key, known, isForCaptures)
      key = matcher.free(key.digest)
    }
    const sizeBytes = isDamaged ? 0 : record.payloadBytes
    const count = isForCaptures ? 0 : 1
    const entry = { ...newContentEntry(location, sizeBytes), isDamaged }
    ledger.addContent(key, { ...entry, references: count, puts: count, checksum })
    if (!isForCaptures) ledger.countPut(sizeBytes)
    return location.length
  }

  /** A second record of a content. What nothing needed was dead when this was written, if it is a put. */
  #addAgain(key: ContentKey, known: ContentEntry, isForCaptures: boolean): 0 {
    const { ledger } = this.#needs
    if (!isForCaptures && known.references === 0) {
      ledger.addReference(key, { isPut: true })
      ledger.countPut(known.sizeBytes)
    }
    return 0
  }

  #addCapture(
    group: Group,
    location: Location,
    url: Url,
    kind: CaptureKind,
    delta: DeltaFacts | undefined,
  ): boolean {
    const { index, ledger } = this.#needs
    const { record, companionBytes, checksum } = group
    const recordId = parseUuid(recordUuid(record))
    if (index.record(recordId) !== undefined) return false
    const key = this.#freeKey(url, parseWarcDate(dateOf(record)!))
    if (key === undefined) return false
    const isHolder = kind === 'full' || kind === 'plain' || kind === 'delta'
    const revisited = isHolder
      ? undefined
      : revisitedOf(this.#needs, this.#earlierIn(record), payloadDigestIn(record))
    const elsewhere = isHolder ? undefined : payloadElsewhere(record)
    const named = elsewhere ? { digest: elsewhere.digest, overflow: 0 } : revisited?.content
    const held = isHolder ? this.#ownContent(record) : named
    const entry = remarkedInSecond(index, key, {
      kind,
      location,
      companionBytes,
      ...facts(record, revisited?.original?.mime),
      content: held,
      payloadBytes:
        elsewhere?.sizeBytes ??
        (held === undefined
          ? 0
          : (delta?.sizeBytes ?? index.content(held)?.sizeBytes ?? record.payloadBytes)),
      recordId,
      url: url.href,
      checksum,
      isElsewhere: elsewhere !== undefined,
      importedBy: importedByIn(record),
      isHidden: false,
      isLater: false,
      isImportedRevisit: isImportedRevisit(record),
      heardAtMs: undefined,
    })
    if (isHolder) this.#addOwnContent(held!, location, record, delta)
    else if (held === undefined) index.waiting.put(key, Buffer.from([0]))
    else if (elsewhere === undefined) ledger.addReference(held)
    ledger.addCapture(key, entry)
    return true
  }

  /** Of a payload that another record holds as well: kept twice on purpose, or because two contents share a digest. */
  #ownContent(record: WalkedRecord): ContentKey {
    return this.#needs.matcher.free(payloadDigestIn(record) ?? record.payloadDigest)
  }

  #addOwnContent(
    key: ContentKey,
    location: Location,
    record: WalkedRecord,
    delta: DeltaFacts | undefined,
  ): void {
    const { index, ledger } = this.#needs
    const isDamaged = delta?.isDamaged ?? !equalDigests(record.payloadDigest, key.digest)
    const entry = { ...newContentEntry(location, delta?.sizeBytes ?? record.payloadBytes), isDamaged }
    const depth = delta === undefined ? 0 : index.content(delta.base)!.depth + 1
    ledger.addContent(key, { ...entry, base: delta?.base, depth })
  }

  /** undefined when there are too many of this moment. */
  #freeKey(url: Url, capturedAtMs: number): Buffer | undefined {
    const prefix = urlPrefix(url.ringKey, url.surt)
    for (let serial = 0; serial <= serialMax; serial++) {
      const key = captureKey(prefix, capturedAtMs, serial)
      if (this.#needs.index.capture(key) === undefined) return key
    }
    return undefined
  }
}

function kindOf(record: WalkedRecord): CaptureKind | undefined {
  switch (typeOf(record)) {
    case 'response':
      return 'full'
    case 'resource':
      return 'plain'
    case 'revisit': {
      const kind = revisitTargetOf(record)!.kind
      return kind === 'delta-zstd' ? 'delta' : kind === 'server-not-modified' ? 'not-modified' : 'same'
    }
    default:
      return undefined
  }
}

function facts(record: WalkedRecord, originalMime: string | undefined): { status: number; mime: string } {
  if (!holdsHttp(record)) return { status: 0, mime: mimeOf(record.fields.get('Content-Type')) }
  const head = parseHttpHead(record.head)
  const mime = mimeOf(head?.headers.get('Content-Type'))
  const status = head === undefined ? 0 : (parseStatusLine(head.startLine)?.status ?? 0)
  return { status, mime: mime || (status === 304 || status === 0 ? (originalMime ?? '') : '') }
}
