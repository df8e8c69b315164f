// A block too large for memory, read straight from the source as its consumer asks, and never twice.
//
// The reader calls finish() before it goes on: what the consumer left is read past, and what went wrong on the way is
// thrown to both.

import type { StreamedBlock } from '../record.ts'
import type { ByteSource } from './byte-source.ts'
import { blockTruncation } from './record-decoding.ts'

interface BlockWatch {
  /** An error as the consumer and the reader should see it. */
  place(error: unknown): unknown
  /** Sees every byte of the block, consumed or passed over. */
  update(chunk: Uint8Array): void
  /** Called once, when the source is just behind the block. */
  end(): Promise<void>
}

export class FlowingBlock implements StreamedBlock {
  readonly length: number
  readonly #source: ByteSource
  readonly #watch: BlockWatch
  #remaining: number
  #state: 'fresh' | 'reading' | 'ended' | 'left' = 'fresh'
  #failure: { error: unknown } | undefined

  constructor(source: ByteSource, length: number, watch: BlockWatch) {
    this.length = length
    this.#source = source
    this.#watch = watch
    this.#remaining = length
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#state !== 'fresh')
      throw new Error('a streamed block is read once, before the next record is asked for')
    this.#state = 'reading'
    for (;;) {
      const chunk = await this.#pull()
      if (chunk === undefined) return
      yield chunk
    }
  }

  async finish(): Promise<void> {
    while ((await this.#pull()) !== undefined);
    this.#state = 'left'
  }

  async #pull(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#state === 'left') throw new Error('the reader has moved on to the next record')
    if (this.#state === 'ended') return undefined
    try {
      return await this.#next()
    } catch (error) {
      const placed = this.#watch.place(error)
      this.#failure = { error: placed }
      throw placed
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#remaining === 0) {
      this.#state = 'ended'
      await this.#watch.end()
      return undefined
    }
    const source = this.#source
    if (!(await source.fill(1))) throw blockTruncation(this.length, this.length - this.#remaining)
    const chunk = source.window.subarray(0, Math.min(this.#remaining, source.window.length))
    source.consume(chunk.length)
    this.#remaining -= chunk.length
    this.#watch.update(chunk)
    return chunk
  }
}
