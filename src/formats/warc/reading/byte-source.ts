// Chunks that come one after the other, seen through a window: look ahead as far as you ask, use up what you read.
//
// Invariants: `position` counts every byte used up since the start; bytes of a window never change, so parts of it
// may be handed on. The window grows only as far as fill() is asked to, and by less than one chunk more.

import { bufferView } from '../../wire/buffer-view.ts'

/** Bytes that may be looked at again for nothing: this many, and four times those used up. */
const rereadBytesFree = 16 * 1024 * 1024

export class ByteSource {
  readonly #iterator: AsyncIterator<Uint8Array>
  #window: Buffer = Buffer.alloc(0)
  #position = 0
  #ended = false
  #failed = false
  #rereadBytes = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]()
  }

  get window(): Buffer {
    return this.#window
  }

  /** Where the window starts. */
  get position(): number {
    return this.#position
  }

  /** Whether the chunks themselves gave an error, which fill() threw. */
  get failed(): boolean {
    return this.#failed
  }

  /** Widens the window to at least `length` bytes. False: the chunks ended before. */
  async fill(length: number): Promise<boolean> {
    if (this.#window.length >= length) return true
    if (this.#ended) return false
    const parts: Uint8Array[] = this.#window.length === 0 ? [] : [this.#window]
    let have = this.#window.length
    while (have < length) {
      const chunk = await this.#next()
      if (chunk === undefined) break
      if (chunk.length > 0) parts.push(chunk)
      have += chunk.length
    }
    this.#window = join(parts)
    return have >= length
  }

  /** Uses up bytes of the window. */
  consume(length: number): void {
    this.#window = this.#window.subarray(length)
    this.#position += length
  }

  /** Uses up bytes, as many as there are up to `length`, without holding them. Gives how many. */
  async skip(length: number): Promise<number> {
    let skipped = 0
    while (skipped < length && (await this.fill(1))) {
      const part = Math.min(length - skipped, this.#window.length)
      this.consume(part)
      skipped += part
    }
    return skipped
  }

  /** Uses up one byte, so that the rest of the window can be tried again. `triedBytes`: what the try that failed has
   * looked at. Files made to have every byte tried in vain lose the whole window instead once that has been done too
   * often: time stays linear. */
  stepOver(triedBytes: number): void {
    this.#rereadBytes += triedBytes
    const isTooOften = this.#rereadBytes > rereadBytesFree + 4 * this.#position
    this.consume(isTooOften ? this.#window.length : 1)
  }

  async close(): Promise<void> {
    this.#ended = true
    await this.#iterator.return?.()
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#iterator.next()
      if (done !== true) return value
    } catch (error) {
      this.#failed = true
      this.#ended = true
      throw error
    }
    this.#ended = true
    return undefined
  }
}

function join(parts: Uint8Array[]): Buffer {
  return parts.length === 1 ? bufferView(parts[0]!) : Buffer.concat(parts)
}
