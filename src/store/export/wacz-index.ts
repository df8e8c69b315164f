// The index of a WACZ: CDXJ lines in the order of `LC_ALL=C`, in one piece or, when there are many, as ZipNum: gzip blocks
// of 3,000 lines, and a second index that says where each block starts.

import { gzipSync } from 'node:zlib'
import { printCdxjLine } from '../../formats/cdx/cdxj.ts'
import { type FetchedAs, fetchedAs } from '../../formats/http/request-query.ts'
import { targetOfFiled, viewOf } from '../../formats/warc/page-views.ts'
import { digestOf, printDigest } from '../../model/digest.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { ExportedCapture } from './warc-export.ts'
import type { RecordPlace } from './warc-file.ts'

export const blockLinesMax = 3_000
const compressedName = 'index.cdx.gz'

/** A 304 says that the page is as it was, and has nothing to show. Other tools replay what an index names as it is, an empty
 * answer; without the line they replay the capture next to it. The record stays in the WARC file (decision 0057). */
export function isIndexed({ capture }: ExportedCapture): boolean {
  return capture.status !== 304
}

export function indexLine(exported: ExportedCapture, place: RecordPlace, filename: string): string {
  const { capture, content, payloadDigest = '-', isRevisit } = exported
  const mime = isRevisit ? 'warc/revisit' : capture.mime
  const isView = viewOf(capture.url) !== undefined
  const asked = isView ? undefined : fetchedAs(capture.url)
  const url = targetOfFiled(capture.url)
  return printCdxjLine({
    // Not the capture's own, which is cut when it is very long. Views are found by their name as it is, as with Browsertrix.
    surt: isView ? url : parseUrl(capture.url).surt,
    timestamp: printTimestamp(capture.capturedAtMs),
    url,
    ...(mime && { mime }),
    ...(capture.status && { status: capture.status }),
    digest: content === undefined ? payloadDigest : printDigest(content.digest),
    length: place.length,
    offset: place.offset,
    filename,
    ...(asked && { more: methodFields(asked) }),
  })
}

/** As warcio.js writes them. */
function methodFields({ method, requestBody }: FetchedAs): Record<string, string> {
  return requestBody === '' ? { method } : { method, requestBody }
}

export async function* plainIndex(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks(lines)) yield Buffer.from(`${block.join('\n')}\n`)
}

/** `idx` gets the lines of the second index. */
export async function* zipNumIndex(lines: AsyncIterable<string>, idx: string[]): AsyncGenerator<Uint8Array> {
  idx.push(`!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename: compressedName })}`)
  let offset = 0
  for await (const block of blocks(lines)) {
    const bytes = gzipSync(`${block.join('\n')}\n`)
    const first = block[0]!
    const prefix = first.slice(0, first.indexOf(' {'))
    const place = {
      offset,
      length: bytes.length,
      digest: printDigest(digestOf('sha256', bytes)),
      filename: compressedName,
    }
    idx.push(`${prefix} ${JSON.stringify(place)}`)
    offset += bytes.length
    yield bytes
  }
}

async function* blocks(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let block: string[] = []
  for await (const line of lines) {
    block.push(line)
    if (block.length < blockLinesMax) continue
    yield block
    block = []
  }
  if (block.length > 0) yield block
}
