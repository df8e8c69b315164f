// All heads that a log has signed, one behind the other: what the peer has said, and when which captures were in the log.
//
// A head is written and synced before anybody sees it. A crash can leave one that is torn, at the end: it was never told, and is cut
// off. With each head stands how far the queue of captures had been taken in, which nobody else needs.

import { join } from 'node:path'
import type { Disk } from '../../platform/storage/disk.ts'
import { LogFile } from './log-file.ts'
import { decodeHead, encodeHead, headBytes, isHeadSigned, type LogHead } from './log-head.ts'

export interface KeptHead {
  readonly head: LogHead
  /** The last one of the queue that it has. */
  readonly takenUpTo: number
}

const takenBytes = 8

export class HeadFile {
  readonly #file: LogFile
  #count: number
  #last: KeptHead | undefined

  private constructor(file: LogFile, count: number, last: KeptHead | undefined) {
    this.#file = file
    this.#count = count
    this.#last = last
  }

  static async open(disk: Disk, folder: string, publicKey: Uint8Array): Promise<HeadFile> {
    const file = await LogFile.open(disk, join(folder, 'heads'), headBytes + takenBytes)
    const written = await file.count()
    for (let count = written; count > 0; count--) {
      const [bytes] = await file.read(count - 1, 1)
      const kept = bytes && decode(bytes)
      if (kept !== undefined && isHeadSigned(kept.head, publicKey)) {
        await file.cut(count)
        return new HeadFile(file, count, kept)
      }
      // Only the last one can be torn.
      if (written - count > 0) break
    }
    if (written > 1) return new HeadFile(file, written, undefined)
    await file.cut(0)
    return new HeadFile(file, 0, undefined)
  }

  get last(): KeptHead | undefined {
    return this.#last
  }

  /** Heads are there, and the last ones are none of ours. */
  get isDamaged(): boolean {
    return this.#count > 0 && this.#last === undefined
  }

  get count(): number {
    return this.#count
  }

  async at(index: number): Promise<LogHead | undefined> {
    const [bytes] = await this.#file.read(index, 1)
    return bytes && decode(bytes)?.head
  }

  /** Durable when it returns. */
  async append(kept: KeptHead): Promise<void> {
    const taken = Buffer.alloc(takenBytes)
    taken.writeBigUInt64BE(BigInt(kept.takenUpTo))
    await this.#file.write(this.#count, [Buffer.concat([encodeHead(kept.head), taken])])
    await this.#file.sync()
    this.#count++
    this.#last = kept
  }

  /** The place of the first head for which that is so, where it is so of all that follow. */
  async firstWhere(isSo: (head: LogHead) => boolean): Promise<number> {
    let [from, to] = [0, this.#count]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const head = await this.at(middle)
      if (head !== undefined && isSo(head)) to = middle
      else from = middle + 1
    }
    return from
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

function decode(bytes: Uint8Array): KeptHead | undefined {
  const head = decodeHead(bytes.subarray(0, headBytes))
  if (head === undefined) return undefined
  return { head, takenUpTo: Number(Buffer.from(bytes.subarray(headBytes)).readBigUInt64BE()) }
}
