// The files in a ZIP file that has lost its end, and its directory with that: found one after the other, by the header before each.
//
// A header that was written before its file does not tell the length: then the note behind the file is looked for, which must tell the
// very length that lies before it. The last file may be cut.

import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { RandomAccess } from './source.ts'

interface CutEntry {
  readonly path: string
  /** 0: stored as it is. */
  readonly method: number
  readonly start: number
  readonly end: number
}

const headerSignature = 0x04034b50
const headerBytes = 30
const noteSignature = Buffer.from('PK\x07\x08', 'latin1')
const noteBytesMax = 24
const windowBytes = 256 * 1024
const entriesMax = 10_000
const inNote = 8
const isLarge = 0xffffffff

export async function* entriesOfCut(source: RandomAccess): AsyncGenerator<CutEntry> {
  const sizeBytes = await source.sizeBytes()
  for (let at = 0, count = 0; count < entriesMax; count++) {
    const header = bufferView(await source.read(at, headerBytes))
    if (header.length < headerBytes || header.readUInt32LE(0) !== headerSignature) return
    const [nameBytes, extraBytes] = [header.readUInt16LE(26), header.readUInt16LE(28)]
    const more = bufferView(await source.read(at + headerBytes, nameBytes + extraBytes))
    const start = at + headerBytes + nameBytes + extraBytes
    if (start >= sizeBytes) return
    const told = lengthIn(header, more.subarray(nameBytes))
    const found =
      told === undefined ? await noteBehind(source, start) : { end: start + told, next: start + told }
    const end = Math.min(found?.end ?? sizeBytes, sizeBytes)
    yield { path: more.toString('utf8', 0, nameBytes), method: header.readUInt16LE(8), start, end }
    if (found === undefined) return
    at = found.next
  }
}

/** undefined when the note behind the file tells it. */
function lengthIn(header: Buffer, extra: Buffer): number | undefined {
  if ((header.readUInt16LE(6) & inNote) !== 0) return undefined
  const length = header.readUInt32LE(18)
  if (length !== isLarge) return length
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    // ZIP64: the length of what is in the file, then that of what is stored.
    if (extra.readUInt16LE(at) === 1 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12))
  }
  return undefined
}

async function noteBehind(
  source: RandomAccess,
  start: number,
): Promise<{ end: number; next: number } | undefined> {
  for (let at = start; ; ) {
    const window = bufferView(await source.read(at, windowBytes))
    for (
      let place = window.indexOf(noteSignature);
      place >= 0;
      place = window.indexOf(noteSignature, place + 1)
    ) {
      if (place + noteBytesMax > window.length && window.length === windowBytes) break
      const length = lengthOfNote(window.subarray(place), at + place - start)
      if (length !== undefined) return { end: at + place, next: at + place + length }
    }
    if (window.length < windowBytes) return undefined
    at += windowBytes - noteBytesMax
  }
}

/** Of a note that tells this distance; in its large form or its small one. */
function lengthOfNote(note: Buffer, distance: number): number | undefined {
  if (note.length >= noteBytesMax && note.readBigUInt64LE(8) === BigInt(distance)) return noteBytesMax
  return note.length >= 16 && note.readUInt32LE(8) === distance ? 16 : undefined
}
