// Page comparer: has the versions of a page before and after a change compared in another thread.
//
// Only of pages and texts, and only where both are small enough to be held in memory for it. It never fails a visit: what was not
// compared is a change of which less is known.

import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import { gatherVersion, type VersionBytes, versionBytesMax } from '../../changes/page-change/version-bytes.ts'
import type { VersionWork } from '../../changes/page-change/version-work.ts'
import type { FieldList } from '../../formats/http/field-list.ts'
import type { RenderedPage } from '../../model/rendered-page.ts'
import type { Workers } from '../../platform/workers.ts'

/** A version of a page, to be compared with another. */
export interface ComparedVersion {
  readonly url: string
  readonly status: number
  readonly capturedAtMs: number
  readonly headers: FieldList
  /** Before content-decoding. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** undefined when it is not certain. */
  readonly bodyBytes: number | undefined
}

const pageType = /^\s*(?:text\/(?:html|plain|markdown)|application\/xhtml\+xml)\b/i

export class PageComparer {
  readonly #workers: Pick<Workers<VersionWork, VersionDifference>, 'run'>

  constructor(needs: { workers: Pick<Workers<VersionWork, VersionDifference>, 'run'> }) {
    this.#workers = needs.workers
  }

  /** `before` is only asked for when it is needed. undefined when they cannot be compared. */
  async compare(
    after: ComparedVersion,
    before: () => Promise<ComparedVersion>,
  ): Promise<VersionDifference | undefined> {
    if (!isComparable(after)) return undefined
    try {
      const earlier = await before()
      if (!isComparable(earlier)) return undefined
      const [left, right] = [await versionOf(earlier), await versionOf(after)]
      if (left === undefined || right === undefined) return undefined
      return await this.#workers.run({ before: left, after: right }, [
        left.bytes.buffer as ArrayBuffer,
        right.bytes.buffer as ArrayBuffer,
      ])
    } catch {
      // Whatever it was (a version that is damaged or out of reach, a thread that died), the capture is kept, and that is what counts.
      return undefined
    }
  }

  /** The same of what a browser read of them. */
  async compareRendered(
    url: string,
    before: RenderedPage,
    after: RenderedPage,
  ): Promise<VersionDifference | undefined> {
    try {
      const [left, right] = [textOf(before, url), textOf(after, url)]
      const buffers = [left.bytes.buffer as ArrayBuffer, right.bytes.buffer as ArrayBuffer]
      const difference = await this.#workers.run({ before: left, after: right }, buffers)
      const [had, has] = [hrefsOf(before), hrefsOf(after)]
      const change = {
        ...difference.change,
        linksAdded: has.difference(had).size,
        linksRemoved: had.difference(has).size,
        titleBefore: before.title,
        title: after.title,
      }
      return { ...difference, change, isMore: difference.isMore || before.title !== after.title }
    } catch {
      // As above.
      return undefined
    }
  }
}

/** What a browser read of a page as a text of lines; title and links lie beside it. */
function textOf({ text, capturedAtMs }: RenderedPage, url: string): VersionBytes {
  const bytes = new Uint8Array(Buffer.from(text))
  return { bytes, contentEncoding: undefined, contentType: 'text/plain;charset=utf-8', url, capturedAtMs }
}

function hrefsOf({ links }: RenderedPage): Set<string> {
  return new Set(links.map(({ href }) => href))
}

function isComparable({ status, headers, bodyBytes = 0 }: ComparedVersion): boolean {
  const type = headers.get('Content-Type') ?? ''
  return status >= 200 && status < 300 && bodyBytes <= versionBytesMax && (type === '' || pageType.test(type))
}

async function versionOf({
  url,
  capturedAtMs,
  headers,
  body,
}: ComparedVersion): Promise<VersionBytes | undefined> {
  const bytes = await ownBytes(body)
  if (bytes === undefined) return undefined
  const contentType = headers.get('Content-Type') ?? ''
  return { bytes, contentEncoding: headers.get('Content-Encoding'), contentType, url, capturedAtMs }
}

/** A copy, which can be given away. undefined when there is too much. */
async function ownBytes(body: ComparedVersion['body']): Promise<Uint8Array | undefined> {
  if (body instanceof Uint8Array) return body.length > versionBytesMax ? undefined : new Uint8Array(body)
  return gatherVersion(body)
}
