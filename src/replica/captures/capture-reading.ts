// Reads captures of ours for sending.

import { PolyhistorError } from '../../errors.ts'
import type { HeldCaptures } from './held-captures.ts'
import type { SentCapture } from './wire/questions.ts'

/** Read at once: the disk likes company. */
const readsAtOnce = 16

export class CaptureReading {
  readonly #held: HeldCaptures

  constructor(needs: { held: HeldCaptures }) {
    this.#held = needs.held
  }

  /** In the order given; undefined for what is not here (any more), or cannot be read. */
  async *all(
    keys: Iterable<Uint8Array>,
    isWhole: boolean,
  ): AsyncGenerator<{ key: Uint8Array; capture: SentCapture | undefined }> {
    const ahead: { key: Uint8Array; reading: Promise<SentCapture | undefined> }[] = []
    for (const key of keys) {
      ahead.push({ key, reading: this.#read(key, isWhole) })
      if (ahead.length < readsAtOnce) continue
      const { key: first, reading } = ahead.shift()!
      yield { key: first, capture: await reading }
    }
    for (const { key, reading } of ahead) yield { key, capture: await reading }
  }

  async #read(key: Uint8Array, isWhole: boolean): Promise<SentCapture | undefined> {
    try {
      const cursor = this.#held.roster.cursorOf(key)
      const copy = cursor === undefined ? undefined : await this.#held.give(cursor, { isWhole })
      if (copy === undefined || copy instanceof Uint8Array) return copy && { key, isWhole, bytes: copy }
      return { key, isWhole, bytes: undefined, stored: copy.stored }
    } catch (error) {
      // Damaged here; a scrub heals it from the others.
      if (error instanceof PolyhistorError) return undefined
      throw error
    }
  }
}
