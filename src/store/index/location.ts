// Where a record lies: which volume, from which byte, how many.

import type { EntryReader, EntryWriter } from './entry-coding.ts'

export interface Location {
  volume: number
  offset: number
  /** Bytes as stored. */
  length: number
}

export function writeLocation(writer: EntryWriter, { volume, offset, length }: Location): void {
  writer.number(volume).number(offset).number(length)
}

export function readLocation(reader: EntryReader): Location {
  return { volume: reader.number(), offset: reader.number(), length: reader.number() }
}

export function equalLocations(left: Location, right: Location): boolean {
  return left.volume === right.volume && left.offset === right.offset
}
