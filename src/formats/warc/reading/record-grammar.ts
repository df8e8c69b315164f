// What a reader must know of the records in a file, apart from how they are compressed: where one can start, and how
// one is read. WARC has one grammar, ARC another.

import { WarcDamage, type WarcWarning } from '../damage.ts'
import type { WarcRecord } from '../record.ts'
import type { WarcHead } from '../record-head.ts'
import type { ByteSource } from './byte-source.ts'
import { readPlainRecord } from './plain-record.ts'
import { parseRecord } from './record-decoding.ts'

export type PlainRecord =
  /** The source is behind the record. */
  | { kind: 'whole'; record: WarcRecord; warnings: readonly WarcWarning[] }
  /** The source is at the first byte of the block. */
  | { kind: 'head'; head: WarcHead }

export interface RecordGrammar {
  /** Bytes enough for startsRecord to tell. */
  readonly peekBytes: number
  /** Line-end bytes that close a record. */
  readonly endLength: number
  startsRecord(bytes: Buffer): boolean
  /** Index of the next place where a record may start, or -1. */
  find(window: Buffer): number
  /** The record at the source's position. Throws WarcDamage with offset 0. */
  read(source: ByteSource, blockBytesBuffered: number): Promise<PlainRecord>
  /** The one record that these bytes are, to the last of them; else undefined. Only a shortcut. */
  parseSole(bytes: Buffer): { record: WarcRecord; warnings: readonly WarcWarning[] } | undefined
}

export const warcGrammar: RecordGrammar = {
  peekBytes: 6,
  endLength: 4,
  startsRecord: (bytes) => bytes.toString('latin1', 0, 5) === 'WARC/',
  find(window) {
    let index = window.indexOf('WARC/')
    while (index > 0 && window[index - 1] !== 0x0a) index = window.indexOf('WARC/', index + 1)
    return index
  },
  read: readPlainRecord,
  parseSole(bytes) {
    try {
      const record = parseRecord(bytes)
      return record.length === bytes.length ? { record, warnings: record.warnings } : undefined
    } catch (error) {
      if (error instanceof WarcDamage) return undefined
      throw error
    }
  },
}
