// Gzip body: sitemaps that are gzip files themselves (`sitemap.xml.gz`), not by content-coding.
//
// Only where the URL says so: any other .gz is a download, and unpacking it would be wasted.

import { constants, gunzipSync, inflateRawSync } from 'node:zlib'
import { gzipHeaderLength } from '../../formats/warc/compression/gzip-member.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { Url } from '../../model/url/url.ts'

/** The sitemap protocol allows 50 MB. */
const unwrappedBytesMax = 52 * 1024 * 1024

interface UnwrappedBody {
  readonly bytes: Uint8Array
  readonly isUnwrapped: boolean
  /** Whether it was more than we unpack; then there are no bytes at all. */
  readonly isCut: boolean
}

export function unwrappedGzip(bytes: Uint8Array, url: Url): UnwrappedBody {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08
  if (!isGzip || !/\.(?:xml|txt|rss|atom)\.gz$|sitemap/i.test(url.target.split('?', 1)[0]!)) {
    return { bytes, isUnwrapped: false, isCut: false }
  }
  try {
    return { bytes: gunzipped(bytes), isUnwrapped: true, isCut: false }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const isCut = error.code === 'ERR_BUFFER_TOO_LARGE'
    return { bytes: bytes.subarray(0, isCut ? 0 : undefined), isUnwrapped: isCut, isCut }
  }
}

function gunzipped(bytes: Uint8Array): Uint8Array {
  // What is there of a file that was cut off is as good as the rest.
  const options = { maxOutputLength: unwrappedBytesMax, finishFlush: constants.Z_SYNC_FLUSH }
  try {
    return gunzipSync(bytes, options)
  } catch (error) {
    // Rubbish behind it, or a wrong checksum: the first member alone is read without looking at those.
    const start = gzipHeaderLength(bufferView(bytes))
    if (start === undefined || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error
    return inflateRawSync(bytes.subarray(start), options)
  }
}
