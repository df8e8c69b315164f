// Moves closed volumes as they are from one place to another: to a bucket, back, or to another folder, while others read and write.
//
// Nothing acknowledged is lost: the index leads to the new place only when the copy there was read again and is the same (see
// volume-place.ts), and only then the old file goes. What was left by a crash in between is noted in the index with the change,
// and removed later. Compaction waits for the volume that is on its way, not for all of them.

import type { Log } from '../../platform/log.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { StoreError } from '../store-error.ts'
import type { Share } from '../volumes/disk-room.ts'
import { placePath, type VolumePlaces, volumePath } from '../volumes/places/volume-places.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import type { Volumes } from '../volumes/volumes.ts'
import type { WorkProgress } from './compaction.ts'
import { relocationTurn } from './relocation-room.ts'
import type { VolumeLeft } from './volume-evacuation.ts'

export interface TransferOptions {
  /** Only volumes that lie there. Without it, those in folders go to a bucket, and those in buckets to a folder. */
  from?: string | undefined
  /** Only these, by their file names. One that is still written to is closed first. */
  names?: readonly string[] | undefined
  signal?: AbortSignal | undefined
  progress?: ((progress: WorkProgress) => void) | undefined
}

export interface TransferReport {
  volumes: number
  bytes: number
  /** Those that stay where they were, and why. */
  left: VolumeLeft[]
}

interface Needs {
  index: StoreIndex
  volumes: Volumes
  places: VolumePlaces
  files: VolumeFiles
  mutex: KeyedMutex
  share: Share | undefined
  log: Log
}

/** A file that the index does not lead to any more. */
interface Leftover {
  readonly folder: number
  readonly name: string
}

const leftoversNote = 'volumeLeftovers'
/** More wait for none to be removed: a place that is gone for good is not to fill the index. */
const leftoversMax = 10_000

export class VolumeTransfer {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** One after the other, the oldest first. What fails stays where it is. */
  async move(path: string, options: TransferOptions = {}): Promise<TransferReport> {
    const { volumes, mutex } = this.#needs
    const to = placePath(path)
    this.#checkTarget(volumes.folderNumber(to), to)
    await this.#sealNamed(options.names)
    const chosen = this.#chosen(to, options)
    const totalBytes = chosen.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0)
    const report: TransferReport = { volumes: 0, bytes: 0, left: [] }
    let begunBytes = 0
    for (const [number, { sizeBytes }] of chosen) {
      let receivedBytes = 0
      const received = (bytes: number): void => {
        receivedBytes += bytes
        options.progress?.({ doneBytes: begunBytes + Math.min(receivedBytes, sizeBytes), totalBytes })
      }
      try {
        await mutex.run(relocationTurn, () => this.#moveOne(number, to, { signal: options.signal, received }))
        report.volumes++
        report.bytes += sizeBytes
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!(error instanceof StoreError) && !(error instanceof DiskError)) throw error
        report.left.push({ volume: number, path: this.#needs.files.path(number), reason: error.message })
        // The next ones would fare no better.
        if (error.code === 'store-bucket-unavailable' || error.code === 'store-no-room') break
      }
      begunBytes += sizeBytes
    }
    return report
  }

  /** Files that a crash, or a bucket that was away, has left behind. */
  async removeLeftovers(): Promise<void> {
    const { index, places, log } = this.#needs
    for (const leftover of this.#leftovers) {
      const path = index.folders().get(leftover.folder)?.path
      try {
        if (path !== undefined) await places.of(path).remove(leftover.name)
      } catch (error) {
        if (!(error instanceof StoreError) && !(error instanceof DiskError)) throw error
        log.warn(
          { path, name: leftover.name, error },
          'A volume that was moved cannot be removed from here yet',
        )
        continue
      }
      await index.changeForGood(() =>
        this.#noteLeftovers(this.#leftovers.filter((other) => !isSame(other, leftover))),
      )
    }
  }

  async #moveOne(
    number: number,
    to: string,
    watch: { signal: AbortSignal | undefined; received: (bytes: number) => void },
  ): Promise<void> {
    const { index, places, files, volumes, share, log } = this.#needs
    await this.removeLeftovers()
    const entry = index.volume(number)
    // Compacted away meanwhile.
    if (entry?.state !== 'sealed') return
    const { folder: fromFolder, name, sizeBytes } = entry
    const from = index.folders().get(fromFolder)!.path
    const target = places.of(to)
    const release = target.isWritable ? await volumes.claimRoom(to, sizeBytes) : undefined
    try {
      await target.receive(await places.of(from).whole(name, sizeBytes), watch)
    } finally {
      release?.()
    }
    const folder = volumes.folderNumber(to)
    const old = { folder: fromFolder, name }
    await index.changeForGood(() => {
      index.putVolume(number, { ...index.volume(number)!, folder })
      this.#noteLeftovers([...this.#leftovers.filter((other) => !isSame(other, { folder, name })), old])
    })
    await files.forget(number)
    log.info({ from: volumePath(from, name), to }, 'A volume was moved')
    await this.removeLeftovers()
    share?.freed()
  }

  #checkTarget(folder: number, path: string): void {
    if (this.#needs.index.folders().get(folder)?.mode === 'writable') return
    throw new StoreError(
      'store-no-room',
      `${path} is read-only. Make it writable with: polyhistor store volumes --writable ${path}`,
    )
  }

  async #sealNamed(names: readonly string[] | undefined): Promise<void> {
    const { index, volumes } = this.#needs
    if (names === undefined) return
    const known = new Map([...index.volumes().values()].map((volume) => [volume.name, volume]))
    const unknown = names.find((name) => !known.has(name))
    if (unknown !== undefined) {
      throw new StoreError(
        'store-not-found',
        `There is no volume ${unknown}. See them with: polyhistor store stat`,
      )
    }
    for (const name of names) {
      const { state, folder } = known.get(name)!
      if (state === 'active') await volumes.seal(folder)
    }
  }

  #chosen(to: string, { from, names }: TransferOptions): [number, VolumeEntry][] {
    const { index, volumes } = this.#needs
    const folders = index.folders()
    const target = volumes.folderNumber(to)
    const source = from === undefined ? undefined : volumes.folderNumber(from)
    return [...index.volumes()].filter(([, { folder, state, name, sizeBytes }]) => {
      if (folder === target || state !== 'sealed' || sizeBytes === 0) return false
      if (names !== undefined && !names.includes(name)) return false
      if (source !== undefined) return folder === source
      return names !== undefined || isBucketAddress(folders.get(folder)!.path) !== isBucketAddress(to)
    })
  }

  get #leftovers(): readonly Leftover[] {
    return this.#needs.index.note<Leftover[]>(leftoversNote) ?? []
  }

  /** Inside an index change. */
  #noteLeftovers(leftovers: readonly Leftover[]): void {
    const { index } = this.#needs
    if (leftovers.length === 0) index.removeNote(leftoversNote)
    else index.putNote(leftoversNote, leftovers.slice(-leftoversMax))
  }
}

function isSame(left: Leftover, right: Leftover): boolean {
  return left.folder === right.folder && left.name === right.name
}
