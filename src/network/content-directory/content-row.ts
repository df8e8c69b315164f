// What the directory of contents says, as rows that peers copy from each other: where a content is kept, and which sites need it.
//
// Of two rows of one name the one with the higher version counts, and of equal ones the greater: so copies merge in any order.

import {
  counter,
  flag,
  hex,
  number,
  printable,
  ringKey,
  sha256Digest,
} from '../../formats/wire/message-fields.ts'
import { type Out, record, union } from '../../formats/wire/message-schema.ts'
import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../model/ring-key.ts'
import { timestampMsMax } from '../../model/timestamp.ts'
import { tryParseUrl } from '../../model/url/url.ts'

export const digestBytes = 32
/** What is longer is not worth a place in the directory. */
export const urlBytesMax = 2_000

const uuid = hex(16).as<string>(
  (digits) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  (id) => id.replaceAll('-', ''),
)

/** The capture that a content was first seen with: its site's peers keep it. */
export const firstCapture = record({
  url: printable(urlBytesMax).checked((url) => tryParseUrl(url) !== null, 'a capture without a URL'),
  capturedAtMs: number(timestampMsMax),
  recordId: uuid,
})
export type FirstCapture = Out<typeof firstCapture>

export const contentPlace = record({ digest: sha256Digest, sizeBytes: counter, capture: firstCapture })
export type ContentPlace = Out<typeof contentPlace>

/** `site`: whose captures need it. */
export const need = record({ digest: sha256Digest, site: ringKey, isNeeded: flag })
export type Need = Out<typeof need>

export const contentRow = union('row of the directory of contents', {
  place: { version: counter, place: contentPlace },
  need: { version: counter, need },
})
export type ContentRow = Out<typeof contentRow>

/** Where on the ring the directory has its entry. */
export function placeOfDigest({ bytes }: Digest): RingKey {
  return ringKeyFromBytes(bytes.subarray(0, ringKeyBytes))
}

/** In the directory's table: all rows of a digest lie together, that of its place first. */
export function rowKey(row: ContentRow): Buffer {
  if (row.kind === 'place') return Buffer.from(row.place.digest.bytes)
  return Buffer.concat([row.need.digest.bytes, ringKeyToBytes(row.need.site)])
}

export function digestOfRow(row: ContentRow): Digest {
  return row.kind === 'place' ? row.place.digest : row.need.digest
}

/** Whether the first counts where both are known, as they are encoded. */
export function counts(row: Uint8Array, known: Uint8Array): boolean {
  const [version, knownVersion] = [contentRow.decode(row).version, contentRow.decode(known).version]
  return version === knownVersion ? Buffer.compare(row, known) > 0 : version > knownVersion
}
