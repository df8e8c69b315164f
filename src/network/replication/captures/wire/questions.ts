// What peers ask each other about the copies that they keep, as bytes. The first byte tells which question it is.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../../formats/wire/message-bytes.ts'
import { parseRingKey, type RingKey, ringKeyBytes } from '../../../../model/ring-key.ts'
import { BoundReader, BoundWriter } from '../../comparison/bound-coding.ts'
import { checkedRange, type KeyRange } from '../../sums/key-range.ts'
import { rosterKeyBytesMax } from '../../sums/roster.ts'
import { idBytes } from '../../sums/tally.ts'
import type { StoredBytes } from '../held-captures.ts'

/** A capture on its way. */
export interface SentCapture {
  readonly key: Uint8Array
  /** With its payload, whatever it rests on. */
  readonly isWhole: boolean
  /** Whoever sends it says that it knows at first hand that it was the first of its second. */
  readonly isFirst?: boolean | undefined
  /** Its records; undefined when they are too large for a message and must be asked for in pieces. */
  readonly bytes: Uint8Array | undefined
  /** Of those that are too large: as they are stored. undefined when they are made for the asker. */
  readonly stored?: StoredBytes | undefined
}

/** Captures that are wanted: those of a range with these ids, or all of it. */
export interface Want {
  readonly range: KeyRange
  readonly ids: readonly Uint8Array[] | undefined
}

export interface Arc {
  readonly after: RingKey
  readonly upTo: RingKey
}

export type CopiesQuestion =
  /** See ../comparison. */
  | { readonly kind: 'compare'; readonly bytes: Uint8Array }
  | { readonly kind: 'give'; readonly captures: readonly SentCapture[] }
  | {
      readonly kind: 'fetch'
      readonly wants: readonly Want[]
      readonly isWhole: boolean
      readonly bytesMax: number
    }
  | { readonly kind: 'piece'; readonly key: Uint8Array; readonly isWhole: boolean; readonly offset: number }
  /** Who asks is about to drop these. */
  | { readonly kind: 'confirm'; readonly keys: readonly Uint8Array[] }
  /** Who asks is about to drop these, and wants to see digests of them that begin with the nonce. */
  | { readonly kind: 'prove'; readonly nonce: Uint8Array; readonly keys: readonly Uint8Array[] }
  /** Which life is it? Another one after every start. */
  | { readonly kind: 'life' }
  /** The asker owns these, and whoever is asked has all that lies there, if this is still its life. */
  | {
      readonly kind: 'tell'
      readonly arcs: readonly Arc[]
      readonly splitsId: string
      readonly life: Uint8Array
    }
  /** Do you have all that lies there? */
  | { readonly kind: 'complete'; readonly arc: Arc; readonly splitsId: string }
  /** The asker holds copies there beyond those that are wanted. */
  | { readonly kind: 'spare'; readonly arc: Arc }

const kinds = [
  'compare',
  'give',
  'fetch',
  'piece',
  'confirm',
  'tell',
  'complete',
  'spare',
  'life',
  'prove',
] as const

export const capturesMax = 1_024
export const wantsMax = 1_024
export const arcsMax = 64
export const lifeBytes = 8
export const nonceBytes = 16
/** Of each capture that is proven. */
export const proofBytes = 16
const splitsIdMax = 32
/** Of all that is beside a capture's key and bytes. */
const numbersBytesMax = 25
const checksumMax = 2 ** 32 - 1
/** Flags of a capture. */
const [whole, large, asStored, first] = [1, 2, 4, 8]

export function writeCopiesQuestion(question: CopiesQuestion): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  switch (question.kind) {
    case 'compare':
      writer.fixed(question.bytes)
      break
    case 'give':
      writeCaptures(writer, question.captures)
      break
    case 'fetch':
      writer.byte(question.isWhole ? 1 : 0).number(question.bytesMax)
      writeWants(writer, question.wants)
      break
    case 'piece':
      writer
        .bytes(question.key)
        .byte(question.isWhole ? 1 : 0)
        .number(question.offset)
      break
    case 'prove':
      writer.fixed(question.nonce).number(question.keys.length)
      for (const key of question.keys) writer.bytes(key)
      break
    case 'confirm':
      writer.number(question.keys.length)
      for (const key of question.keys) writer.bytes(key)
      break
    case 'tell':
      writer.number(question.arcs.length)
      for (const arc of question.arcs) writeArc(writer, arc)
      writer.text(question.splitsId).fixed(question.life)
      break
    case 'complete':
      writeArc(writer, question.arc)
      writer.text(question.splitsId)
      break
    case 'spare':
      writeArc(writer, question.arc)
  }
  return writer.finish()
}

export function readCopiesQuestion(bytes: Uint8Array): CopiesQuestion {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('no such question about copies')
  switch (kind) {
    case 'compare':
      return { kind, bytes: reader.rest() }
    case 'give':
      return { kind, captures: readCaptures(reader) }
    case 'fetch': {
      const isWhole = reader.byte() === 1
      return { kind, isWhole, bytesMax: reader.counter(), wants: readWants(reader) }
    }
    case 'piece':
      return { kind, key: readKey(reader), isWhole: reader.byte() === 1, offset: reader.counter() }
    case 'prove':
      return {
        kind,
        nonce: reader.copy(nonceBytes),
        keys: Array.from({ length: reader.number(capturesMax) }, () => readKey(reader)),
      }
    case 'confirm':
      return { kind, keys: Array.from({ length: reader.number(capturesMax) }, () => readKey(reader)) }
    case 'tell':
      return {
        kind,
        arcs: Array.from({ length: reader.number(arcsMax) }, () => readArc(reader)),
        splitsId: reader.text(splitsIdMax),
        life: reader.copy(lifeBytes),
      }
    case 'complete':
      return { kind, arc: readArc(reader), splitsId: reader.text(splitsIdMax) }
    case 'spare':
      return { kind, arc: readArc(reader) }
    case 'life':
      return { kind }
  }
}

export function writeCaptures(writer: MessageWriter, captures: readonly SentCapture[]): void {
  const sizes = captures.map(({ key, bytes }) => numbersBytesMax + key.length + (bytes?.length ?? 0))
  writer.expect(sizes.reduce((sum, size) => sum + size, numbersBytesMax)).number(captures.length)
  for (const { key, isWhole, isFirst, bytes, stored } of captures) {
    const size = bytes ? 0 : stored ? large | asStored : large
    writer.bytes(key).byte((isWhole ? whole : 0) | (isFirst ? first : 0) | size)
    if (bytes !== undefined) writer.bytes(bytes)
    else if (stored !== undefined) writer.number(stored.sizeBytes).number(stored.checksum)
  }
}

export function readCaptures(reader: MessageReader): SentCapture[] {
  return Array.from({ length: reader.number(capturesMax) }, () => {
    const key = readKey(reader)
    const flags = reader.byte()
    const isWhole = (flags & whole) !== 0
    const said = { key, isWhole, ...((flags & first) !== 0 && { isFirst: true }) }
    if ((flags & large) === 0) return { ...said, bytes: reader.bytes(reader.left) }
    if ((flags & asStored) === 0) return { ...said, bytes: undefined }
    const stored = { sizeBytes: reader.counter(), checksum: reader.number(checksumMax) }
    return { ...said, bytes: undefined, stored }
  })
}

export function readKey(reader: MessageReader): Uint8Array {
  const key = Buffer.from(reader.bytes(rosterKeyBytesMax))
  if (key.length <= ringKeyBytes + idBytes) throw new MessageMalformed('a capture without a key')
  return key
}

function writeWants(writer: MessageWriter, wants: readonly Want[]): void {
  const bounds = new BoundWriter(writer)
  writer.number(wants.length)
  for (const { range, ids } of wants) {
    bounds.write(range.from)
    bounds.write(range.to)
    // None is no want; so none stands for all.
    writer.number(ids?.length ?? 0)
    for (const id of ids ?? []) writer.fixed(id)
  }
}

function readWants(reader: MessageReader): Want[] {
  const bounds = new BoundReader(reader)
  return Array.from({ length: reader.number(wantsMax) }, () => {
    const range = checkedRange(bounds.read(), bounds.read())
    const count = reader.count()
    const ids = Array.from({ length: count }, () => reader.copy(idBytes))
    return { range, ids: count === 0 ? undefined : ids }
  })
}

function writeArc(writer: MessageWriter, { after, upTo }: Arc): void {
  writer.hex(after).hex(upTo)
}

function readArc(reader: MessageReader): Arc {
  return {
    after: parseRingKey(reader.hex(ringKeyBytes)),
    upTo: parseRingKey(reader.hex(ringKeyBytes)),
  }
}
