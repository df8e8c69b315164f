// The difference of two versions of a page as work for another thread: their bytes as they came, in plain data.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { decodeText } from '../../formats/markup/charset.ts'
import { isHtml } from './difference/comparison.ts'
import { type PageVersion, type VersionDifference, versionDifference } from './page-change.ts'
import type { VersionBytes } from './version-bytes.ts'

export interface VersionWork {
  readonly before: VersionBytes
  readonly after: VersionBytes
}

/** More than is looked at (charsMax), in any charset: what is cut off here is known to be missing there. */
const decodedBytesMax = 8 * 1024 * 1024

export async function compareVersions({ before, after }: VersionWork): Promise<VersionDifference> {
  return versionDifference(await versionOf(before), await versionOf(after))
}

/** Decoded, with the first of it that is looked at. */
export async function versionOf(version: VersionBytes): Promise<PageVersion> {
  const { bytes: coded, contentEncoding, contentType, url, capturedAtMs } = version
  const { bytes } = await decodeContent(coded, contentEncoding, decodedBytesMax)
  // A page without a type may be one that declares its charset; a text does not look like a declaration.
  const declaration = contentType === '' || isHtml(contentType, '') ? 'html' : 'none'
  const { text } = decodeText(bytes, contentType, declaration)
  return { text, bytes: bytes.length, contentType, url, capturedAtMs }
}
