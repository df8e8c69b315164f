// Where a record lies: which volume, from which byte, how many.

import type { MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { EntryReader } from './entry-coding.ts'

export interface Location {
  volume: number
  offset: number
  /** Bytes as stored. */
  length: number
}

/** A place that was just written to. */
export interface WrittenLocation extends Location {
  /** CRC-32 of the bytes there. */
  checksum: number
}

export function writeLocation(writer: MessageWriter, { volume, offset, length }: Location): void {
  writer.number(volume).number(offset).number(length)
}

export function readLocation(reader: EntryReader): Location {
  return { volume: reader.number(), offset: reader.number(), length: reader.number() }
}

export function writeChecksum(writer: MessageWriter, checksum: number): void {
  writer.uint(checksum, 4)
}

export function readChecksum(reader: EntryReader): number {
  return reader.uint32()
}

export function equalLocations(left: Location, right: Location): boolean {
  return left.volume === right.volume && left.offset === right.offset
}
