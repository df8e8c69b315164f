// Piece reader: reads captures that are too large for a message, a piece at a time.
//
// Remembers where each reader is, so that the next piece costs no more than itself. For a reader that comes back later, or to
// another place, what is made for it is made anew from the beginning; what is stored is read on from there.
// Every reading ends: at its end, when nobody asks for a while, or when there are too many.

import { PolyhistorError } from '../../../errors.ts'
import type { Piece } from '../../../formats/wire/message-piece.ts'
import type { Clock, Timer } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { HeldCaptures } from './held-captures.ts'

interface Reading {
  readonly chunks: AsyncIterator<Uint8Array>
  /** Of the first byte in `ahead`. */
  offset: number
  ahead: Buffer
  isEnded: boolean
  timer?: Timer | undefined
}

export const pieceBytes = 1024 * 1024
const readingsMax = 32
const readingsOfOneMax = 8
const idleMsMax = 30_000

/** It is not here, or not any more. */
class CaptureMissing extends PolyhistorError {
  constructor() {
    super('capture-missing', 'This peer does not have the capture', { retry: 'later' })
  }
}

export class PieceReader {
  readonly #held: HeldCaptures
  readonly #clock: Clock
  readonly #readings = new Map<string, Reading>()

  constructor(needs: { held: HeldCaptures; clock: Clock }) {
    this.#held = needs.held
    this.#clock = needs.clock
  }

  async read(
    reader: PeerId,
    { key, isWhole, offset }: { key: Uint8Array; isWhole: boolean; offset: number },
  ): Promise<Piece> {
    const name = `${reader} ${isWhole} ${Buffer.from(key).toString('latin1')}`
    const reading = this.#takeUp(name, offset) ?? (await this.#begin(key, isWhole, offset))
    await skipTo(reading, offset)
    await fill(reading, pieceBytes)
    const bytes = reading.ahead.subarray(0, pieceBytes)
    reading.ahead = reading.ahead.subarray(bytes.length)
    reading.offset += bytes.length
    const isLast = reading.isEnded && reading.ahead.length === 0
    if (!isLast) this.#layDown(name, reading)
    return { bytes, isLast }
  }

  close(): void {
    for (const name of [...this.#readings.keys()]) this.#end(name)
  }

  /** Whoever reads has it for itself meanwhile. */
  #takeUp(name: string, offset: number): Reading | undefined {
    const reading = this.#readings.get(name)
    if (reading === undefined || reading.offset > offset) return undefined
    reading.timer?.cancel()
    this.#readings.delete(name)
    return reading
  }

  #layDown(name: string, reading: Reading): void {
    this.#end(name)
    reading.timer = this.#clock.after(idleMsMax, () => this.#end(name))
    this.#readings.set(name, reading)
    const own = [...this.#readings.keys()].filter((other) => other.startsWith(readerOf(name)))
    // Who reads much at once loses its own place, not that of others.
    if (own.length > readingsOfOneMax) this.#end(own[0]!)
    else if (this.#readings.size > readingsMax) this.#end(this.#readings.keys().next().value!)
  }

  #end(name: string): void {
    const reading = this.#readings.get(name)
    reading?.timer?.cancel()
    this.#readings.delete(name)
    void reading?.chunks.return?.()
  }

  async #begin(key: Uint8Array, isWhole: boolean, offset: number): Promise<Reading> {
    const cursor = this.#held.roster.cursorOf(key)
    const copy = cursor === undefined ? undefined : await this.#held.give(cursor, { isWhole })
    if (copy === undefined) throw new CaptureMissing()
    if (copy instanceof Uint8Array) return readingOf(single(copy), 0)
    return copy.stored === undefined ? readingOf(copy, 0) : readingOf(copy.stored.from(offset), offset)
  }
}

/** What the names of all its readings begin with. */
function readerOf(name: string): string {
  return name.slice(0, name.indexOf(' ') + 1)
}

function readingOf(chunks: AsyncIterable<Uint8Array>, offset: number): Reading {
  return { chunks: chunks[Symbol.asyncIterator](), offset, ahead: Buffer.alloc(0), isEnded: false }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function skipTo(reading: Reading, offset: number): Promise<void> {
  while (reading.offset < offset && !(reading.isEnded && reading.ahead.length === 0)) {
    await fill(reading, 1)
    const skipped = Math.min(offset - reading.offset, reading.ahead.length)
    reading.ahead = reading.ahead.subarray(skipped)
    reading.offset += skipped
  }
}

/** Until so many bytes are there, or the end. */
async function fill(reading: Reading, bytes: number): Promise<void> {
  const parts: Uint8Array[] = [reading.ahead]
  let length = reading.ahead.length
  while (length < bytes && !reading.isEnded) {
    const next = await reading.chunks.next()
    if (next.done) reading.isEnded = true
    else {
      parts.push(next.value)
      length += next.value.length
    }
  }
  if (parts.length > 1) reading.ahead = Buffer.concat(parts)
}
