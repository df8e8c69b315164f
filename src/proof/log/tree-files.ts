// The tree of a log on disk: its leaves, and of every 256 neighbours of a level the node above them, eight levels up. So a node in
// between costs at most 255 hashes, an entry 32 bytes and a little more, and appending writes no more than it adds.
//
//   tree-0   leaves, tree-8   nodes over 256 of them, tree-16, tree-24
//
// Invariant: what lies behind `size` counts for nothing, and is written over.

import { join } from 'node:path'
import type { Disk } from '../../platform/storage/disk.ts'
import {
  type EntryRange,
  emptyRoot,
  type Hash,
  hashBytes,
  nodeHash,
  rangeHash,
  splitOf,
} from '../merkle-tree.ts'
import { LogFile } from './log-file.ts'

const tileWidth = 256
const tileLevels = 8
const levels = [0, 8, 16, 24] as const

export class TreeFiles {
  readonly #files: readonly LogFile[]
  #size: number

  private constructor(files: readonly LogFile[], size: number) {
    this.#files = files
    this.#size = size
  }

  /** `size`: entries that count; undefined when there are fewer. */
  static async open(disk: Disk, folder: string, size: number): Promise<TreeFiles | undefined> {
    const files: LogFile[] = []
    for (const level of levels) files.push(await LogFile.open(disk, join(folder, `tree-${level}`), hashBytes))
    for (const [place, file] of files.entries()) {
      const wanted = Math.floor(size / tileWidth ** place)
      if ((await file.count()) < wanted) {
        for (const each of files) await each.close()
        return undefined
      }
      await file.cut(wanted)
    }
    return new TreeFiles(files, size)
  }

  get size(): number {
    return this.#size
  }

  /** Durable when it returns. When it fails, none of them counts. */
  async append(leaves: readonly Hash[]): Promise<void> {
    let from = this.#size
    let entries: readonly Hash[] = leaves
    const written: LogFile[] = []
    for (const [place, file] of this.#files.entries()) {
      await file.write(from, entries)
      written.push(file)
      const [before, now] = [from, from + entries.length].map((count) => Math.floor(count / tileWidth))
      entries = place + 1 < this.#files.length ? await tilesOf(file, before!, now!) : []
      from = before!
      if (entries.length === 0) break
    }
    // At the same time: a busy disk takes as long for one as for all.
    await Promise.all(written.map((file) => file.sync()))
    this.#size += leaves.length
  }

  leaves(first: number, count: number): Promise<Hash[]> {
    return this.#files[0]!.read(first, Math.min(count, this.#size - first))
  }

  root(size = this.#size): Promise<Hash> {
    return size === 0 ? Promise.resolve(emptyRoot) : this.range([0, size])
  }

  async range([from, to]: EntryRange): Promise<Hash> {
    const level = Math.log2(to - from)
    if (Number.isInteger(level)) return this.#perfect(level, from / (to - from))
    const middle = from + splitOf(to - from)
    return nodeHash(await this.range([from, middle]), await this.range([middle, to]))
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close()
  }

  /** The node over 2 ** level entries. */
  async #perfect(level: number, index: number): Promise<Hash> {
    const place = Math.min(Math.floor(level / tileLevels), levels.length - 1)
    const width = 2 ** (level - levels[place]!)
    const below = await this.#files[place]!.read(index * width, width)
    return rangeHash(below, [0, width])
  }
}

/** The nodes over these tiles. */
async function tilesOf(file: LogFile, from: number, to: number): Promise<Hash[]> {
  const nodes: Hash[] = []
  for (let tile = from; tile < to; tile++)
    nodes.push(rangeHash(await file.read(tile * tileWidth, tileWidth), [0, tileWidth]))
  return nodes
}
