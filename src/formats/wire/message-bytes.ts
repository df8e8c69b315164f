// Fields of a message between peers, one after the other: whole numbers in as few bytes as they need, texts and byte
// strings with their length.
//
// Invariants: what MessageWriter writes, MessageReader reads back in the same order. Bytes from others are believed in
// nothing: what is cut short, overlong or out of bounds is refused with 'message-malformed'. Bytes after the last field
// read are left alone, so that later versions can add to a message.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../errors.ts'

export class MessageMalformed extends PolyhistorError {
  constructor(reason: string, cause?: unknown) {
    super('message-malformed', `A message from another peer cannot be read: ${reason}`, { cause })
  }
}

/** Honest counters never come near it. */
export const counterMax = 2 ** 48

/** Whether it can be a name, written as UTF-8. Names end up in logs and on terminals. */
export function isName(text: string, bytesMax: number): boolean {
  return text.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(text) && Buffer.byteLength(text) <= bytesMax
}

/** What was kept on disk as a message and cannot be read any more counts as what was never there: a damaged value, or one that an
 * earlier version took in without looking, must not end the process at every start. */
export function readableOr<T, Otherwise>(read: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return read()
  } catch (error) {
    if (error instanceof PolyhistorError) return otherwise
    throw error
  }
}

/** Their length takes one byte. */
const plainCharactersMax = 64

export class MessageWriter {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** So many bytes will follow: room for them is made once. */
  expect(length: number): this {
    this.#reserve(length)
    return this
  }

  byte(value: number): this {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
    return this
  }

  /** A whole number from 0 to 2^53 - 1: seven bits a byte, the lowest first. */
  number(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) assert.fail(`${value} is no whole number`)
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
    return this
  }

  /** A whole number in so many bytes, up to six, the highest first. */
  uint(value: number, length: number): this {
    this.#reserve(length)
    this.#length = this.#bytes.writeUIntBE(value, this.#length, length)
    return this
  }

  /** Bytes of a length that the reader knows. */
  fixed(bytes: Uint8Array): this {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  bytes(bytes: Uint8Array): this {
    return this.number(bytes.length).fixed(bytes)
  }

  /** Bytes of a length that the reader knows, given as hex digits. */
  hex(digits: string): this {
    this.#reserve(digits.length / 2)
    this.#length += this.#bytes.write(digits, this.#length, 'hex')
    return this
  }

  text(text: string): this {
    if (text.length <= plainCharactersMax && this.#plain(text)) return this
    const length = Buffer.byteLength(text)
    this.number(length).#reserve(length)
    this.#length += this.#bytes.write(text, this.#length)
    return this
  }

  /** Most texts are short and ASCII: those are written faster here than by the engine. False when it is not of that kind. */
  #plain(text: string): boolean {
    const { length } = text
    this.#reserve(1 + length)
    const bytes = this.#bytes
    const start = this.#length + 1
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) return false
      bytes[start + at] = code
    }
    bytes[start - 1] = length
    this.#length = start + length
    return true
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

export class MessageReader {
  readonly #bytes: Buffer
  #position = 0
  #end: number

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#end = bytes.byteLength
  }

  get isAtEnd(): boolean {
    return this.left === 0
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#end - this.#position
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!
  }

  number(max = Number.MAX_SAFE_INTEGER): number {
    let value = 0
    for (let weight = 1; weight <= 2 ** 49; weight *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * weight
      if (byte >= 0x80) continue
      if (value > max) throw new MessageMalformed(`${value} where ${max} is the most`)
      return value
    }
    throw new MessageMalformed('a number without end')
  }

  /** A number that honest peers count up by one, such as an epoch or a version, and add to each other: so far below the
   * largest that can be written that what is counted on from it can always be written, too. */
  counter(): number {
    return this.number(counterMax)
  }

  uint(length: number): number {
    return this.#bytes.readUIntBE(this.#take(length), length)
  }

  /** How many of something follow, each of at least a byte: so no count can make us take memory that it did not send. */
  count(): number {
    const count = this.number()
    if (count > this.left) throw new MessageMalformed('it counts more than it holds')
    return count
  }

  /** The place of something in a list of this length. */
  index(length: number): number {
    const index = this.number()
    if (index >= length) throw new MessageMalformed('it names something that is not there')
    return index
  }

  /** A view into the message: copy what is kept. */
  fixed(length: number): Buffer {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Bytes that outlive the message. */
  copy(length: number): Uint8Array {
    return new Uint8Array(this.fixed(length))
  }

  /** Reads a part of so many bytes, as if nothing came behind it. What is left of it is passed over: a later version's. */
  part<T>(length: number, read: (part: MessageReader) => T): T {
    const end = this.#end
    const partEnd = this.#take(length) + length
    this.#position = partEnd - length
    this.#end = partEnd
    const value = read(this)
    this.#position = partEnd
    this.#end = end
    return value
  }

  /** All that is left. */
  rest(): Buffer {
    return this.fixed(this.left)
  }

  bytes(lengthMax: number): Buffer {
    return this.fixed(this.number(lengthMax))
  }

  text(bytesMax: number): string {
    const length = this.number(bytesMax)
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  name(bytesMax: number): string {
    const text = this.text(bytesMax)
    if (!isName(text, bytesMax)) throw new MessageMalformed('a name has characters that names do not have')
    return text
  }

  hex(bytes: number): string {
    const at = this.#take(bytes)
    return this.#bytes.toString('hex', at, at + bytes)
  }

  #take(length: number): number {
    const at = this.#position
    if (length > this.left) throw new MessageMalformed('it ends too early')
    this.#position += length
    return at
  }
}
