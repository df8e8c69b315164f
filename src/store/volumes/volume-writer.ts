// Writes records to the volumes of one folder, one volume at a time, many callers to a flush.
//
// Appended means: bytes written and synced, the callers' index changes committed and flushed; only then are the callers
// told. Bytes and index are synced at the same time: should only the index be safe at a power cut, it knows by the
// bytes' checksum that they are not. Whoever comes meanwhile joins the next batch. A batch that fails fails whole: its
// callers get the error, its bytes are cut off, and the next batch starts anew. Nothing needs to be set right by hand: it
// looks again whether there is room, whether the folder is there and whether the index takes changes. So does every batch
// but those that follow on others while there is plenty of room.
//
// When the index cannot say whether it will know of a batch after a crash ('index-failure'), the batch is neither
// acknowledged nor cut off, and its volume takes no more: should the index be found to know it, its bytes are there.
//
// Invariant: below a volume's sizeBytes in the index every byte is synced. Above it nothing is promised; opening the
// store cuts it off.

import assert from 'node:assert/strict'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import { type Ground, KeyValueError } from '../../platform/storage/key-value.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'
import { AppendQueue, type Waiting } from './append-queue.ts'
import { type Appending, CommitRefusal, lengthOf, type RecordBytes } from './appending.ts'
import type { DiskRoom } from './disk-room.ts'
import { checkFolderMark } from './folder-mark.ts'
import { OpenVolume, type ResumedVolume, type WrittenRecords } from './open-volume.ts'
import type { VolumeMaker } from './volume-maker.ts'

interface Needs {
  index: StoreIndex
  disk: Disk
  log: Log
  maker: VolumeMaker
  room: DiskRoom
  clock: Clock
}

interface Written {
  waiting: Waiting
  location: WrittenLocation
}

/** How much is written before room is looked for again. */
const lookAgainBytes = 16 * 1024 * 1024
/** With less than this every batch looks, for others use the disk too. */
const plentyBytes = 1024 * 1024 * 1024

export class VolumeWriter {
  readonly folder: number
  readonly path: string
  readonly #needs: Needs
  readonly #volumeBytesMax: number
  readonly #queue = new AppendQueue()
  #sealRequests: PromiseWithResolvers<void>[] = []
  #seenRoomBytes = Number.MAX_SAFE_INTEGER
  /** Written since then; undefined when the next batch must look. */
  #unseenBytes: number | undefined
  #active: OpenVolume | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(needs: Needs, folder: { number: number; path: string }, volumeBytesMax: number) {
    this.#needs = needs
    this.#volumeBytesMax = volumeBytesMax
    this.folder = folder.number
    this.path = folder.path
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Room as last seen, less what already waits for it. For choosing among folders. */
  get roomBytes(): number {
    return this.#seenRoomBytes - this.#queue.bytes
  }

  /** Looks how much room there is. A folder that cannot be looked at has none. */
  async measure(): Promise<void> {
    this.#seenRoomBytes = await this.#needs.room.measure(this.path).catch(() => 0)
  }

  /** Goes on with a volume that an earlier run left active. False when it has one already: a crash can leave two. */
  resume(volume: ResumedVolume): boolean {
    if (this.#active !== undefined) return false
    this.#active = new OpenVolume(volume)
    return true
  }

  /** Resolves when the records are durable and indexed. */
  append(appending: Appending): Promise<WrittenLocation> {
    if (this.#isClosed) {
      const refusal = new StoreError(
        'store-no-room',
        `${this.path} takes no more writes. Choose another folder.`,
      )
      return Promise.reject(refusal)
    }
    const appended = this.#queue.add(appending)
    this.#running ??= this.#run()
    return appended
  }

  /** Seals the active volume, so that it can be compacted or moved. What waits goes to the next one. */
  seal(): Promise<void> {
    const request = Promise.withResolvers<void>()
    this.#sealRequests.push(request)
    this.#running ??= this.#run()
    return request.promise
  }

  /** Takes no more, and finishes what was taken. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running !== undefined) await this.#running
    await this.#active?.close()
    this.#active = undefined
  }

  async #run(): Promise<void> {
    // Let callers of the same moment join the first batch.
    await Promise.resolve()
    this.#unseenBytes = undefined
    while (!this.#queue.isEmpty || this.#sealRequests.length > 0) {
      await this.#answerSealRequests()
      if (!this.#queue.isEmpty) await this.#runBatch(this.#queue.take())
    }
    this.#running = undefined
  }

  async #runBatch(batch: Waiting[]): Promise<void> {
    try {
      const { volume, locations, ground } = await this.#write(batch.map(({ appending }) => appending))
      const written = batch.map((waiting, place) => ({ waiting, location: locations[place]! }))
      if (!(await this.#commit(volume, written, ground))) await this.#cutUnindexed(volume)
    } catch (error) {
      this.#needs.log.warn({ folder: this.path, error }, 'Writing to a volume folder failed')
      this.#unseenBytes = undefined
      for (const { reject } of batch) reject(error)
    }
    // At once, so that a store opened again knows it too. Should the index fail as well, the next batch tries again.
    if (this.#active?.isSpoiled) await this.#seal().catch(() => {})
  }

  async #write(appendings: Appending[]): Promise<WrittenRecords & { volume: OpenVolume }> {
    const bytes = appendings.reduce((sum, appending) => sum + lengthOf(appending), 0)
    const isMove = appendings[0]?.isMove ?? false
    if (this.#mustLook(isMove)) await this.#look(isMove)
    const release = this.#needs.room.claim(this.path, this.#seenRoomBytes, bytes)
    try {
      const volume = await this.#volumeFor(bytes)
      const written = await volume.write(
        appendings.map((appending) => this.#watched(appending.bytes, isMove)),
      )
      return { volume, ...written }
    } finally {
      release()
      this.#seenRoomBytes -= bytes
      if (this.#unseenBytes !== undefined) this.#unseenBytes += bytes
    }
  }

  #mustLook(isMove: boolean): boolean {
    if (isMove || this.#unseenBytes === undefined) return true
    return this.#unseenBytes >= lookAgainBytes || this.#seenRoomBytes < plentyBytes
  }

  /** Whether the folder is there, and how much room. At once, for the batch waits for it. */
  async #look(isMove: boolean): Promise<void> {
    const measuring = this.#needs.room.measure(this.path, isMove)
    // Of a folder that is gone the mark tells more.
    measuring.catch(() => {})
    await checkFolderMark(this.#needs.disk, this.path)
    this.#seenRoomBytes = await measuring
    this.#unseenBytes = isMove ? undefined : 0
  }

  /** What flows by tells its length only at its end, so room is looked for on the way. */
  #watched(bytes: RecordBytes, isMove: boolean): RecordBytes {
    if (bytes instanceof Uint8Array) return bytes
    const { room } = this.#needs
    const folder = this.path
    return (async function* () {
      let unseenBytes = 0
      for await (const chunk of bytes) {
        unseenBytes += chunk.length
        if (unseenBytes >= lookAgainBytes) {
          room.claim(folder, await room.measure(folder, isMove), unseenBytes)()
          unseenBytes = 0
        }
        yield chunk
      }
    })()
  }

  async #volumeFor(bytes: number): Promise<OpenVolume> {
    const { maker } = this.#needs
    const active = this.#active
    if (active !== undefined) {
      if (!active.isSpoiled && (active.isEmpty || active.position + bytes <= this.#volumeBytesMax))
        return active
      await this.#seal()
    }
    this.#active = new OpenVolume(await maker.make(this.folder, this.path))
    return this.#active
  }

  /** While the index takes no changes, what was written for it would pile up. */
  async #cutUnindexed(volume: OpenVolume): Promise<void> {
    if (volume.isSpoiled) return
    const { sizeBytes } = this.#needs.index.volume(volume.number)!
    if (sizeBytes < volume.position) await volume.cut(sizeBytes)
  }

  /** Tells their callers, too. */
  async #commit(volume: OpenVolume, records: Written[], ground: Ground): Promise<boolean> {
    let failures: Map<Waiting, CommitRefusal>
    try {
      failures = await this.#needs.index.changeForGood(() => this.#commitAll(volume, records), ground)
    } catch (error) {
      if (error instanceof KeyValueError && error.code === 'index-failure') volume.spoil()
      const isForAll = error instanceof KeyValueError || error instanceof DiskError || records.length === 1
      if (isForAll) for (const { waiting } of records) waiting.reject(error)
      // A fault in one of them must not cost the others: by themselves, then.
      else for (const record of records) await this.#commit(volume, [record], ground)
      return false
    }
    assert(volume.isSynced, 'a batch was indexed and not synced')
    const tell = (): void => {
      for (const { waiting, location } of records) {
        const failure = failures.get(waiting)
        if (failure === undefined) waiting.resolve(location)
        else waiting.reject(failure.reason)
      }
    }
    // They come again at once, and what they then do keeps this thread: the disk is to have the next batch by then.
    if (this.#queue.isEmpty) tell()
    else this.#needs.clock.after(0, tell)
    return true
  }

  /** Inside an index change. Tells which were refused. */
  #commitAll(volume: OpenVolume, records: Written[]): Map<Waiting, CommitRefusal> {
    const { index } = this.#needs
    const entry = index.volume(volume.number)
    assert(entry !== undefined, 'a volume is written but not in the index')
    const last = records.at(-1)!.location
    // Bytes before these that the index does not know are of records that could not be indexed.
    entry.deadBytes += records[0]!.location.offset - entry.sizeBytes
    entry.sizeBytes = last.offset + last.length
    index.putVolume(volume.number, entry)
    const failures = new Map<Waiting, CommitRefusal>()
    for (const { waiting, location } of records) {
      const refusal = refusalOf(() => waiting.appending.commit(location))
      if (refusal === undefined) continue
      failures.set(waiting, refusal)
      const now = index.volume(volume.number)!
      index.putVolume(volume.number, { ...now, deadBytes: now.deadBytes + location.length })
    }
    return failures
  }

  async #answerSealRequests(): Promise<void> {
    const requests = this.#sealRequests
    if (requests.length === 0) return
    this.#sealRequests = []
    try {
      await this.#seal()
      for (const { resolve } of requests) resolve()
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  async #seal(): Promise<void> {
    const active = this.#active
    if (active === undefined) return
    const { index } = this.#needs
    await index.changeForGood(() => {
      const entry = index.volume(active.number)
      if (entry !== undefined) index.putVolume(active.number, { ...entry, state: 'sealed' })
    })
    this.#active = undefined
    await active.close()
  }
}

function refusalOf(commit: () => void): CommitRefusal | undefined {
  try {
    commit()
    return undefined
  } catch (error) {
    if (error instanceof CommitRefusal) return error
    throw error
  }
}
