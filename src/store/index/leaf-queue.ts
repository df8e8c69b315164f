// Captures that this peer signed and that are not in its log yet: put here by the change that makes them count, taken from here by
// the log (proof/log/capture-log.ts).

import type { LeafQueue } from '../../proof/log/capture-log.ts'
import type { Hash } from '../../proof/merkle-tree.ts'
import type { StoreIndex } from './store-index.ts'

const keyBytes = 8

export class CaptureLeafQueue implements LeafQueue {
  readonly #index: StoreIndex
  /** undefined until somebody asked. */
  #last: number | undefined

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  /** Inside a change. Should that be taken back, a number is left out, and none is used twice. */
  add(leaf: Hash): void {
    this.#last = (this.#last ?? this.#lastKept()) + 1
    this.#index.unlogged.put(keyOf(this.#last), leaf)
  }

  entries(limit: number): { key: number; leaf: Hash }[] {
    return Array.from(this.#index.unlogged.range({ limit }), ([key, leaf]) => ({
      key: numberOf(key),
      leaf: Uint8Array.from(leaf),
    }))
  }

  async remove(upTo: number): Promise<void> {
    const keys = Array.from(this.#index.unlogged.range({ to: keyOf(upTo + 1) }), ([key]) =>
      Uint8Array.from(key),
    )
    if (keys.length === 0) return
    await this.#index.change(() => {
      for (const key of keys) this.#index.unlogged.remove(key)
    })
  }

  startAfter(key: number): void {
    this.#last = Math.max(key, this.#last ?? this.#lastKept())
  }

  #lastKept(): number {
    const [last] = this.#index.unlogged.range({ reverse: true, limit: 1 })
    return last === undefined ? 0 : numberOf(last[0])
  }
}

function keyOf(number: number): Uint8Array {
  const key = Buffer.alloc(keyBytes)
  key.writeBigUInt64BE(BigInt(number))
  return key
}

function numberOf(key: Uint8Array): number {
  return Number(Buffer.from(key).readBigUInt64BE())
}
