// Messages on a stream of bytes: each has its length before it, in four bytes.
//
// Invariants: what comes out is what went in, however the bytes were cut up on the way; a length over the limit is an
// error before any of its bytes are kept; memory in use is what has arrived, not what was announced. The highest lengths
// are marks, which have no body: a word between the two ends, beside the messages. Marks that are not known are passed
// over, so that later versions can have more of them.

import { MessageTooLarge, type Pieces, sizeOf } from '../../network/network.ts'

const lengthBytes = 4
const markMin = 0xffffff00

export const marks = { beat: 0xffffffff, beatHeard: 0xfffffffe } as const

const poolBytesMax = 4_096

/** The bytes of all these messages, in one piece. */
export function frame(messages: readonly Pieces[]): Uint8Array {
  let size = 0
  for (const message of messages) size += lengthBytes + sizeOf(message)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const message of messages) {
    at = bytes.writeUInt32BE(sizeOf(message), at)
    for (const piece of message instanceof Uint8Array ? [message] : message) {
      bytes.set(piece, at)
      at += piece.length
    }
  }
  return bytes
}

export function markFrame(mark: number): Uint8Array {
  return lengthFrame(mark)
}

/** The start of a message whose bytes follow. */
export function lengthFrame(length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(lengthBytes)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Takes a stream apart into messages. */
export class FrameReader {
  readonly #onMark: ((mark: number) => void) | undefined
  #messageBytesMax: number
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #length: number | undefined

  /** Without `onMark`, marks are lengths over the limit. */
  constructor(messageBytesMax: number, onMark?: (mark: number) => void) {
    this.#messageBytesMax = messageBytesMax
    this.#onMark = onMark
  }

  /** From the next message on. */
  set messageBytesMax(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax
  }

  /** Keeps the bytes for the next read. */
  add(bytes: Uint8Array): void {
    this.#parts.push(bytes)
    this.#partsBytes += bytes.length
  }

  /** The messages that are complete with these bytes; each is a copy. If the caller stops half-way, the rest comes next time. */
  *read(bytes?: Uint8Array): Generator<Uint8Array> {
    if (bytes !== undefined) this.add(bytes)
    for (;;) {
      if (this.#length === undefined) {
        if (this.#partsBytes < lengthBytes) return
        const length = this.#takeLength()
        if (length >= markMin && this.#onMark !== undefined) {
          this.#onMark(length)
          continue
        }
        if (length > this.#messageBytesMax) throw new MessageTooLarge(length, this.#messageBytesMax)
        this.#length = length
      }
      if (this.#partsBytes < this.#length) return
      const message = this.#take(this.#length)
      this.#length = undefined
      yield message
    }
  }

  #takeLength(): number {
    const first = this.#parts[0]!
    if (first.length <= lengthBytes) {
      const [a, b, c, d] = this.#take(lengthBytes)
      return ((a! << 24) | (b! << 16) | (c! << 8) | d!) >>> 0
    }
    this.#parts[0] = first.subarray(lengthBytes)
    this.#partsBytes -= lengthBytes
    return ((first[0]! << 24) | (first[1]! << 16) | (first[2]! << 8) | first[3]!) >>> 0
  }

  #take(size: number): Uint8Array {
    const taken = memoryOf(size)
    let at = 0
    let index = 0
    while (at < size) {
      const part = this.#parts[index]!
      const used = part.length <= size - at ? part : part.subarray(0, size - at)
      taken.set(used, at)
      at += used.length
      if (used.length === part.length) index++
      else this.#parts[index] = part.subarray(used.length)
    }
    if (index > 0) this.#parts.splice(0, index)
    this.#partsBytes -= size
    return taken
  }
}

/** Small ones from Node's pool, which is much faster than memory of their own. None is filled with zeros first. */
function memoryOf(size: number): Uint8Array {
  const memory = size > poolBytesMax ? Buffer.allocUnsafeSlow(size) : Buffer.allocUnsafe(size)
  return new Uint8Array(memory.buffer, memory.byteOffset, size)
}
