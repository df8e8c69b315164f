// One capture of an archive into the store: what it is, whether it waits for another, what became of it.

import { printDigest } from '../../record/digest.ts'
import { tryParseUrl, type Url } from '../../record/url.ts'
import { WarcDamage, WarcRefusal } from '../../record/warc/damage.ts'
import { dateOf, recordIdOf, targetUriOf } from '../../record/warc/record.ts'
import type { KeepOptions, NewCapture, Receipt } from '../capture.ts'
import { parseContentKey } from '../content-key.ts'
import type { ContentMatching } from '../content-matching.ts'
import type { Contents } from '../contents.ts'
import { type Admit, importedByOf } from '../copying/copying.ts'
import type { CopyOptions, Keeping } from '../keeping.ts'
import { earlierIn, payloadDigestIn } from '../revisited.ts'
import { StoreError } from '../store-error.ts'
import { captureIn, momentOf } from './capture-making.ts'
import { type DeltaUndoing, isDelta } from './delta-undoing.ts'
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
  kept(receipt: Receipt): void
}

export interface TakeOptions extends CopyOptions {
  others?: OtherKeepers | undefined
  /** Of copies from other peers: whether they are kept, and as imported by whom. */
  admit?: Admit | undefined
  /** Of imports: who imports, and the time after which nothing can have been captured yet. */
  import?: { readonly importedBy: string | undefined; readonly latestMs: number } | undefined
}

export class RecordTaking {
  readonly #keeping: Keeping
  readonly #contents: Contents
  readonly #matching: ContentMatching
  readonly #deltas: DeltaUndoing

  constructor(needs: {
    keeping: Keeping
    contents: Contents
    matching: ContentMatching
    deltas: DeltaUndoing
  }) {
    this.#keeping = needs.keeping
    this.#contents = needs.contents
    this.#matching = needs.matching
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
      if (this.#matching.holding(digest) !== undefined) return { verdict: 'known' }
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
    const found = captureIn({ ...group, main })
    const isEarly =
      typeof found !== 'string' && found.capturedAtMs > (importing?.latestMs ?? Number.POSITIVE_INFINITY)
    const capture = isEarly ? 'bad-date' : found
    if (typeof capture === 'string')
      return { verdict: capture, problem: { kind: 'refused', offset: main.offset, message: unusable(main) } }
    const importedBy = importing === undefined ? importedByOf(capture, admit) : importing.importedBy
    const receipt = await this.#keeping.keep(
      { ...capture, importedBy, payloadDigest: options.payloadDigest },
      // What is to be marked is written anew.
      {
        ...options,
        stored: importedBy === capture.importedBy ? stored : undefined,
        base: undone.base,
        elsewhere: others?.look(capture.url) ?? options.elsewhere,
      },
    )
    others?.kept(receipt)
    const outcome: Outcome = { verdict: receipt.outcome, gains: this.#gainsOf(main, capture, receipt) }
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
      const isNew = declared?.algorithm === 'sha1' && this.#matching.digestHere(declared) === undefined
      if (isNew) gains.aliases.push({ of: declared, content: kept.content.digest })
    }
    return gains
  }
}

/** What others may point at this record by. Dates of other archives are cut to the second. */
export function namesOf(record: ReadRecord): string[] {
  return names(targetUriOf(record), momentOf(record), record)
}

/** What all versions of its URL have in common. */
export function urlNamesOf(record: ReadRecord): string[] {
  const url = tryParseUrl(targetUriOf(record) ?? '')
  return url === null ? [] : [url.surt]
}

/** What this record may point at others by. */
export function pointersOf(record: ReadRecord): string[] {
  const earlier = earlierIn(record)
  return names(earlier?.url, earlier?.capturedAtMs, record)
}

function names(uri: string | undefined, ms: number | undefined, record: ReadRecord): string[] {
  const url = uri === undefined ? null : tryParseUrl(uri)
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
  return `${recordIdOf(record)} cannot be kept: its ${name} is ${JSON.stringify(value.slice(0, 200))}.`
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
