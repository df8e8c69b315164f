// What the index knows of a volume and of the folders that volumes lie in.

import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { EntryReader } from './entry-coding.ts'
import { readChecksum, writeChecksum } from './location.ts'

/** `active`: records are appended. `sealed`: read-only for good. `emptied`: all that lived has moved on; the file goes. */
const volumeStates = ['active', 'sealed', 'emptied'] as const
export type VolumeState = (typeof volumeStates)[number]

export interface VolumeEntry {
  folder: number
  name: string
  state: VolumeState
  /** Bytes that the index vouches for. The file may be longer by what was never acknowledged. */
  sizeBytes: number
  /** Bytes of records that nothing needs any more. */
  deadBytes: number
  /** Holds bytes that were taken down: compacted next time, however little of it is dead. */
  isUrgent: boolean
  /** The UUID of its warcinfo record. */
  warcinfoId: string
  /** Bytes of its head: that record and, before it, the dictionary of its zstd frames. undefined when it was never known,
   * and in stores of the first versions. */
  headBytes: number | undefined
  /** CRC-32 of the head as stored; undefined when it was never known. */
  headChecksum: number | undefined
}

export interface FolderEntry {
  path: string
  mode: 'writable' | 'read-only'
}

const urgent = 1
const hasHeadChecksum = 2
const hasHeadBytes = 4

export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(number)
  return key
}

export function parseNumberKey(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(0)
}

export function encodeVolumeEntry(entry: VolumeEntry): Uint8Array {
  const writer = new MessageWriter()
    .number(entry.folder)
    .text(entry.name)
    .number(volumeStates.indexOf(entry.state))
    .number(entry.sizeBytes)
    .number(entry.deadBytes)
    .number(
      (entry.isUrgent ? urgent : 0) |
        (entry.headChecksum === undefined ? 0 : hasHeadChecksum) |
        (entry.headBytes === undefined ? 0 : hasHeadBytes),
    )
    .text(entry.warcinfoId)
  if (entry.headChecksum !== undefined) writeChecksum(writer, entry.headChecksum)
  if (entry.headBytes !== undefined) writer.number(entry.headBytes)
  return writer.finish()
}

export function decodeVolumeEntry(bytes: Uint8Array): VolumeEntry {
  const reader = new EntryReader(bytes)
  const place = { folder: reader.number(), name: reader.text() }
  const state = volumeStates[reader.number()]!
  const amounts = { sizeBytes: reader.number(), deadBytes: reader.number() }
  const flags = reader.number()
  return {
    ...place,
    state,
    ...amounts,
    isUrgent: (flags & urgent) !== 0,
    warcinfoId: reader.text(),
    headChecksum: flags & hasHeadChecksum ? readChecksum(reader) : undefined,
    headBytes: flags & hasHeadBytes ? reader.number() : undefined,
  }
}

export function encodeFolderEntry(entry: FolderEntry): Uint8Array {
  return new MessageWriter()
    .text(entry.path)
    .number(entry.mode === 'writable' ? 1 : 0)
    .finish()
}

export function decodeFolderEntry(bytes: Uint8Array): FolderEntry {
  const reader = new EntryReader(bytes)
  return { path: reader.text(), mode: reader.number() === 1 ? 'writable' : 'read-only' }
}
