// What can be wrong with a WARC file that we read, and with a record that we are asked to write.
//
// Codes are part of the interface (see errors.ts). Offsets count bytes of the file as stored, compressed or not.

import { PolyhistorError } from '../../errors.ts'

export type WarcDamageCode =
  /** Bytes where a record or member should start are neither. */
  | 'warc-not-a-record'
  /** Zero bytes where records should be: the file has lost a part. */
  | 'warc-hole'
  | 'warc-bad-version'
  | 'warc-head-too-large'
  | 'warc-bad-head-line'
  | 'warc-missing-field'
  | 'warc-bad-content-length'
  | 'warc-truncated-head'
  | 'warc-truncated-block'
  /** The compressed bytes do not decompress. */
  | 'warc-bad-compression'
  /** The compressed bytes end before the member does. */
  | 'warc-truncated-member'
  /** CRC-32 or length of a gzip member, or the checksum of a zstd frame. */
  | 'warc-bad-checksum'
  | 'warc-bad-dictionary'
  /** Whole and sound perhaps, but larger than the caller takes in one piece. */
  | 'warc-too-large'
  | 'warc-digest-mismatch'
  /** What stands in a record is not what its signature is of. */
  | 'warc-bad-signature'

/** A record or stretch of a file that cannot be had. The rest of the file still can. */
export class WarcDamage extends PolyhistorError {
  declare readonly code: WarcDamageCode
  /** Where in the file the damaged record or member starts. */
  readonly offset: number
  readonly reason: string
  /** Bytes of the file that the damaged member seems to take up, where it still tells. */
  readonly extent: number | undefined

  constructor(
    code: WarcDamageCode,
    offset: number,
    reason: string,
    details: { cause?: unknown; extent?: number | undefined } = {},
  ) {
    super(code, `${reason} (at byte ${offset})`, { cause: details.cause })
    this.offset = offset
    this.reason = reason
    this.extent = details.extent
  }

  /** The same damage seen from a file in which these bytes start at `offset`. */
  at(offset: number, extent = this.extent): WarcDamage {
    return new WarcDamage(this.code, offset, this.reason, { cause: this.cause, extent })
  }
}

type WarcRefusalCode =
  | 'warc-bad-field'
  | 'warc-bad-target-uri'
  | 'warc-bad-record-id'
  | 'warc-bad-date'
  | 'warc-bad-length'
  | 'warc-bad-file-name'

/** A record that would not be a valid WARC record, refused before a byte of it is written. */
export class WarcRefusal extends PolyhistorError {
  declare readonly code: WarcRefusalCode

  constructor(code: WarcRefusalCode, message: string) {
    super(code, message)
  }
}

/** What a reader saw past, with the record still delivered. */
export type WarcWarning = 'missing-record-end' | 'line-feed-only' | 'bracketed-target-uri' | 'old-version'
