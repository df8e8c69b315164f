// The share of the disk that a peer gives to its network: never used beyond it, volumes, index and temporary files together.
//
// What lies in the home is counted now and then, and what is written in between is added; a margin is kept for what the
// index and others write meanwhile. As much as a volume is kept for compaction: who is full must be able to shrink, and what
// lives in a volume is written anew before the volume goes. Who comes near the end gives up positions, so that others take over what they
// stand for; who is at the end takes no captures any more, and says so. A disk that has less than was given is the share.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { bytes as size } from '../../config/kinds.ts'
import type { ShareStatus } from '../../model/peer-status.ts'
import type { Share } from '../../store/volumes/disk-room.ts'

/** Of the share, for what others than the store's volumes write between two counts: index, journal, frontier, spools. They grow by
 * the same amounts however small the share. */
const marginPart = 0.03
const marginBytes = 64_000_000
const marginPartMax = 0.25
/** Maps grow in steps of about a megabyte: a share that is so small that this would not fit into a quarter gives up more of it. */
const marginBytesMin = 2_400_000
const marginPartOfSmall = 0.4
/** Of the margin, that compaction may take for a moment: when the rest of the home has grown into it, too, who is full must be able
 * to shrink. */
const movingPart = 0.5
const fillingPart = 0.9
/** With less than this left, what comes in does not fit: a batch of captures is looked at as one. */
const fullPart = 0.01
const fullBytes = 1_000_000
const fullPartMax = 0.1
/** A volume is no larger part of the share than this. */
const volumePart = 1 / 16
const countEveryMs = 1_000
/** Looking at every file takes a while: where so many times the margin is left, it is done a tenth as often. */
const roomyMargins = 10
const countRoomyEveryMs = 10_000
/** Files of one block or more take what the disk gives them in blocks. */
const blockBytes = 512

export class DiskShare implements Share {
  readonly shareBytes: number
  /** How large volumes are to be, so that there is room to compact one. */
  readonly volumeBytesMax: number
  readonly #folders: Set<string>
  readonly #nowMs: () => number
  readonly #roomOn: (folder: string) => Promise<number>
  readonly #bytesIn: (folder: string) => Promise<number>
  #counted = { bytes: 0, atMs: Number.NEGATIVE_INFINITY, freed: 0 }
  /** How often files have gone. */
  #freed = 0
  #writtenSince = 0
  #counting: Promise<void> | undefined

  constructor(
    folders: readonly string[],
    shareBytes: number,
    nowMs: () => number,
    volumeBytesMax = Number.POSITIVE_INFINITY,
    /** Bytes that the store may still use of the disk that a folder is on. */
    roomOn: (folder: string) => Promise<number> = async () => Number.POSITIVE_INFINITY,
    /** What lies in a folder. */
    bytesIn = bytesOnDisk,
  ) {
    this.#folders = new Set(folders)
    this.shareBytes = shareBytes
    this.volumeBytesMax = Math.min(volumeBytesMax, Math.floor(volumePart * shareBytes))
    this.#nowMs = nowMs
    this.#roomOn = roomOn
    this.#bytesIn = bytesIn
  }

  /** Counts this folder too: volumes on another disk. */
  count(folder: string): void {
    this.#folders.add(folder)
    this.#counted = { ...this.#counted, atMs: Number.NEGATIVE_INFINITY }
  }

  async left(isMoving = false): Promise<number> {
    await this.#count()
    return (isMoving ? this.#mostMoving : this.#most) - this.#usedBytes
  }

  use(bytes: number): void {
    this.#writtenSince += bytes
  }

  /** What is free is counted at once: whoever compacts goes on with it. */
  freed(): void {
    this.#freed++
  }

  get refusal(): string {
    return `The ${size.print(this.shareBytes)} that this peer gives to its network are used up (ring.share). Start it with a larger --share to take more.`
  }

  async state(): Promise<ShareStatus> {
    const roomBytes = await this.#room()
    const leftBytes = Math.min(roomBytes, await this.left())
    const usedBytes = this.#usedBytes
    const shareBytes = Math.min(this.shareBytes, usedBytes + roomBytes)
    const isFilling = usedBytes > fillingPart * Math.min(this.#most, usedBytes + roomBytes)
    const state = leftBytes < fullOf(shareBytes) ? 'full' : isFilling ? 'filling' : 'room'
    return { shareBytes, usedBytes, state }
  }

  /** On the disk that has most. */
  async #room(): Promise<number> {
    const rooms = await Promise.all(
      Array.from(this.#folders, (folder) => this.#roomOn(folder).catch(() => Number.NEGATIVE_INFINITY)),
    )
    return Math.max(0, ...rooms)
  }

  /** For what is new. */
  get #most(): number {
    return this.shareBytes - marginOf(this.shareBytes) - this.volumeBytesMax
  }

  /** For what is written anew so that something else can go. The margin may be half used by then, with what it is there for. */
  get #mostMoving(): number {
    return this.#most + this.volumeBytesMax + movingPart * marginOf(this.shareBytes)
  }

  get #countEveryMs(): number {
    const isRoomy = this.#most - this.#usedBytes > roomyMargins * marginOf(this.shareBytes)
    return isRoomy ? countRoomyEveryMs : countEveryMs
  }

  get #usedBytes(): number {
    return this.#counted.bytes + this.#writtenSince
  }

  async #count(): Promise<void> {
    // Once, however long it took: a large home is older than it may be when it has been counted.
    if (this.#nowMs() - this.#counted.atMs >= this.#countEveryMs) await this.#countOnce()
    while (this.#counted.freed < this.#freed) await this.#countOnce()
  }

  #countOnce(): Promise<void> {
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = undefined
    })
    return this.#counting
  }

  async #countNow(): Promise<void> {
    const atMs = this.#nowMs()
    const freed = this.#freed
    const writtenBefore = this.#writtenSince
    let bytes = 0
    for (const folder of this.#folders) bytes += await this.#bytesIn(folder)
    this.#counted = { bytes, atMs, freed }
    // What was written while we counted may be counted or not.
    this.#writtenSince -= writtenBefore
  }
}

function marginOf(shareBytes: number): number {
  const least = Math.min(marginBytesMin, marginPartOfSmall * shareBytes)
  const ofPart = Math.max(least, marginPartMax * shareBytes)
  return Math.max(marginPart * shareBytes, Math.min(marginBytes, ofPart))
}

function fullOf(shareBytes: number): number {
  return Math.max(fullPart * shareBytes, Math.min(fullBytes, fullPartMax * shareBytes))
}

async function bytesOnDisk(folder: string): Promise<number> {
  let bytes = 0
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesOnDisk(path)
    else if (entry.isFile()) {
      // A file may go while we look.
      const info = await stat(path).catch(() => undefined)
      bytes += info === undefined ? 0 : info.blocks * blockBytes
    }
  }
  return bytes
}
