// A capture as programs are told of it, by the API and by commands alike.

import { type Digest, printDigest } from './digest.ts'
import { printTimestamp } from './timestamp.ts'

/** How the capture's own record holds its payload. `full` and `plain` hold it whole: a response, and a resource without
 * HTTP. The rest are revisit records: the payload is another's, is a delta, or the server said it had not changed. The store's
 * index and messages between peers write a kind as its place here: append only. */
export const captureKinds = ['full', 'plain', 'same', 'delta', 'not-modified'] as const
export type CaptureKind = (typeof captureKinds)[number]

export interface ToldCapture {
  readonly url: string
  readonly surt: string
  readonly capturedAtMs: number
  /** 0 where there was no HTTP. */
  readonly status: number
  readonly mime: string
  readonly kind: CaptureKind
  /** undefined when the payload was never known. */
  readonly content: { readonly digest: Digest; readonly overflow: number } | undefined
  readonly payloadBytes: number
  /** Of its main record, as stored. */
  readonly storedBytes: number
  readonly recordId: string
  /** The peer that brought it into the network; undefined for what was crawled. */
  readonly importedBy?: string | undefined
  /** Another capture of its URL and second is held to be the first. */
  readonly isLater?: boolean | undefined
  /** The archive that it was imported from had it as a revisit. */
  readonly isImportedRevisit?: boolean | undefined
}

export function captureJson(capture: ToldCapture) {
  const {
    url,
    surt,
    capturedAtMs,
    status,
    mime,
    kind,
    content,
    payloadBytes,
    storedBytes,
    recordId,
    importedBy,
  } = capture
  return {
    url,
    surt,
    timestamp: printTimestamp(capturedAtMs),
    capturedAt: new Date(capturedAtMs).toISOString(),
    status,
    mime,
    kind,
    content: content === undefined ? null : keyOf(content),
    payloadBytes,
    storedBytes,
    recordId,
    ...(importedBy !== undefined && { importedBy }),
  }
}

function keyOf({ digest, overflow }: NonNullable<ToldCapture['content']>): string {
  return overflow === 0 ? printDigest(digest) : `${printDigest(digest)}.${overflow}`
}
