// The kinds of fields that messages are made of: see message-schema.ts for what is made of them.

import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyBytes } from '../../model/ring-key.ts'
import { MessageMalformed } from './message-bytes.ts'
import { Schema, Times } from './message-schema.ts'

export const byte = new Schema<number>(
  (reader) => reader.byte(),
  (writer, value) => writer.byte(value),
)

export function number(max?: number): Schema<number> {
  return new Schema(
    (reader) => reader.number(max),
    (writer, value) => writer.number(value),
  )
}

export const counter = new Schema<number>(
  (reader) => reader.counter(),
  (writer, value) => writer.number(value),
)

/** In so many bytes, always. */
export function uint(length: number): Schema<number> {
  return new Schema(
    (reader) => reader.uint(length),
    (writer, value) => writer.uint(value, length),
  )
}

export const flag = new Schema<boolean>(
  (reader) => reader.number(1) === 1,
  (writer, value) => writer.byte(value ? 1 : 0),
)

/** Yes or no to each of several questions. */
export const flags = new Times(flag)

export function text(bytesMax: number): Schema<string> {
  return new Schema(
    (reader) => reader.text(bytesMax),
    (writer, value) => writer.text(value),
  )
}

/** A text that can be shown in logs and on terminals. */
export function printable(bytesMax: number): Schema<string> {
  return new Schema(
    (reader) => reader.name(bytesMax),
    (writer, value) => writer.text(value),
  )
}

/** A text of which undefined stands for none: not for an empty one. */
export function optionalText(bytesMax: number): Schema<string | undefined> {
  return text(bytesMax).as(
    (value) => value || undefined,
    (value) => value ?? '',
  )
}

/** So many bytes, as hex digits. */
export function hex(length: number): Schema<string> {
  return new Schema(
    (reader) => reader.hex(length),
    (writer, value) => writer.hex(value),
  )
}

export const ringKey = new Schema<RingKey>(
  (reader) => reader.hex(ringKeyBytes) as RingKey,
  (writer, value) => writer.hex(value),
)

/** Bytes that outlive the message. */
export function bytes(lengthMax: number): Schema<Uint8Array> {
  return new Schema(
    (reader) => new Uint8Array(reader.bytes(lengthMax)),
    (writer, value) => writer.bytes(value),
  )
}

/** A view into the message, which stays in memory as long as the view does. */
export function bytesView(lengthMax: number): Schema<Uint8Array> {
  return new Schema<Uint8Array>(
    (reader) => reader.bytes(lengthMax),
    (writer, value) => writer.bytes(value),
  )
}

/** Exactly so many bytes, which outlive the message. */
export function fixed(length: number): Schema<Uint8Array> {
  return new Schema(
    (reader) => reader.copy(length),
    (writer, value) => writer.fixed(value),
  )
}

export function fixedView(length: number): Schema<Uint8Array> {
  return new Schema<Uint8Array>(
    (reader) => reader.fixed(length),
    (writer, value) => writer.fixed(value),
  )
}

/** A view of all that is left of the message. */
export const rest = new Schema<Uint8Array>(
  (reader) => reader.rest(),
  (writer, value) => writer.fixed(value),
)

export const sha256Digest = new Schema<Digest>(
  (reader) => ({ algorithm: 'sha256', bytes: reader.copy(32) }),
  (writer, { bytes: digest }) => writer.fixed(digest),
)

/** One of these words, as its place among them. */
export function choice<const Word extends string>(words: readonly Word[]): Schema<Word> {
  return new Schema<Word>(
    (reader) => words[reader.index(words.length)]!,
    (writer, value) => writer.number(words.indexOf(value)),
  )
}

/** A finite number of 8 bytes. */
export const float = new Schema<number>(
  (reader) => {
    const value = reader.fixed(8).readDoubleLE()
    if (!Number.isFinite(value)) throw new MessageMalformed('a number is not finite')
    return value
  },
  (writer, value) => {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeDoubleLE(value)
    writer.fixed(bytes)
  },
)
