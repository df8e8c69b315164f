// Proof of possession: digests of captures' bytes that begin with a nonce of the asker, so that only a store that has the bytes
// can make them.
//
// Not of the records as they are stored: who knew the payload keeps a revisit where another keeps it whole, and volumes are
// compressed in several ways. Of what the capture reads as, then: its HTTP head, without the field that deltas and exports leave
// out, and its payload. A payload that other peers keep is not read for it. Audits (network/audits/) ask for stretches of the same bytes.

import { createHash } from 'node:crypto'
import { PolyhistorError } from '../../errors.ts'
import { withoutTransferCoding } from '../../formats/http/http-message.ts'
import type { Capture } from '../capture.ts'
import { printContentKey } from '../contents/content-key.ts'
import type { Answers } from '../reading/answer.ts'

import type { CaptureFinder } from '../reading/capture-finder.ts'

export class Possession {
  readonly #answers: Answers
  readonly #finder: CaptureFinder

  constructor(needs: { answers: Answers; finder: CaptureFinder }) {
    this.#answers = needs.answers
    this.#finder = needs.finder
  }

  /** 32 bytes of each; undefined where it is not here, or cannot be read. One after the other, to leave the disk to others. */
  async digests(
    cursors: readonly (string | undefined)[],
    nonce: Uint8Array,
  ): Promise<(Uint8Array | undefined)[]> {
    /** Many captures have the same payload. */
    const payloads = new Map<string, Uint8Array>()
    const digests: (Uint8Array | undefined)[] = []
    for (const cursor of cursors) {
      const capture = cursor === undefined ? undefined : this.#finder.byCursor(cursor)
      digests.push(capture && (await this.#digest(capture, nonce, payloads).catch(unreadable)))
    }
    return digests
  }

  /** Some bytes of what a capture reads as, from a place that `at` chooses, a whole number; undefined where it is not here, cannot be
   * read, or is with others. All before them is read, too. */
  async stretch(cursor: string, at: number, bytesMax: number): Promise<Uint8Array | undefined> {
    const capture = this.#finder.byCursor(cursor)
    if (capture === undefined || capture.isElsewhere) return undefined
    return this.#stretch(capture, at, bytesMax).catch(unreadable)
  }

  async #stretch(capture: Capture, at: number, bytesMax: number): Promise<Uint8Array> {
    const { head, payload, sizeBytes } = await this.#answers.read(capture)
    const start = head === undefined ? new Uint8Array() : withoutTransferCoding(head)
    const payloadBytes = capture.content === undefined ? 0 : sizeBytes
    const from = at % Math.max(1, start.length + payloadBytes)
    const parts: Uint8Array[] = [start.subarray(from, from + bytesMax)]
    let [offset, wanted] = [start.length, bytesMax - parts[0]!.length]
    if (wanted === 0 || payloadBytes === 0) return parts[0]!
    for await (const chunk of payload()) {
      const part = chunk.subarray(Math.max(0, from - offset)).subarray(0, wanted)
      parts.push(part)
      offset += chunk.length
      wanted -= part.length
      if (wanted === 0) break
    }
    return Buffer.concat(parts)
  }

  async #digest(capture: Capture, nonce: Uint8Array, payloads: Map<string, Uint8Array>): Promise<Uint8Array> {
    const { head, payload } = await this.#answers.read(capture)
    const hash = createHash('sha256').update(nonce)
    hash.update(head === undefined ? new Uint8Array() : withoutTransferCoding(head))
    if (capture.isElsewhere || capture.content === undefined) return hash.digest()
    const name = printContentKey(capture.content)
    let known = payloads.get(name)
    if (known === undefined) {
      const bytes = createHash('sha256').update(nonce)
      for await (const chunk of payload()) bytes.update(chunk)
      known = bytes.digest()
      payloads.set(name, known)
    }
    return hash.update(known).digest()
  }
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof PolyhistorError)) throw error
}
