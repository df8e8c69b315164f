// A capture as a reader gets it: the HTTP head that came with it, and its payload, wherever that lies.

import { type HttpHead, parseHttpHead, parseStatusLine } from '../../formats/http/http-message.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { holdsHttp } from '../../formats/warc/payload.ts'
import type { Capture } from '../capture.ts'
import type { ContentLoader, KnownRecord } from '../contents/content-loader.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import type { PayloadReader } from '../elsewhere/payload-reader.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import { equalLocations, type Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { RecordReader, RecordStart } from '../records/record-reader.ts'
import { earlierIn, revisitedBy } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import type { AnswerHead, AnswerHeads } from './answer-heads.ts'
import type { CaptureFinder } from './capture-finder.ts'
import { isAsSigned } from './capture-proofs.ts'

export interface Answer {
  readonly capture: Capture
  /** Status line and headers as they came, with the empty line; undefined when the capture came without HTTP. A
   * Transfer-Encoding among them is undone in the payload. */
  readonly head: Uint8Array | undefined
  /** Of the payload. */
  readonly sizeBytes: number
  /** It broke off while it came: there may be more of it. Not so of what was cut because it is too long. */
  readonly isBroken: boolean
  /** The payload, its digest checked as it flows. */
  payload(): AsyncIterable<Uint8Array>
}

interface Needs {
  index: StoreIndex
  finder: CaptureFinder
  matcher: ContentMatcher
  records: RecordReader
  loader: ContentLoader
  payloads: PayloadReader
  heads: AnswerHeads
}

export class Answers {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async read(capture: Capture): Promise<Answer> {
    const { loader, heads } = this.#needs
    const entry = this.#entry(capture)
    const known = heads.get(capture.cursor)
    if (known !== undefined && (entry.isElsewhere || loader.has(known.content)))
      return answerOf(capture, known, this.#needs)
    const { location, start } = await this.#start(capture, entry)
    // Once: whoever asks again gets the head that was right.
    if (!isAsSigned(capture, start)) throw forged(capture)
    // An imported revisit may have come before what it points at.
    const content = entry.content ?? revisitedBy(this.#needs, start).content
    const http = holdsHttp(start) ? parseHttpHead(start.block) : undefined
    if (content === undefined) {
      // Where a redirect leads is in its head: nobody reads the rest.
      if (http !== undefined && isRedirect(http))
        return headAlone(capture, start.block.subarray(0, http.length))
      throw missing(capture)
    }
    const refersTo = entry.isElsewhere ? earlierIn(start)?.url : undefined
    const head: AnswerHead = {
      head: http && start.block.subarray(0, http.length),
      content,
      refersTo,
      isBroken: !['', 'length'].includes(start.fields.get('WARC-Truncated') ?? ''),
    }
    heads.put(capture.cursor, head)
    return answerOf(capture, head, this.#needs, start.isWhole ? { record: start, location } : undefined)
  }

  #entry(capture: Capture): CaptureEntry {
    const entry = this.#needs.finder.entry(capture.cursor)
    if (entry !== undefined) return entry
    throw new StoreError('store-not-found', `${capture.url} at that time is no longer in this store.`)
  }

  /** Compaction may move the capture while it is read: then it is read where it is now. */
  async #start(
    capture: Capture,
    { location, ...entry }: CaptureEntry,
  ): Promise<{ location: Location; start: RecordStart }> {
    try {
      return { location, start: await this.#needs.records.startOfCapture({ ...entry, location }) }
    } catch (error) {
      const now = this.#entry(capture)
      if (!equalLocations(now.location, location)) return this.#start(capture, now)
      throw error instanceof WarcDamage ? damaged(capture, error) : error
    }
  }
}

function answerOf(
  capture: Capture,
  { head, content, refersTo, isBroken }: AnswerHead,
  { loader, payloads }: Needs,
  known?: KnownRecord,
): Answer {
  const { url, isElsewhere, payloadBytes } = capture
  const sizeBytes = isElsewhere ? payloadBytes : loader.entry(content).sizeBytes
  const payload = { url, content, sizeBytes, isElsewhere, refersTo }
  return { capture, head, sizeBytes, isBroken, payload: () => payloads.chunks(payload, known) }
}

function isRedirect({ startLine, headers }: HttpHead): boolean {
  const status = parseStatusLine(startLine)?.status ?? 0
  return status >= 300 && status < 400 && headers.has('Location')
}

function headAlone(capture: Capture, head: Uint8Array): Answer {
  return { capture, head, sizeBytes: 0, isBroken: false, payload: async function* () {} }
}

function damaged(capture: Capture, cause: WarcDamage): StoreError {
  return new StoreError(
    'store-content-damaged',
    `The stored record of ${capture.url} is damaged: ${cause.message}. It is not served until it is repaired.`,
    cause,
  )
}

function forged(capture: Capture): StoreError {
  return new StoreError(
    'store-content-damaged',
    `The stored record of ${capture.url} is not what was signed. It is not served.`,
  )
}

function missing(capture: Capture): StoreError {
  return new StoreError(
    'store-content-missing',
    `${capture.url} was kept as a revisit of a capture that is not in this store. Import the archive that holds it.`,
  )
}
