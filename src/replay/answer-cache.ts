// Answers that were made lately: a page is read by many, and rewritten once. Bounded by bytes; the least recently used
// goes first. What is in here was verified when it was made, and depends on nothing but its key.

import type { HttpAnswer } from '../world/http-server.ts'
import type { Content } from './content.ts'

export interface MadeAnswer {
  readonly content: Content & { readonly body: Uint8Array }
  /** The whole of it, for those who ask for the whole. */
  readonly answer: HttpAnswer
}

/** Headers and bookkeeping, roughly. */
const overheadBytes = 4_000

export class AnswerCache {
  readonly #bytesMax: number
  readonly #answers = new Map<string, MadeAnswer>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(key: string): MadeAnswer | undefined {
    const made = this.#answers.get(key)
    if (made === undefined) return undefined
    this.#answers.delete(key)
    this.#answers.set(key, made)
    return made
  }

  put(key: string, made: MadeAnswer): void {
    const bytes = sizeOf(made)
    // One large answer must not push out everything else.
    if (bytes > this.#bytesMax / 8 || this.#answers.has(key)) return
    this.#answers.set(key, made)
    this.#bytes += bytes
    for (const [name, oldest] of this.#answers) {
      if (this.#bytes <= this.#bytesMax) break
      this.#answers.delete(name)
      this.#bytes -= sizeOf(oldest)
    }
  }
}

function sizeOf({ content }: MadeAnswer): number {
  return content.body.length + overheadBytes
}
