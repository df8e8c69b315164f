// Heads of answers read lately, so that a page asked for again is not read from its volume again.
//
// Invariants: bounded by number and by the length of each; the least recently used goes first. What a capture answers
// never changes, so nothing here gets old; whether it may still be shown is for the caller to ask.

import type { ContentKey } from '../contents/content-key.ts'

export interface AnswerHead {
  readonly head: Uint8Array | undefined
  readonly content: ContentKey
  /** Where its own record says that the payload was first seen. */
  readonly refersTo: string | undefined
  readonly isBroken: boolean
}

const headsMax = 4_096
const headBytesMax = 4_096

export class AnswerHeads {
  readonly #headsMax: number
  readonly #heads = new Map<string, AnswerHead>()

  constructor(max = headsMax) {
    this.#headsMax = max
  }

  get(cursor: string): AnswerHead | undefined {
    const head = this.#heads.get(cursor)
    if (head === undefined) return undefined
    this.#heads.delete(cursor)
    this.#heads.set(cursor, head)
    return head
  }

  put(cursor: string, { head, content, ...rest }: AnswerHead): void {
    if (head !== undefined && head.length > headBytesMax) return
    const { digest, overflow } = content
    // Copies: the head's own memory is all of its record, and that of a digest from the index a block of 64 kB that many share.
    const key = { digest: { ...digest, bytes: new Uint8Array(digest.bytes) }, overflow }
    this.#heads.set(cursor, { head: head && new Uint8Array(head), content: key, ...rest })
    for (const [oldest] of this.#heads) {
      if (this.#heads.size <= this.#headsMax) break
      this.#heads.delete(oldest)
    }
  }
}
