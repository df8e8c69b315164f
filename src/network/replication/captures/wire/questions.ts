// What peers ask each other about the copies that they keep, as bytes.

import type { MessageReader, MessageWriter } from '../../../../formats/wire/message-bytes.ts'
import { bytesView, counter, fixed, flag, hex, rest, text } from '../../../../formats/wire/message-fields.ts'
import { type In, list, type Out, record, Schema, union } from '../../../../formats/wire/message-schema.ts'
import { parseRingKey, type RingKey, ringKeyBytes } from '../../../../model/ring-key.ts'
import type { StoredBytes } from '../../../../store/copying/copying.ts'
import { BoundReader, BoundWriter } from '../../comparison/bound-coding.ts'
import { checkedRange, type KeyRange } from '../../sums/key-range.ts'
import { rosterKeyBytesMax } from '../../sums/roster.ts'
import { idBytes } from '../../sums/tally.ts'

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

export const capturesMax = 1_024
export const wantsMax = 1_024
const arcsMax = 64
export const lifeBytes = 8
export const nonceBytes = 16
/** Of each capture that is proven. */
export const proofBytes = 16
/** Of all that is beside a capture's key and bytes. */
const numbersBytesMax = 25
const checksumMax = 2 ** 32 - 1
/** Flags of a capture. */
const [whole, large, asStored, first] = [1, 2, 4, 8]

const checkedRingKey = hex(ringKeyBytes).as<RingKey>(parseRingKey, (key) => key)
const arc = record({ after: checkedRingKey, upTo: checkedRingKey })
export type Arc = Out<typeof arc>

/** Copies of Node's pool: memory of their own takes three times as long. */
export const captureKey = bytesView(rosterKeyBytesMax)
  .checked(({ length }) => length > ringKeyBytes + idBytes, 'a capture without a key')
  .as<Uint8Array>(Buffer.from, (key) => key)
export const sentCaptures = new Schema(readCaptures, writeCaptures)
const keys = list(captureKey, capturesMax)
const splitsId = text(32)

export const copiesQuestion = union('question about copies', {
  /** See ../comparison. */
  compare: { bytes: rest },
  give: { captures: sentCaptures },
  fetch: { isWhole: flag, bytesMax: counter, wants: new Schema(readWants, writeWants) },
  piece: { key: captureKey, isWhole: flag, offset: counter },
  /** The asker is about to drop these. */
  confirm: { keys },
  /** The asker owns these arcs, and the receiver has all of their captures, if this is still its life. */
  tell: { arcs: list(arc, arcsMax), splitsId, life: fixed(lifeBytes) },
  /** Do you have all that lies there? */
  complete: { arc, splitsId },
  /** The asker holds copies there beyond those that are wanted. */
  spare: { arc },
  /** Which life is it? Another one after every start. */
  life: {},
  /** The asker is about to drop these: prove that you have them, with digests that begin with the nonce. */
  prove: { nonce: fixed(nonceBytes), keys },
})
export type CopiesQuestion = In<typeof copiesQuestion>

function writeCaptures(writer: MessageWriter, captures: readonly SentCapture[]): void {
  const sizes = captures.map(({ key, bytes }) => numbersBytesMax + key.length + (bytes?.length ?? 0))
  writer.expect(sizes.reduce((sum, size) => sum + size, numbersBytesMax)).number(captures.length)
  for (const { key, isWhole, isFirst, bytes, stored } of captures) {
    const size = bytes ? 0 : stored ? large | asStored : large
    writer.bytes(key).byte((isWhole ? whole : 0) | (isFirst ? first : 0) | size)
    if (bytes !== undefined) writer.bytes(bytes)
    else if (stored !== undefined) writer.number(stored.sizeBytes).number(stored.checksum)
  }
}

function readCaptures(reader: MessageReader): SentCapture[] {
  return Array.from({ length: reader.number(capturesMax) }, () => {
    const key = captureKey.read(reader)
    const flags = reader.byte()
    const isWhole = (flags & whole) !== 0
    const said = { key, isWhole, ...((flags & first) !== 0 && { isFirst: true }) }
    if ((flags & large) === 0) return { ...said, bytes: reader.bytes(reader.left) }
    if ((flags & asStored) === 0) return { ...said, bytes: undefined }
    const stored = { sizeBytes: reader.counter(), checksum: reader.number(checksumMax) }
    return { ...said, bytes: undefined, stored }
  })
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
