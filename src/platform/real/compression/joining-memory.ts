// Puts bytes that came in parts together, in memory that is used again.
//
// Why: a page of 19 kB joined for each record is most of what there is for the garbage collector to clear away.
// Invariant: what was joined is good until the next is. Long inputs get memory of their own: they are rare, and it would
// be held for good.

/** A power of two. */
const keptBytesMax = 128 * 1024

export class JoiningMemory {
  #memory = Buffer.alloc(0)

  join(bytes: Uint8Array | readonly Uint8Array[]): Uint8Array {
    if (bytes instanceof Uint8Array) return bytes
    if (bytes.length === 1) return bytes[0]!
    const length = lengthOf(bytes)
    if (length > keptBytesMax) return Buffer.concat(bytes, length)
    if (length > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)))
    let at = 0
    for (const part of bytes) {
      this.#memory.set(part, at)
      at += part.length
    }
    return this.#memory.subarray(0, length)
  }
}

export function lengthOf(bytes: Uint8Array | readonly Uint8Array[]): number {
  if (bytes instanceof Uint8Array) return bytes.length
  let sum = 0
  for (const { length } of bytes) sum += length
  return sum
}
