// One simulated file's bytes: as the process sees them, and as they are on the platter.
//
// Invariants: a sync makes the platter the same as what is seen, but for bytes that an earlier failed sync has lost.
// A power cut leaves each sector as it was after some of the changes since the last sync, none and all included: so a
// write may be torn between sectors, never inside one. The size too is that after some of the changes.

import { GrowingBytes } from './growing-bytes.ts'
import type { SimulatedRandom } from './random.ts'

export const sectorBytes = 512

/** Bytes that were written, or (without bytes) a cut of the file to `position`. */
interface Change {
  position: number
  bytes: Uint8Array | undefined
  sizeAfter: number
}

export class FileContent {
  readonly #seen = new GrowingBytes()
  readonly #platter = new GrowingBytes()
  #unsynced: Change[] = []

  get sizeBytes(): number {
    return this.#seen.size
  }

  read(position: number, length: number): Uint8Array {
    return this.#seen.slice(position, position + length)
  }

  write(position: number, bytes: Uint8Array): void {
    this.#seen.write(position, bytes)
    // A copy: the writer may use its memory again.
    this.#unsynced.push({ position, bytes: bytes.slice(), sizeAfter: this.#seen.size })
  }

  truncate(sizeBytes: number): void {
    this.#seen.resize(sizeBytes)
    this.#unsynced.push({ position: sizeBytes, bytes: undefined, sizeAfter: sizeBytes })
  }

  sync(): void {
    for (const change of this.#unsynced) this.#apply(change)
    this.#platter.resize(this.#seen.size)
    this.#unsynced = []
  }

  /** As Linux does it: what could not be written counts as written from now on, and is still seen until a crash. */
  failSync(random: SimulatedRandom): void {
    for (const change of this.#unsynced) if (random.chance(0.5)) this.#apply(change)
    this.#unsynced = []
  }

  /** The power is cut. */
  crash(random: SimulatedRandom): void {
    const count = this.#unsynced.length
    if (count > 0) {
      // Most often a disk loses all, nothing, or the end; now and then anything.
      const luck = random.below(4)
      if (luck === 1) this.sync()
      else if (luck > 1)
        this.#keepSome(luck === 2 ? nearOneCut(random, count) : () => random.below(count + 1))
    }
    this.#unsynced = []
    this.#seen.copyOf(this.#platter)
  }

  rot(position: number, bit: number): void {
    this.#seen.flip(position, bit)
    this.#platter.flip(position, bit)
  }

  #apply(change: Change): void {
    if (change.bytes) this.#platter.write(change.position, change.bytes)
    else this.#platter.resize(change.position)
  }

  /** Keeps of each sector the first so many changes; `drawCut` says how many. */
  #keepSome(drawCut: () => number): void {
    const sizeCut = drawCut()
    const size = sizeCut === 0 ? this.#platter.size : this.#unsynced[sizeCut - 1]!.sizeAfter
    const cuts = new Map<number, number>()
    const reaches = (sector: number, index: number): boolean => {
      let cut = cuts.get(sector)
      if (cut === undefined) cuts.set(sector, (cut = drawCut()))
      return index < cut
    }
    this.#unsynced.forEach((change, index) => {
      const end = change.bytes ? change.position + change.bytes.length : this.#platter.size
      for (let sector = Math.floor(change.position / sectorBytes); sector * sectorBytes < end; sector++) {
        if (reaches(sector, index)) this.#applyTo(sector, change)
      }
    })
    this.#platter.resize(size)
  }

  #applyTo(sector: number, change: Change): void {
    const from = Math.max(change.position, sector * sectorBytes)
    const to = (sector + 1) * sectorBytes
    if (change.bytes === undefined) this.#platter.zero(from, to)
    else this.#platter.write(from, change.bytes.subarray(from - change.position, to - change.position))
  }
}

/** What came before one moment is kept, what came after is lost, and the change at that moment is torn. */
function nearOneCut(random: SimulatedRandom, count: number): () => number {
  const cut = random.below(count)
  return () => cut + random.below(2)
}
