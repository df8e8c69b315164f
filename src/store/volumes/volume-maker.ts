// Makes new volumes: a number and a name in the index first, then the file with its head.
//
// In this order, so that no crash leaves a file that nobody knows: a volume whose sizeBytes is still 0 when the store is
// opened was never finished, and is removed. A birth that fails while the store runs is taken back at once.

import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import { warcFileName } from '../../formats/warc/file-name.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { type Disk, DiskError, type DiskFile } from '../../platform/storage/disk.ts'
import { KeyValueError } from '../../platform/storage/key-value.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { checkFolderMark } from './folder-mark.ts'
import type { ResumedVolume } from './open-volume.ts'
import { takesRecordsOf } from './volume-compression.ts'
import { HeadBuilder } from './volume-head.ts'

interface VolumeMakerOptions {
  /** With the dictionary that volumes are to start with, if any. */
  compression: Compression
  /** In file names: the machine that wrote them. */
  host: string
  /** In warcinfo records: the program and its version. */
  software: string
}

export class VolumeMaker {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: VolumeMakerOptions
  readonly #heads: HeadBuilder

  constructor(
    needs: { index: StoreIndex; disk: Disk; clock: Clock; random: Random },
    options: VolumeMakerOptions,
  ) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#clock = needs.clock
    this.#random = needs.random
    this.#options = options
    this.#heads = new HeadBuilder(options.software, options.compression)
  }

  /** Whether a volume that was begun before is like those that are made now, and can take more records. */
  async makesLike(name: string, file: DiskFile): Promise<boolean> {
    const read = async (offset: number, length: number) => bufferView(await file.read(offset, length))
    return takesRecordsOf(this.#options.compression, { name, read })
  }

  async make(folder: number, path: string): Promise<ResumedVolume> {
    await checkFolderMark(this.#disk, path)
    const nowMs = this.#clock.nowMs()
    const warcinfoId = this.#random.uuid()
    const { number, name } = await this.#index.changeForGood(() => this.#announce(folder, nowMs, warcinfoId))
    const head = this.#heads.make(name, warcinfoId, nowMs)
    let file: DiskFile | undefined
    try {
      file = await this.#disk.open(join(path, name), 'create')
      await file.write(0, head)
      await file.sync()
      await this.#disk.syncFolder(path)
      await this.#index.changeForGood(() => {
        const entry = this.#index.volume(number)!
        const headBytes = head.length
        this.#index.putVolume(number, {
          ...entry,
          sizeBytes: headBytes,
          headBytes,
          headChecksum: crc32(head),
        })
      })
      return { number, file, sizeBytes: head.length, headBytes: head.length }
    } catch (error) {
      await file?.close().catch(() => {})
      // When the index failed, nobody knows what it holds now; opening the store finds out.
      if (error instanceof DiskError) await this.#giveUp(number, file && join(path, name))
      throw error
    }
  }

  /** Inside an index change. */
  #announce(folder: number, nowMs: number, warcinfoId: string): { number: number; name: string } {
    const number = this.#index.note<number>('nextVolume') ?? 1
    const { host, compression } = this.#options
    const timestamp = printTimestamp(nowMs)
    const name = warcFileName({
      prefix: 'polyhistor',
      timestamp,
      serial: number,
      host,
      compression: compression.kind,
    })
    this.#index.putNote('nextVolume', number + 1)
    this.#index.putVolume(number, {
      folder,
      name,
      state: 'active',
      sizeBytes: 0,
      deadBytes: 0,
      isUrgent: false,
      warcinfoId,
      headBytes: undefined,
      headChecksum: undefined,
    })
    return { number, name }
  }

  /** Takes back what was begun, so that nothing piles up while a disk fails. What cannot be taken back now is removed
   * when the store is opened. */
  async #giveUp(number: number, path: string | undefined): Promise<void> {
    try {
      if (path !== undefined) await this.#disk.remove(path)
      await this.#index.changeForGood(() => this.#index.removeVolume(number))
    } catch (error) {
      if (!(error instanceof DiskError) && !(error instanceof KeyValueError)) throw error
    }
  }
}
