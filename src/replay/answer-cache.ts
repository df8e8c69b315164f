// Answers that were made lately: a page is read by many, and rewritten once. Bounded by bytes; the least recently used
// goes first. What is in here was verified when it was made, and depends on nothing but its key.

import type { Header } from './archived-head.ts'

export interface MadeAnswer {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  readonly entityTag: string
}

/** Headers and bookkeeping, roughly. */
const overheadBytes = 2_000

export class AnswerCache {
  readonly #bytesMax: number
  readonly #answers = new Map<string, MadeAnswer>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(key: string): MadeAnswer | undefined {
    const answer = this.#answers.get(key)
    if (answer === undefined) return undefined
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    return answer
  }

  put(key: string, answer: MadeAnswer): void {
    const bytes = answer.body.length + overheadBytes
    // One large answer must not push out everything else.
    if (bytes > this.#bytesMax / 8 || this.#answers.has(key)) return
    this.#answers.set(key, answer)
    this.#bytes += bytes
    for (const [name, oldest] of this.#answers) {
      if (this.#bytes <= this.#bytesMax) break
      this.#answers.delete(name)
      this.#bytes -= oldest.body.length + overheadBytes
    }
  }
}
