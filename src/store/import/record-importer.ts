// One capture of an archive into the store: what it is, whether it waits for another, what became of it.

import { WarcDamage, WarcRefusal } from '../../formats/warc/damage.ts'
import { urlOfTarget } from '../../formats/warc/page-views.ts'
import { contentOf } from '../../formats/warc/payload.ts'
import { dateOf, recordIdOf, targetUriOf } from '../../formats/warc/record.ts'
import { type Digest, digestOf, equalDigests, printDigest } from '../../model/digest.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { KeepOptions, NewCapture, Receipt } from '../capture.ts'
import type { CaptureWriter, CopyOptions } from '../capture-writer.ts'
import { parseContentKey } from '../contents/content-key.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import type { Contents } from '../contents/contents.ts'
import { type Admit, type Admitted, admittedAs } from '../copying/copying.ts'
import { earlierIn, payloadDigestIn } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import { captureIn, momentOf, recordUuidOf } from './capture-making.ts'
import { type DeltaResolver, isDelta } from './delta-resolver.ts'
import { type ImportGains, noGains } from './import-log.ts'
import type { ProblemKind, SkipReason } from './import-result.ts'
import type { RecordGroup } from './pairing.ts'
import type { ReadRecord } from './read-record.ts'

export interface Outcome {
  verdict: 'kept' | 'known' | 'damaged' | 'deferred' | SkipReason
  isMismatched?: boolean
  gains?: ImportGains
  problem?: { kind: ProblemKind; offset: number; message: string }
}

/** Other peers, who may keep a payload already, and are told of what is new. */
export interface OtherKeepers {
  /** How a payload of this URL is asked about. */
  look(url: Url): KeepOptions['elsewhere']
  /** The import goes on when this has resolved. */
  kept(receipt: Receipt): Promise<void> | void
}

export interface TakeOptions extends CopyOptions {
  others?: OtherKeepers | undefined
  /** Of copies from other peers: whether they are kept, and as imported by whom. */
  admit?: Admit | undefined
  /** Of imports: who imports, and the time after which nothing can have been captured yet. */
  import?: { readonly importedBy: string | undefined; readonly latestMs: number } | undefined
}

export class RecordImporter {
  readonly #captureWriter: CaptureWriter
  readonly #contents: Contents
  readonly #matcher: ContentMatcher
  readonly #deltas: DeltaResolver

  constructor(needs: {
    captureWriter: CaptureWriter
    contents: Contents
    matcher: ContentMatcher
    deltas: DeltaResolver
  }) {
    this.#captureWriter = needs.captureWriter
    this.#contents = needs.contents
    this.#matcher = needs.matcher
    this.#deltas = needs.deltas
  }

  /** Nothing of the group is needed after that. */
  async take(group: RecordGroup, options: TakeOptions = {}): Promise<Outcome> {
    try {
      return await this.#take(group, options)
    } catch (error) {
      return outcomeOf(error, group.main)
    } finally {
      await group.main.discard()
    }
  }

  /** Bytes without URL, of a volume of ours: put unless they are here, so that importing twice counts nothing twice. */
  async takeContent(record: ReadRecord): Promise<Outcome> {
    try {
      const { digest } = parseContentKey((targetUriOf(record) ?? '').slice('urn:'.length))
      if (this.#matcher.holding(digest) !== undefined) return { verdict: 'known' }
      if (record.verdicts.payload === 'mismatch') return mismatchedContent(record)
      const { block } = record
      const contentType = record.fields.get('Content-Type')
      const content =
        block instanceof Uint8Array
          ? block
          : { sizeBytes: block.length, digest: block.payloadDigest, chunks: () => block.chunks() }
      await this.#contents.put(content, { contentType })
      return { verdict: 'kept' }
    } catch (error) {
      return outcomeOf(error, record)
    } finally {
      await record.discard()
    }
  }

  async #take(
    group: RecordGroup,
    { others, admit, import: importing, stored, ...options }: TakeOptions,
  ): Promise<Outcome> {
    const undone = isDelta(group.main)
      ? await this.#deltas.undo(group.main)
      : { record: group.main, base: undefined }
    if (undone === undefined) return { verdict: 'deferred' }
    const main = undone.record
    const found = captureIn({ ...group, main }, { isForeign: importing !== undefined })
    const isEarly =
      typeof found !== 'string' && found.capturedAtMs > (importing?.latestMs ?? Number.POSITIVE_INFINITY)
    const capture = isEarly ? 'bad-date' : found
    if (typeof capture === 'string')
      return { verdict: capture, problem: { kind: 'refused', offset: main.offset, message: unusable(main) } }
    const { importedBy, heardAtMs }: Admitted = importing ?? admittedAs(capture, admit)
    const keep = (recordId: string | undefined) =>
      this.#captureWriter.keep(
        { ...capture, recordId, importedBy, heardAtMs, payloadDigest: options.payloadDigest },
        // What is to be marked is written anew.
        {
          ...options,
          isOurs: importing !== undefined,
          stored: importedBy === capture.importedBy ? stored : undefined,
          base: undone.base,
          elsewhere: others?.look(capture.url) ?? options.elsewhere,
        },
      )
    const first = await keep(capture.recordId)
    const other = importing === undefined ? undefined : otherPayload(main, capture, first)
    const receipt = other === undefined ? first : await keep(recordUuidOf(capture.recordId!, other))
    await others?.kept(receipt)
    const outcome: Outcome = { verdict: receipt.outcome, gains: this.#gainsOf(main, capture, receipt) }
    if (other !== undefined)
      return { ...outcome, problem: { kind: 'same-id', offset: main.offset, message: sameId(main) } }
    if (main.fields.get('WARC-Segment-Number') === '1')
      return { ...outcome, problem: { kind: 'segmented', offset: main.offset, message: segmented(main) } }
    const { verdicts } = group.main
    if (verdicts.block !== 'mismatch' && verdicts.payload !== 'mismatch') return outcome
    const wrong = verdicts.payload === 'mismatch' ? 'payload' : 'block'
    const message = `The ${wrong} digest of ${recordIdOf(main)} is not that of its bytes; kept as it is.`
    return { ...outcome, isMismatched: true, problem: { kind: 'mismatch', offset: main.offset, message } }
  }

  #gainsOf(main: ReadRecord, capture: NewCapture, { capture: kept }: Receipt): ImportGains {
    const gains = noGains()
    if (kept.content === undefined) gains.waiting.push(kept.cursor)
    else if (capture.revisit === undefined && main.verdicts.payload === 'match') {
      const declared = payloadDigestIn(main)
      const isNew = declared?.algorithm === 'sha1' && this.#matcher.digestHere(declared) === undefined
      if (isNew) gains.aliases.push({ of: declared, content: kept.content.digest })
    }
    return gains
  }
}

/** The digest of its payload, where another capture with the same record id has another one. */
function otherPayload(
  main: ReadRecord,
  capture: NewCapture,
  { outcome, capture: known }: Receipt,
): Digest | undefined {
  if (outcome !== 'known' || capture.revisit !== undefined || known.recordId !== capture.recordId)
    return undefined
  const { block } = main
  const digest =
    block instanceof Uint8Array
      ? digestOf('sha256', contentOf({ fields: main.fields, block }).payload)
      : block.payloadDigest
  return known.content === undefined || equalDigests(digest, known.content.digest) ? undefined : digest
}

function sameId(main: ReadRecord): string {
  const name = recordIdOf(main) ?? `A record of ${targetUriOf(main)} without id`
  return `${name} stands for other bytes elsewhere: both are kept.`
}

function segmented(main: ReadRecord): string {
  return `${targetUriOf(main)} was cut into segments: only the first is kept, and marked as truncated.`
}

/** What others may point at this record by. Dates of other archives are cut to the second. */
export function namesOf(record: ReadRecord): string[] {
  return names(targetUriOf(record), momentOf(record), record)
}

/** What all versions of its URL have in common. */
export function urlNamesOf(record: ReadRecord): string[] {
  const url = urlOfTarget(targetUriOf(record) ?? '')
  return url === null ? [] : [url.surt]
}

/** What this record may point at others by. */
export function pointersOf(record: ReadRecord): string[] {
  const earlier = earlierIn(record)
  return names(earlier?.url, earlier?.capturedAtMs, record)
}

function names(uri: string | undefined, ms: number | undefined, record: ReadRecord): string[] {
  const url = uri === undefined ? null : urlOfTarget(uri)
  const digest = payloadDigestIn(record)
  const found: string[] = []
  if (url !== null && ms !== undefined) found.push(`${url.surt} ${Math.floor(ms / 1000)}`)
  if (digest !== undefined) found.push(printDigest(digest))
  return found
}

/** Why no capture can be made of an answer. */
function unusable(record: ReadRecord): string {
  const url = targetUriOf(record) ?? ''
  const [name, value] =
    tryParseUrl(url) === null ? ['WARC-Target-URI', url] : ['WARC-Date', dateOf(record) ?? '']
  return `${recordIdOf(record) ?? 'A record without id'} cannot be kept: its ${name} is ${JSON.stringify(value.slice(0, 200))}.`
}

/** What is the matter of one record alone; anything else ends the import. */
function outcomeOf(error: unknown, { offset }: ReadRecord): Outcome {
  if (error instanceof WarcDamage) {
    return { verdict: 'damaged', problem: { kind: 'damage', offset, message: error.message } }
  }
  if (error instanceof StoreError && error.code === 'store-taken-down') return { verdict: 'taken-down' }
  const isRefusal = error instanceof WarcRefusal || (error instanceof StoreError && refusals.has(error.code))
  if (!isRefusal) throw error
  return { verdict: 'refused', problem: { kind: 'refused', offset, message: error.message } }
}

const refusals = new Set(['store-bad-capture', 'store-content-damaged', 'store-bad-content-key'])

function mismatchedContent({ offset }: ReadRecord): Outcome {
  const message = 'The bytes are not those of the content key that they are kept under.'
  return { verdict: 'damaged', problem: { kind: 'damage', offset, message } }
}
