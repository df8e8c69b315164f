// Enters captures into the index, with their contents: once each, and only what still holds when its bytes are safe.
//
// A capture that is there already, and one that rests on what has gone meanwhile, is refused before anything is changed.

import type { CaptureKind } from '../model/capture-json.ts'
import { equalDigests } from '../model/digest.ts'
import type { Url } from '../model/url/url.ts'
import { parseUuid, printUuid } from '../model/uuid.ts'
import { type Capture, captureOf, type NewCapture } from './capture.ts'
import { type ContentKey, equalContentKeys } from './contents/content-key.ts'
import type { CaptureEntry } from './index/capture-entry.ts'
import { captureKey, serialMax, urlPrefix } from './index/capture-key.ts'
import { newContentEntry } from './index/content-entry.ts'
import type { CaptureLeafQueue } from './index/leaf-queue.ts'
import type { Ledger } from './index/ledger.ts'
import type { WrittenLocation } from './index/location.ts'
import { capturesOfSecond, markedInSecond, type SecondCaptures, settleSecond } from './index/same-second.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { AnswerFacts } from './reading/answer-facts.ts'
import type { MainRecord } from './records/record-builder.ts'
import { StoreError } from './store-error.ts'
import type { Takedowns } from './takedowns/takedowns.ts'
import { CommitRefusal } from './volumes/appending.ts'

/** What is asked of a capture to be entered. */
export type EnteredCapture = Pick<
  NewCapture,
  | 'capturedAtMs'
  | 'contentType'
  | 'revisit'
  | 'recordId'
  | 'importedBy'
  | 'isImportedRevisit'
  | 'heardAtMs'
  | 'logLeaf'
> & {
  readonly url: Pick<Url, 'href' | 'surt' | 'site' | 'ringKey'>
}

export type EnteredFacts = Pick<AnswerFacts, 'status' | 'mime' | 'payloadBytes' | 'payloadDigest'>

/** How the capture is to be kept, as decided before writing. */
export interface Entry {
  main: MainRecord
  /** The content that the capture has: new, or there already. */
  content: ContentKey | undefined
  /** For a delta: the content it was made against, and its own depth. */
  base?: { content: ContentKey; depth: number } | undefined
  /** Of the main record, as stored. */
  mainBytes: number
  /** For a copy of what another peer keeps: of what was taken down it is kept hidden, so that it can be brought back. */
  mayBeHidden?: boolean | undefined
}

/** A capture as the index has it. */
interface Entered {
  readonly key: Uint8Array
  readonly entry: CaptureEntry
}

/** Told of captures of one URL and second of which it is not known which was first. */
export type TellUnsure = (url: string, capturedAtMs: number) => void

/** What was decided no longer holds: decide again. */
export class Outdated extends Error {}

/** The very same capture is there. */
export class Known extends Error {
  readonly capture: Capture

  constructor(capture: Capture) {
    super()
    this.capture = capture
  }
}

export class CaptureIndexing {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #takedowns: Takedowns
  readonly #leaves: CaptureLeafQueue
  #tellUnsure: TellUnsure = () => {}

  constructor(needs: {
    index: StoreIndex
    ledger: Ledger
    takedowns: Takedowns
    leaves: CaptureLeafQueue
  }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#takedowns = needs.takedowns
    this.#leaves = needs.leaves
  }

  whenUnsure(tell: TellUnsure): void {
    this.#tellUnsure = tell
  }

  /** Most holders say that of this URL and second the capture with this id was the first. Nothing is done when it is not here. */
  async settleSecond(url: Url, capturedAtMs: number, recordId: string): Promise<void> {
    const key = captureKey(urlPrefix(url.ringKey, url.surt), capturedAtMs, 0)
    const named = { href: url.href, recordId: parseUuid(recordId) }
    await this.#index.changeForGood(() => settleSecond(this.#index, key, named))
  }

  /** Inside the index change that makes its records count. Throws CommitRefusal, with Known or Outdated where that is why. */
  enter(
    capture: EnteredCapture,
    facts: EnteredFacts,
    recordId: string,
    { main, content, base, mainBytes, mayBeHidden = false }: Entry,
    records: WrittenLocation,
  ): Entered {
    const [index, ledger, takedowns] = [this.#index, this.#ledger, this.#takedowns]
    const isHidden = takedowns.hides(capture.url)
    if (isHidden && (!mayBeHidden || takedowns.destroys(capture.url))) {
      // Taken down while it was written: its bytes lie there now.
      ledger.markUrgent(records.volume)
      throw new CommitRefusal(takedowns.refusal(capture.url.href))
    }
    if (main.kind !== 'full' && !isHidden && takedowns.hidesUrl(main.refersTo.targetUri)) {
      ledger.markUrgent(records.volume)
      throw new CommitRefusal(new Outdated())
    }
    const kind = kindOf(capture, main)
    const prefix = urlPrefix(capture.url.ringKey, capture.url.surt)
    // One look for both: whether its key is free, and which of its second was first.
    const second = capturesOfSecond(index, prefix, capture.capturedAtMs)
    const key = this.#freeKey(prefix, second, capture, facts, content)
    const location = { ...records, length: mainBytes }
    const isNew = kind === 'full' || kind === 'plain' || kind === 'delta'
    if (isNew && index.content(content!) !== undefined) throw new CommitRefusal(new Outdated())
    if (base && index.content(base.content) === undefined) throw new CommitRefusal(new Outdated())
    const isElsewhere = main.kind !== 'full' && main.elsewhereBytes !== undefined
    const isPointer = !isNew && !isElsewhere
    if (isPointer && content && index.content(content) === undefined) throw new CommitRefusal(new Outdated())
    // Nothing below may fail: a refusal must have changed nothing.
    if (isNew) {
      const fresh = newContentEntry(location, facts.payloadBytes)
      ledger.addContent(
        content!,
        base === undefined ? fresh : { ...fresh, base: base.content, depth: base.depth },
      )
    } else if (isPointer && content) ledger.addReference(content)
    const { entry, isUnsure } = markedInSecond(index, second, {
      kind,
      location,
      companionBytes: records.length - mainBytes,
      status: facts.status,
      mime: facts.mime,
      content,
      payloadBytes: facts.payloadBytes,
      recordId: parseUuid(recordId),
      url: capture.url.href,
      checksum: records.checksum,
      isElsewhere,
      importedBy: capture.importedBy,
      isHidden: false,
      isLater: false,
      isImportedRevisit: capture.isImportedRevisit === true,
      heardAtMs: capture.heardAtMs,
    })
    if (isUnsure) this.#tellUnsure(capture.url.href, capture.capturedAtMs)
    ledger.addCapture(key, entry)
    if (capture.logLeaf !== undefined) this.#leaves.add(capture.logLeaf)
    if (takedowns.marks(capture.url)) ledger.hideCapture(key, entry)
    return { key, entry }
  }

  /** This very capture, if it is here. Before anything is written: an import that is run again must cost no disk. As far
   * as entering it would look; nearly always there is none, and one look tells so. */
  find(capture: EnteredCapture, facts: EnteredFacts, revisited?: ContentKey): Capture | undefined {
    const prefix = urlPrefix(capture.url.ringKey, capture.url.surt)
    for (let serial = 0; serial <= serialMax; serial++) {
      const key = captureKey(prefix, capture.capturedAtMs, serial)
      const entry = this.#index.capture(key)
      if (entry === undefined) return undefined
      const isAnswer = capture.revisit === undefined
      // A revisit that still waits for its content says nothing of this one, which may be that content.
      if (isAnswer && !(entry.content && equalDigests(entry.content.digest, facts.payloadDigest))) continue
      if (isSame(entry, capture, facts, isAnswer ? entry.content : revisited)) return captureOf(key, entry)
    }
    return undefined
  }

  /** The first key of this URL and moment that is free. Throws when it meets this very capture on the way. */
  #freeKey(
    prefix: Buffer,
    { captures, isComplete }: SecondCaptures,
    capture: EnteredCapture,
    facts: EnteredFacts,
    content: ContentKey | undefined,
  ): Buffer {
    const entryAt = (key: Buffer): CaptureEntry | undefined =>
      isComplete ? captures.find(([other]) => key.equals(other))?.[1] : this.#index.capture(key)
    for (let serial = 0; serial <= serialMax; serial++) {
      const key = captureKey(prefix, capture.capturedAtMs, serial)
      const entry = entryAt(key)
      if (entry === undefined) return key
      if (isSame(entry, capture, facts, content)) throw new CommitRefusal(new Known(captureOf(key, entry)))
    }
    throw new CommitRefusal(
      new StoreError(
        'store-bad-capture',
        `${capture.url.href} has ${serialMax + 1} captures of one millisecond.`,
      ),
    )
  }
}

function isSame(
  entry: CaptureEntry,
  capture: EnteredCapture,
  facts: EnteredFacts,
  content: ContentKey | undefined,
): boolean {
  if (entry.url !== capture.url.href || entry.status !== facts.status) return false
  // Other archives date to the second, and may well have fetched a page twice in one: their ids tell.
  if (capture.recordId !== undefined) return printUuid(entry.recordId) === capture.recordId
  const isPointer = entry.kind === 'not-modified'
  if (isPointer !== (capture.revisit?.kind === 'not-modified')) return false
  return entry.content === undefined || content === undefined
    ? entry.content === content
    : equalContentKeys(entry.content, content)
}

function kindOf(capture: EnteredCapture, main: MainRecord): CaptureKind {
  switch (main.kind) {
    case 'full':
      return capture.contentType === undefined ? 'full' : 'plain'
    case 'delta-zstd':
      return 'delta'
    case 'identical-payload-digest':
      return 'same'
    case 'server-not-modified':
      return 'not-modified'
  }
}
