// Bounds of ranges as bytes: each as what it has beyond the one before it.

import {
  MessageMalformed,
  type MessageReader,
  type MessageWriter,
} from '../../../formats/wire/message-bytes.ts'
import { sharedLength } from '../sums/key-range.ts'
import { rosterKeyBytesMax } from '../sums/roster.ts'

export class BoundWriter {
  readonly #writer: MessageWriter
  #last: Uint8Array

  constructor(writer: MessageWriter, last: Uint8Array = new Uint8Array()) {
    this.#writer = writer
    this.#last = last
  }

  /** undefined is the end of everything. */
  write(bound: Uint8Array | undefined): void {
    if (bound === undefined) {
      this.#writer.number(0)
      return
    }
    const shared = sharedLength(this.#last, bound)
    this.#writer.number(shared + 1).bytes(bound.subarray(shared))
    this.#last = bound
  }
}

export class BoundReader {
  readonly #reader: MessageReader
  #last: Uint8Array

  constructor(reader: MessageReader, last: Uint8Array = new Uint8Array()) {
    this.#reader = reader
    this.#last = last
  }

  read(): Uint8Array | undefined {
    const shared = this.#reader.number() - 1
    if (shared < 0) return undefined
    if (shared > this.#last.length) throw new MessageMalformed('a bound shares more than there is')
    const rest = this.#reader.bytes(rosterKeyBytesMax - shared)
    this.#last = new Uint8Array(Buffer.concat([this.#last.subarray(0, shared), rest]))
    return this.#last
  }
}
