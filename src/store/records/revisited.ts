// What a revisit points at: the capture that it names by URL and date, and the content that it has.
//
// The digest decides where it can: dates of other archives are cut to the second, and a server can give two answers in
// one. Only where the digest says nothing to us is the named capture believed.

import type { FieldList } from '../../formats/http/field-list.ts'
import { urlOfTarget } from '../../formats/warc/page-views.ts'
import { revisitTargetOf } from '../../formats/warc/record.ts'
import { type Digest, DigestError, equalDigests, parseDigest } from '../../model/digest.ts'
import { parseWarcDate, TimestampError } from '../../model/timestamp.ts'
import type { Capture, EarlierCapture } from '../capture.ts'
import type { ContentKey } from '../contents/content-key.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import type { CaptureFinder } from '../reading/capture-finder.ts'

interface Needs {
  finder: CaptureFinder
  matcher: ContentMatcher
}

export interface Revisited {
  original: Capture | undefined
  content: ContentKey | undefined
}

export function revisitedOf(
  { finder, matcher }: Needs,
  earlier: EarlierCapture | undefined,
  digest: Digest | undefined,
): Revisited {
  const named = earlier && namedCapture(finder, earlier)
  // A revisit that names nobody is written as one of itself.
  const original = named?.content === undefined ? undefined : named
  const wanted = digest && matcher.digestHere(digest)
  if (wanted === undefined) return { original, content: original?.content }
  if (original?.content && equalDigests(original.content.digest, wanted)) {
    return { original, content: original.content }
  }
  return { original: undefined, content: matcher.holding(wanted) }
}

/** The capture of that moment; of several, the one with that record id. */
export function namedCapture(finder: CaptureFinder, earlier: EarlierCapture): Capture | undefined {
  const first = finder.exact(earlier.url, earlier.capturedAtMs)
  if (first === undefined || earlier.recordId === undefined || first.recordId === earlier.recordId)
    return first
  const url = urlOfTarget(earlier.url)!
  const sameSecond = {
    fromMs: first.capturedAtMs,
    toMs: first.capturedAtMs - (first.capturedAtMs % 1000) + 1000,
  }
  for (const other of finder.versions(url, sameSecond)) if (other.recordId === earlier.recordId) return other
  return first
}

/** The same for a record. What it says is not believed to be well formed: it may be another program's. */
export function revisitedBy(needs: Needs, record: { fields: FieldList }): Revisited {
  return revisitedOf(needs, earlierIn(record), payloadDigestIn(record))
}

export function earlierIn(record: { fields: FieldList }): EarlierCapture | undefined {
  const target = revisitTargetOf(record)
  if (target?.targetUri === undefined || target.date === undefined) return undefined
  try {
    const recordId = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>?$/i.exec(target.recordId ?? '')?.[1]
    return {
      url: target.targetUri,
      capturedAtMs: parseWarcDate(target.date),
      recordId: recordId?.toLowerCase(),
    }
  } catch (error) {
    if (error instanceof TimestampError) return undefined
    throw error
  }
}

export function payloadDigestIn(record: { fields: FieldList }): Digest | undefined {
  const text = record.fields.get('WARC-Payload-Digest')
  try {
    return text === undefined ? undefined : parseDigest(text)
  } catch (error) {
    if (error instanceof DigestError) return undefined
    throw error
  }
}
