// History: what two peers have lately told each other about links, which the next batch is compressed against.
//
// Why: at a batch a second most are small, and a small batch by itself compresses badly (ten links of a mixed web: 48 bytes
// each; with history 32, bench/results/exchange.md). Both sides come to the same history by themselves: it grows by each batch
// that was taken, and its id by that batch's content, so equal ids mean equal bytes.
//
// Bounded: the last `textBytesMax` of text and of mentions, and `figuresBytesMax`.

import { hash } from 'node:crypto'
import type { Sections } from './link-coding.ts'
import { urlPieces } from './url-pieces.ts'

const textBytesMax = 64 * 1024
const figuresBytesMax = 8 * 1024
export const historyIdBytes = 6
const noMentions = Buffer.alloc(0)

// zstd takes a dictionary for a trained one when it begins with a certain number; these do not.
const figuresStart = Buffer.alloc(8)

export class History {
  readonly id: string
  readonly #text: Buffer
  readonly #figures: Buffer
  readonly #mentions: Buffer

  constructor(id: string, text: Buffer, figures: Buffer, mentions: Buffer = noMentions) {
    this.id = id
    this.#text = text
    this.#figures = figures
    this.#mentions = mentions
  }

  get textDictionary(): Uint8Array {
    return Buffer.concat([urlPieces, this.#text])
  }

  get figuresDictionary(): Uint8Array {
    return Buffer.concat([figuresStart, this.#figures])
  }

  get mentionsDictionary(): Uint8Array {
    return Buffer.concat([urlPieces, this.#mentions])
  }

  after({ text, figures, mentions }: Sections, contentId: string): History {
    const id = hash('sha256', `${this.id}\n${contentId}`, 'hex').slice(0, 2 * historyIdBytes)
    return new History(
      id,
      joined(this.#text, text, textBytesMax),
      joined(this.#figures, figures, figuresBytesMax),
      mentions === undefined ? this.#mentions : joined(this.#mentions, mentions, textBytesMax),
    )
  }
}

/** Between peers that have told each other nothing, or have forgotten. */
export const noHistory = new History('00'.repeat(historyIdBytes), Buffer.alloc(0), Buffer.alloc(0))

function joined(before: Buffer, more: Uint8Array, bytesMax: number): Buffer {
  if (more.length >= bytesMax) return Buffer.from(more.subarray(-bytesMax))
  return Buffer.concat([before.subarray(-(bytesMax - more.length)), more])
}
