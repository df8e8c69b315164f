// The log of a peer's captures: each that it signs and keeps is entered, in the order in which they were kept, and never taken out.
//
// A capture is put into a queue by the very change of the store's index that makes it count; from there it is taken into the tree, and
// a head is signed over that. Order of events: queue durable (with the capture) → tree synced → head synced → head told to others →
// queue emptied. So a kill at any moment leaves no capture out, none in twice, and no head that the log cannot honour. An index made
// anew from the volumes has an empty queue: the captures of its last minute are then signed, but in no log.

import type { Clock } from '../../platform/clock.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import { makeLastingFolder } from '../../platform/storage/lasting-folder.ts'
import type { SigningKey } from '../ed25519.ts'
import { areEqual, consistencyRanges, type Hash, inclusionRanges } from '../merkle-tree.ts'
import { ProofError } from '../proof-error.ts'
import { HeadFile } from './head-file.ts'
import { type LogHead, signHead } from './log-head.ts'
import { TreeFiles } from './tree-files.ts'

/** Leaves of captures that are kept and not in the tree yet, in their order. */
export interface LeafQueue {
  entries(limit: number): { readonly key: number; readonly leaf: Hash }[]
  /** Those up to this one, which are in the tree for good. */
  remove(upTo: number): Promise<void>
  /** New ones get larger keys than this. */
  startAfter(key: number): void
}

/** That a capture is in the log. */
export interface LogInclusion {
  readonly index: number
  readonly head: LogHead
  readonly path: readonly Hash[]
  /** The last head that the capture was not in yet: it was entered between the two. */
  readonly before: LogHead | undefined
}

interface Needs {
  readonly disk: Disk
  readonly clock: Clock
  readonly queue: LeafQueue
}

/** Taken in at once. */
const batchMax = 16_384
/** Heads behind the moment of signing in which a capture is looked for. */
const headsMax = 64
const leavesPerLook = 4_096

export class CaptureLog {
  readonly #needs: Needs
  readonly #key: SigningKey
  readonly #heads: HeadFile
  readonly #tree: TreeFiles
  readonly #queue = new SerialQueue()

  private constructor(needs: Needs, key: SigningKey, heads: HeadFile, tree: TreeFiles) {
    this.#needs = needs
    this.#key = key
    this.#heads = heads
    this.#tree = tree
  }

  /** Throws 'log-damaged' when the files do not honour the last head. */
  static async open(needs: Needs, folder: string, key: SigningKey): Promise<CaptureLog> {
    await makeLastingFolder(needs.disk, folder)
    const heads = await HeadFile.open(needs.disk, folder, key.publicKey)
    const last = heads.last
    const tree = heads.isDamaged ? undefined : await TreeFiles.open(needs.disk, folder, last?.head.size ?? 0)
    await needs.disk.syncFolder(folder)
    const isHonoured =
      tree !== undefined && (last === undefined || areEqual(await tree.root(), last.head.root))
    if (!isHonoured) {
      await heads.close()
      await tree?.close()
      throw new ProofError(
        'log-damaged',
        `The log of captures in ${folder} has not what its last head says. Nothing is entered until it is brought back from a backup, or put aside, which others will be told as a new history.`,
      )
    }
    const log = new CaptureLog(needs, key, heads, tree)
    needs.queue.startAfter(last?.takenUpTo ?? 0)
    if (last !== undefined) await needs.queue.remove(last.takenUpTo)
    return log
  }

  get publicKey(): Uint8Array {
    return this.#key.publicKey
  }

  /** The last one that was signed; undefined while there is none. */
  get head(): LogHead | undefined {
    return this.#heads.last?.head
  }

  /** Takes in what waits, and signs a head over it. Gives the last head. */
  update(): Promise<LogHead | undefined> {
    return this.#queue.run(() => this.#update())
  }

  /** `signedAtMs`: of the capture's signature, which tells where to look. undefined when it is not in the log. */
  inclusion(leaf: Hash, signedAtMs: number, headsLooked = headsMax): Promise<LogInclusion | undefined> {
    return this.#queue.run(() => this.#inclusion(leaf, signedAtMs, headsLooked))
  }

  /** The proof that the log of the second size goes on from that of the first. undefined for sizes that it never had. */
  consistency(first: number, second: number): Promise<Hash[] | undefined> {
    return this.#queue.run(async () => {
      const isKnown = first >= 0 && first <= second && second <= this.#tree.size
      if (!isKnown) return undefined
      if (first === 0 || first === second) return []
      return Promise.all(consistencyRanges(first, second).map((range) => this.#tree.range(range)))
    })
  }

  async close(): Promise<void> {
    await this.#queue.run(async () => {
      await this.#heads.close()
      await this.#tree.close()
    })
  }

  async #update(): Promise<LogHead | undefined> {
    const { queue, clock } = this.#needs
    for (;;) {
      const entries = queue.entries(batchMax)
      if (entries.length === 0) return this.head
      await this.#tree.append(entries.map(({ leaf }) => leaf))
      const takenUpTo = entries.at(-1)!.key
      // Heads are found by their time, which must not go back.
      const nowMs = Math.max(Math.round(clock.nowMs()), this.head?.signedAtMs ?? 0)
      const head = signHead(this.#key, this.#tree.size, await this.#tree.root(), nowMs)
      await this.#heads.append({ head, takenUpTo })
      await queue.remove(takenUpTo)
    }
  }

  async #inclusion(leaf: Hash, signedAtMs: number, headsLooked: number): Promise<LogInclusion | undefined> {
    const first = await this.#heads.firstWhere((head) => head.signedAtMs >= signedAtMs)
    const end = Math.min(first + headsLooked, this.#heads.count)
    for (let place = first; place < end; place++) {
      const before = place === 0 ? undefined : await this.#heads.at(place - 1)
      const head = (await this.#heads.at(place))!
      const index = await this.#find(leaf, before?.size ?? 0, head.size)
      if (index === undefined) continue
      const ranges = inclusionRanges(index, head.size)
      return { index, head, before, path: await Promise.all(ranges.map((range) => this.#tree.range(range))) }
    }
    return undefined
  }

  async #find(leaf: Hash, from: number, to: number): Promise<number | undefined> {
    for (let at = from; at < to; at += leavesPerLook) {
      const leaves = await this.#tree.leaves(at, Math.min(leavesPerLook, to - at))
      const place = leaves.findIndex((other) => areEqual(other, leaf))
      if (place >= 0) return at + place
    }
    return undefined
  }
}
