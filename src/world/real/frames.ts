// Messages on a stream of bytes: each has its length before it, in four bytes.
//
// Invariants: what comes out is what went in, however the bytes were cut up on the way; a length over the limit is an
// error before any of its bytes are kept; memory in use is what has arrived, not what was announced.

import { MessageTooLarge } from '../network.ts'

const lengthBytes = 4

/** The bytes of all these messages, in one piece. */
export function frame(messages: readonly Uint8Array[]): Uint8Array {
  const size = messages.reduce((sum, message) => sum + lengthBytes + message.length, 0)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const message of messages) {
    at = bytes.writeUInt32BE(message.length, at)
    bytes.set(message, at)
    at += message.length
  }
  return bytes
}

/** Takes a stream apart into messages. */
export class FrameReader {
  readonly #messageBytesMax: number
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #length: number | undefined

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax
  }

  /** The messages that are whole with these bytes; each is a copy. */
  *read(bytes: Uint8Array): Generator<Uint8Array> {
    this.#parts.push(bytes)
    this.#partsBytes += bytes.length
    for (;;) {
      if (this.#length === undefined) {
        if (this.#partsBytes < lengthBytes) return
        this.#length = this.#take(lengthBytes).readUInt32BE()
        if (this.#length > this.#messageBytesMax)
          throw new MessageTooLarge(this.#length, this.#messageBytesMax)
      }
      if (this.#partsBytes < this.#length) return
      const message = this.#take(this.#length)
      this.#length = undefined
      yield new Uint8Array(message.buffer, message.byteOffset, message.length)
    }
  }

  #take(size: number): Buffer<ArrayBuffer> {
    const taken = Buffer.from(new ArrayBuffer(size))
    let at = 0
    let index = 0
    while (at < size) {
      const part = this.#parts[index]!
      const used = part.subarray(0, size - at)
      taken.set(used, at)
      at += used.length
      if (used.length === part.length) index++
      else this.#parts[index] = part.subarray(used.length)
    }
    this.#parts.splice(0, index)
    this.#partsBytes -= size
    return taken
  }
}
