// Value coding: what one part's pages give to those of another, as bytes: of every target that both know in the same order, by how much
// it differs from what was told last.
//
// Differences are told in whole quanta, zigzag and 7 bits to a byte, so most take a byte or two. Both sides add up the same quanta, so
// the receiver's value is never further than half a quantum from the sender's, and nothing that was rounded off is lost: it is
// part of the next difference. The quantum shrinks with the change of the last iterations (rank-run.ts): at every iteration a value
// has as many digits as still matter, and in the end all.
//
// A quantum of 0: values in full, 8 bytes each. So begins a run, which may start from ranks that are exact already.

import { MessageMalformed } from '../formats/wire/message-bytes.ts'

/** A difference is below 2⁵³ quanta: 8 bytes of 7 bits. */
const varintBytesMax = 8
const countMax = 2 ** 52

export class ToldValues {
  /** As the receiver has them. */
  readonly values: Float64Array

  constructor(count: number) {
    this.values = new Float64Array(count)
  }

  /** `next` become the values, as far as quanta can tell. Values must be finite. */
  encode(next: Float64Array, quantum: number): Uint8Array {
    if (quantum === 0) {
      this.values.set(next)
      return new Uint8Array(next.buffer.slice(next.byteOffset, next.byteOffset + next.byteLength))
    }
    const { values } = this
    const bytes = new Uint8Array(varintBytesMax * values.length)
    let at = 0
    for (let slot = 0; slot < values.length; slot++) {
      const wanted = Math.round((next[slot]! - values[slot]!) / quantum)
      const quanta = Math.max(-countMax, Math.min(countMax, wanted))
      values[slot]! += quanta * quantum
      let left = quanta < 0 ? -2 * quanta - 1 : 2 * quanta
      for (; left >= 128; left = Math.floor(left / 128)) bytes[at++] = (left % 128) | 128
      bytes[at++] = left
    }
    return bytes.slice(0, at)
  }

  /** Of what `encode` made. Refuses what it cannot have made; values may then be anything, and are not to be used. */
  decode(bytes: Uint8Array, quantum: number): void {
    if (quantum === 0) this.#decodeFull(bytes)
    else this.#decodeQuanta(bytes, quantum)
  }

  #decodeQuanta(bytes: Uint8Array, quantum: number): void {
    const { values } = this
    let at = 0
    for (let slot = 0; slot < values.length; slot++) {
      let [number, factor] = [0, 1]
      for (let byte = 128; byte >= 128; factor *= 128) {
        if (at === bytes.length || factor > countMax) throw new MessageMalformed('values are cut off')
        byte = bytes[at++]!
        number += (byte & 127) * factor
      }
      values[slot]! += (number % 2 === 1 ? -(number + 1) / 2 : number / 2) * quantum
    }
    if (at !== bytes.length) throw new MessageMalformed('there are more values than targets')
  }

  #decodeFull(bytes: Uint8Array): void {
    if (bytes.length !== this.values.byteLength) throw new MessageMalformed('values are cut off')
    this.values.set(new Float64Array(new Uint8Array(bytes).buffer))
  }
}
