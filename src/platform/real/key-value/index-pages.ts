// A look at the pages of an LMDB file without LMDB: whether all that its trees lead to lies where it can be read.
//
// Why: LMDB maps the file and trusts it. A page that has rotted, or a file that was cut off, makes it read outside of the map, and the
// system ends the process (SIGBUS, SIGSEGV) before anybody can say a word. What is looked for is what would do that: pages that are
// not what they are taken for, nodes that reach beyond their page, pages beyond the end. Wrong bytes inside a value are found by
// whoever reads that.
// Knows the format of lmdb 3.5, as does index-header.ts, and which state LMDB goes on with: the newest, or after a power cut an older
// one that was synced. Leaves to others when to look: all that is in use is read, some 150 MB a second.

import { readFile } from 'node:fs/promises'
import type { Disk, DiskFile } from '../../storage/disk.ts'

const pageHead = 24
const nodeHead = 8
const at = {
  flags: 18,
  lower: 20,
  magic: 24,
  pageBytes: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  txnId: 152,
  bootId: 160,
} as const
const metaBytes = 168
const magicNumber = 0xbeefc0de
const bootPath = '/proc/sys/kernel/random/boot_id'
const isBranch = 0x01
const isLeaf = 0x02
const hasBigData = 0x01
const isSubTree = 0x02
/** In the data of a node: where a value of its own pages lies, and the root of a tree. */
const bigDataBytes = 24
const treeBytes = 48
const treeRoot = 40
const noPage = 0xffff_ffff_ffff_ffffn
const depthMax = 32
const blockBytes = 256 * 1_024
const blocksMax = 16

/** A sentence about the first fault; undefined when there is none. */
export async function pagesFault(disk: Disk, path: string): Promise<string | undefined> {
  const info = await disk.stat(path)
  if (info === undefined || info.sizeBytes === 0) return undefined
  const file = await disk.open(path, 'read')
  try {
    return await new PageWalk(file, info.sizeBytes, await currentBootId()).fault()
  } finally {
    await file.close()
  }
}

class PageFault extends Error {}

/** As LMDB notes it; undefined where that is not known here. */
async function currentBootId(): Promise<bigint | undefined> {
  const text = await readFile(bootPath, 'latin1').catch(() => '')
  const [digits] = /^[0-9a-f]{8}(?=-)/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(`0x${digits}`)
}

class PageWalk {
  readonly #file: DiskFile
  readonly #fileBytes: number
  readonly #bootId: bigint | undefined
  /** The last that were read. */
  readonly #blocks = new Map<number, Buffer>()
  #pageBytes = 4_096
  #pages = 0
  #seen = 0

  constructor(file: DiskFile, fileBytes: number, bootId: bigint | undefined) {
    this.#file = file
    this.#fileBytes = fileBytes
    this.#bootId = bootId
  }

  async fault(): Promise<string | undefined> {
    const [newest, ...older] = await this.#states()
    const fault = await this.#faultOf(newest!)
    if (fault === undefined || newest!.readBigInt64LE(at.bootId) === this.#bootId) return fault
    // The machine was started anew, and LMDB goes back to what had been synced by then.
    for (const state of older) if ((await this.#faultOf(state)) === undefined) return undefined
    return fault
  }

  /** What the file has held lately, the newest first. */
  async #states(): Promise<Buffer[]> {
    const first = await this.#bytes(0, metaBytes)
    this.#pageBytes = first.readUInt32LE(at.pageBytes)
    const second = await this.#bytes(this.#pageBytes, metaBytes)
    const synced = await this.#bytes(this.#pageBytes / 2, metaBytes)
    return [first, second, synced]
      .filter((meta) => meta.readUInt32LE(at.magic) === magicNumber)
      .sort((one, other) => Number(other.readBigUInt64LE(at.txnId) - one.readBigUInt64LE(at.txnId)))
  }

  async #faultOf(meta: Buffer): Promise<string | undefined> {
    this.#pages = Number(meta.readBigUInt64LE(at.lastPage)) + 1
    this.#seen = 0
    try {
      const [free, main] = [meta.readBigUInt64LE(at.freeRoot), meta.readBigUInt64LE(at.mainRoot)]
      // Level by level, and each in the order of the file: so it is read but a few times.
      for (let level = [free, main], depth = 0; level.length > 0; depth++) {
        if (depth > 2 * depthMax) throw new PageFault('its trees have no end')
        level = await this.#below(level)
      }
      return undefined
    } catch (error) {
      if (error instanceof PageFault) return error.message
      throw error
    }
  }

  /** The pages that these lead to. */
  async #below(level: readonly bigint[]): Promise<bigint[]> {
    const numbers = level.filter((page) => page !== noPage).map((page) => this.#check(page, 1n))
    this.#seen += numbers.length
    if (this.#seen > this.#pages) throw new PageFault('its trees have no end')
    const below: bigint[] = []
    for (const number of numbers.sort((one, other) => one - other)) {
      const position = number * this.#pageBytes
      const page = this.#read(position, this.#pageBytes) ?? (await this.#bytes(position, this.#pageBytes))
      this.#look(page, number, below)
    }
    return below
  }

  #look(page: Buffer, number: number, below: bigint[]): void {
    const flags = page.readUInt16LE(at.flags) & (isBranch | isLeaf)
    const isItself =
      page.readUInt32LE(0) === number % 2 ** 32 && page.readUInt32LE(4) === Math.floor(number / 2 ** 32)
    if (!isItself || (flags !== isBranch && flags !== isLeaf))
      throw new PageFault(`page ${number} is not what it should be`)
    const count = page.readUInt16LE(at.lower) >> 1
    if (count === 0 || pageHead + 2 * count > page.length) throw new PageFault(`page ${number} is damaged`)
    for (let node = 0; node < count; node++) {
      const start = pageHead + page.readUInt16LE(pageHead + 2 * node)
      const further = flags === isBranch ? this.#branchNode(page, start) : this.#leafNode(page, start)
      if (further === 'damaged') throw new PageFault(`page ${number} is damaged`)
      if (further !== undefined) below.push(further)
    }
  }

  #branchNode(page: Buffer, start: number): bigint | 'damaged' {
    if (start + nodeHead > page.length) return 'damaged'
    const keyBytes = page.readUInt16LE(start + 6)
    if (start + nodeHead + keyBytes > page.length) return 'damaged'
    return BigInt(page.readUInt32LE(start)) | (BigInt(page.readUInt16LE(start + 4)) << 32n)
  }

  /** Gives the root of the tree that it holds, if it holds one. */
  #leafNode(page: Buffer, start: number): bigint | 'damaged' | undefined {
    if (start + nodeHead > page.length) return 'damaged'
    const dataBytes = page.readUInt32LE(start)
    const flags = page.readUInt16LE(start + 4)
    const data = start + nodeHead + page.readUInt16LE(start + 6)
    const isBig = (flags & hasBigData) !== 0
    if (data + (isBig ? bigDataBytes : dataBytes) > page.length) return 'damaged'
    if (isBig) {
      const pages = page.readBigUInt64LE(data + 16)
      this.#check(page.readBigUInt64LE(data), pages)
      return BigInt(pageHead + dataBytes) <= pages * BigInt(this.#pageBytes) ? undefined : 'damaged'
    }
    if ((flags & isSubTree) === 0) return undefined
    return dataBytes === treeBytes ? page.readBigUInt64LE(data + treeRoot) : 'damaged'
  }

  /** Pages from this one on are there. */
  #check(first: bigint, count: bigint): number {
    const end = first + count
    if (count < 1n || end > BigInt(this.#pages) || end * BigInt(this.#pageBytes) > BigInt(this.#fileBytes))
      throw new PageFault(`page ${first} is cut off`)
    return Number(first)
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    const number = Math.floor(position / blockBytes)
    const bytes = await this.#file.read(number * blockBytes, blockBytes)
    if (this.#blocks.size >= blocksMax) this.#blocks.delete(this.#blocks.keys().next().value!)
    this.#blocks.set(number, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    return this.#read(position, length)!
  }

  /** undefined when it is not in memory. Pages and blocks are powers of two: none lies in two blocks. */
  #read(position: number, length: number): Buffer | undefined {
    const number = Math.floor(position / blockBytes)
    const block = this.#blocks.get(number)
    const start = position - number * blockBytes
    if (block !== undefined && start + length > block.length) throw new PageFault('it is cut off')
    return block?.subarray(start, start + length)
  }
}
