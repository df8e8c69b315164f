// A capture as a reader gets it: the HTTP head that came with it, and its payload, wherever that lies.

import { parseHttpHead } from '../record/http-message.ts'
import { WarcDamage } from '../record/warc/damage.ts'
import { holdsHttp } from '../record/warc/payload.ts'
import type { Capture } from './capture.ts'
import type { ContentMatching } from './content-matching.ts'
import type { ContentReading } from './content-reading.ts'
import { type Finding, keyOfCursor } from './finding.ts'
import type { CaptureEntry } from './index/capture-entry.ts'
import { equalLocations } from './index/location.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { RecordReading, RecordStart } from './record-reading.ts'
import { revisitedBy } from './revisited.ts'
import { StoreError } from './store-error.ts'

export interface Answer {
  readonly capture: Capture
  /** Status line and headers as they came, with the empty line; undefined when the capture came without HTTP. A
   * Transfer-Encoding among them is undone in the payload. */
  readonly head: Uint8Array | undefined
  /** Of the payload. */
  readonly sizeBytes: number
  /** The payload, its digest checked as it flows. */
  payload(): AsyncIterable<Uint8Array>
}

interface Needs {
  index: StoreIndex
  finding: Finding
  matching: ContentMatching
  records: RecordReading
  reading: ContentReading
}

export class Answers {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async read(capture: Capture): Promise<Answer> {
    const { reading } = this.#needs
    const { entry, start } = await this.#start(capture)
    // An imported revisit may have come before what it points at.
    const content = entry.content ?? revisitedBy(this.#needs, start).content
    if (content === undefined) throw missing(capture)
    const { sizeBytes } = reading.entry(content)
    const head = holdsHttp(start) ? parseHttpHead(start.block) : undefined
    return {
      capture,
      head: head && start.block.subarray(0, head.length),
      sizeBytes,
      payload: () => reading.chunks(content),
    }
  }

  /** Compaction may move the capture while it is read: then it is read where it is now. */
  async #start(capture: Capture): Promise<{ entry: CaptureEntry; start: RecordStart }> {
    const { index, finding, records } = this.#needs
    const key = keyOfCursor(capture.cursor)
    const entry = index.capture(key)
    if (entry === undefined || finding.byCursor(capture.cursor) === undefined) {
      throw new StoreError('store-not-found', `${capture.url} at that time is no longer in this store.`)
    }
    try {
      return { entry, start: await records.startOfCapture(entry) }
    } catch (error) {
      const now = index.capture(key)
      if (now === undefined || !equalLocations(now.location, entry.location)) return this.#start(capture)
      throw error instanceof WarcDamage ? damaged(capture, error) : error
    }
  }
}

function damaged(capture: Capture, cause: WarcDamage): StoreError {
  return new StoreError(
    'store-content-damaged',
    `The stored record of ${capture.url} is damaged: ${cause.message}. It is not served until it is repaired.`,
    cause,
  )
}

function missing(capture: Capture): StoreError {
  return new StoreError(
    'store-content-missing',
    `${capture.url} was kept as a revisit of a capture that is not in this store. Import the archive that holds it.`,
  )
}
