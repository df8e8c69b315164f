// What the index knows of a volume and of the folders that volumes lie in.

import { EntryReader, EntryWriter } from './entry-coding.ts'

/** `active`: records are appended. `sealed`: read-only for good. `emptied`: all that lived has moved on; the file goes. */
export const volumeStates = ['active', 'sealed', 'emptied'] as const
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
}

export interface FolderEntry {
  path: string
  mode: 'writable' | 'read-only'
}

export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(number)
  return key
}

export function parseNumberKey(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(0)
}

export function encodeVolumeEntry(entry: VolumeEntry): Uint8Array {
  return new EntryWriter()
    .number(entry.folder)
    .text(entry.name)
    .number(volumeStates.indexOf(entry.state))
    .number(entry.sizeBytes)
    .number(entry.deadBytes)
    .number(entry.isUrgent ? 1 : 0)
    .text(entry.warcinfoId)
    .finish()
}

export function decodeVolumeEntry(bytes: Uint8Array): VolumeEntry {
  const reader = new EntryReader(bytes)
  return {
    folder: reader.number(),
    name: reader.text(),
    state: volumeStates[reader.number()]!,
    sizeBytes: reader.number(),
    deadBytes: reader.number(),
    isUrgent: reader.number() === 1,
    warcinfoId: reader.text(),
  }
}

export function encodeFolderEntry(entry: FolderEntry): Uint8Array {
  return new EntryWriter()
    .text(entry.path)
    .number(entry.mode === 'writable' ? 1 : 0)
    .finish()
}

export function decodeFolderEntry(bytes: Uint8Array): FolderEntry {
  const reader = new EntryReader(bytes)
  return { path: reader.text(), mode: reader.number() === 1 ? 'writable' : 'read-only' }
}
