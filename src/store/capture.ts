// Captures: what a caller hands in to be kept, and what the store knows of one that is kept.

import type { Field } from '../formats/http/field-list.ts'
import type { Truncation } from '../formats/warc/record-builder.ts'
import type { ToldCapture } from '../model/capture-json.ts'
import type { Digest } from '../model/digest.ts'
import type { LargeBlock } from '../model/large-block.ts'
import type { Url } from '../model/url/url.ts'
import { printUuid } from '../model/uuid.ts'
import type { ContentKey } from './contents/content-key.ts'
import type { CaptureEntry } from './index/capture-entry.ts'
import { parseCaptureKey } from './index/capture-key.ts'

/** Another capture that a revisit points at. */
export interface EarlierCapture {
  readonly url: string
  readonly capturedAtMs: number
  readonly recordId?: string | undefined
}

export interface NewCapture {
  /** What it is filed under: what was fetched and, where that was no GET, with method and body behind it. See request-query.ts. */
  readonly url: Url
  /** What was fetched, where that is another one. */
  readonly targetUri?: string | undefined
  readonly capturedAtMs: number
  /** The HTTP answer as it came: head, empty line, body. With `contentType`: bytes that came without HTTP. */
  readonly block: Uint8Array | LargeBlock
  /** SHA-256, when it is known already. */
  readonly payloadDigest?: Digest | undefined
  readonly contentType?: string | undefined
  /** The server said (304) that nothing has changed since, or an archive that we import says the payload is the same:
   * the block is then a head without body. */
  readonly revisit?:
    | {
        readonly kind: 'not-modified' | 'same'
        readonly of: EarlierCapture | undefined
        readonly payloadDigest?: Digest | undefined
        /** Other peers keep the payload, of that digest and so many bytes: it is neither waited for nor looked for here. */
        readonly elsewhereBytes?: number | undefined
      }
    | undefined
  /** The HTTP request as it was sent. */
  readonly request?: Uint8Array | undefined
  readonly metadata?: readonly Field[] | undefined
  readonly ipAddress?: string | undefined
  readonly protocols?: readonly string[] | undefined
  readonly truncated?: Truncation | undefined
  /** A UUID: that of the record where this capture was first written. Made up when not given. */
  readonly recordId?: string | undefined
  /** The peer that brought it into the network; undefined for what is crawled. */
  readonly importedBy?: string | undefined
  /** See CaptureEntry. */
  readonly isImportedRevisit?: boolean | undefined
  /** Hex digits of the SHA-256 of the certificate that the server showed. */
  readonly certificate?: string | undefined
  /** Of the peer that captured it: see proof/capture-signature.ts. */
  readonly signature?: string | undefined
  /** What it is in the log of this peer, where that has signed it. */
  readonly logLeaf?: Uint8Array | undefined
  /** When it came as a copy from a peer that is not known to have crawled it; undefined for what is crawled here. */
  readonly heardAtMs?: number | undefined
}

/** Webstore's modes: a known digest is believed with the size (`regular`), after comparing every byte (`compare`), or
 * not at all (`force-new`). */
export type StoreMode = 'regular' | 'compare' | 'force-new'

export interface KeepOptions {
  /** Captured or imported by this peer: signed in its name. */
  isOurs?: boolean | undefined
  mode?: StoreMode | undefined
  /** Path of the volume folder to write to. */
  folder?: string | undefined
  /** Asked about a payload that is new here: the capture that other peers safely keep it with, if there is one. */
  elsewhere?:
    | ((payload: { digest: Digest; sizeBytes: number }) => Promise<EarlierCapture | undefined>)
    | undefined
}

/** A capture that is kept. */
export interface Capture extends ToldCapture {
  /** What it is filed under: see NewCapture. */
  readonly url: string
  readonly content: ContentKey | undefined
  /** Other peers keep its payload. */
  readonly isElsewhere: boolean
  readonly importedBy: string | undefined
  readonly isLater: boolean
  readonly isImportedRevisit: boolean
  /** See same-second.ts. */
  readonly heardAtMs: number | undefined
  /** Names this capture for later calls, and the place to go on from in a scan. */
  readonly cursor: string
}

export interface Receipt {
  /** `known`: this very capture was in the store already, and nothing was written. */
  readonly outcome: 'kept' | 'known'
  readonly capture: Capture
}

export function captureOf(key: Uint8Array, entry: CaptureEntry): Capture {
  const { surt, capturedAtMs } = parseCaptureKey(key)
  return {
    url: entry.url,
    surt,
    capturedAtMs,
    status: entry.status,
    mime: entry.mime,
    kind: entry.kind,
    content: entry.content,
    payloadBytes: entry.payloadBytes,
    isElsewhere: entry.isElsewhere,
    storedBytes: entry.location.length,
    recordId: printUuid(entry.recordId),
    importedBy: entry.importedBy,
    isLater: entry.isLater,
    isImportedRevisit: entry.isImportedRevisit,
    heardAtMs: entry.heardAtMs,
    cursor: Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('base64url'),
  }
}
