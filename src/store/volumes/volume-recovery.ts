// Brings the volumes' files and the index into line when a store is opened: after a crash, a full disk or a failed one.
//
// What lies beyond a volume's sizeBytes was never acknowledged and may be torn: it is cut off. A volume that was begun and
// never finished is removed, and one that is emptied goes. One that was begun with another compression, or another
// dictionary, takes no more records. All this in folders that take no more captures too: they are
// ours as well. A folder that is not there is left alone: its disk may come back, and what is known of its volumes must
// still hold then.

import { dirname, join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { FolderEntry, VolumeEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import { checkFolderMark } from './folder-mark.ts'
import type { ResumedVolume } from './open-volume.ts'
import type { VolumeMaker } from './volume-maker.ts'

/** Goes on with a volume that is not full. False: not with this one, so it is sealed. */
type Resume = (volume: ResumedVolume) => boolean

/** Of volumes of the first versions, which do not say; none was longer. */
const headBytesDefault = 2_048

export class VolumeRecovery {
  readonly #index: StoreIndex
  readonly #disk: Disk
  readonly #log: Log
  readonly #maker: VolumeMaker

  constructor(needs: { index: StoreIndex; disk: Disk; log: Log; maker: VolumeMaker }) {
    this.#index = needs.index
    this.#disk = needs.disk
    this.#log = needs.log
    this.#maker = needs.maker
  }

  async recover(folder: number, { path }: FolderEntry, resume: Resume): Promise<void> {
    const volumes = [...this.#index.volumes()].filter(([, volume]) => volume.folder === folder)
    if (volumes.length === 0) return
    try {
      await checkFolderMark(this.#disk, path)
    } catch (error) {
      if (!(error instanceof StoreError) && !(error instanceof DiskError)) throw error
      this.#log.error({ folder: path, error }, 'A volume folder cannot be reached')
      return
    }
    for (const [number, volume] of volumes) await this.#recoverVolume(number, volume, path, resume)
  }

  async #recoverVolume(number: number, volume: VolumeEntry, folder: string, resume: Resume): Promise<void> {
    const path = join(folder, volume.name)
    try {
      const info = await this.#disk.stat(path)
      if (volume.sizeBytes === 0 || volume.state === 'emptied') {
        await this.#remove(number, path, info !== undefined)
      } else if (info === undefined) this.#log.error({ path }, 'A volume is missing')
      else await this.#compare(number, volume, path, info.sizeBytes, resume)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#log.error({ path, error }, 'A volume cannot be brought into line')
    }
  }

  async #remove(number: number, path: string, isThere: boolean): Promise<void> {
    if (isThere) {
      await this.#disk.remove(path)
      await this.#disk.syncFolder(dirname(path))
    }
    await this.#index.changeForGood(() => this.#index.removeVolume(number))
  }

  async #compare(
    number: number,
    volume: VolumeEntry,
    path: string,
    fileBytes: number,
    resume: Resume,
  ): Promise<void> {
    const { sizeBytes, state } = volume
    if (fileBytes < sizeBytes) {
      this.#log.error({ path, has: fileBytes, should: sizeBytes }, 'A volume has lost its end; scrub it')
    }
    if (state !== 'active' && fileBytes <= sizeBytes) return
    const file = await this.#disk.open(path, 'write')
    let isResumed = false
    try {
      if (fileBytes > sizeBytes) {
        await file.truncate(sizeBytes)
        await file.sync()
      }
      const headBytes = volume.headBytes ?? headBytesDefault
      const isFit =
        state === 'active' && fileBytes >= sizeBytes && (await this.#maker.makesLike(volume.name, file))
      isResumed = isFit && resume({ number, file, sizeBytes, headBytes })
      if (!isResumed && state === 'active') await this.#seal(number)
    } finally {
      if (!isResumed) await file.close()
    }
  }

  async #seal(number: number): Promise<void> {
    await this.#index.changeForGood(() => {
      const entry = this.#index.volume(number)
      if (entry !== undefined) this.#index.putVolume(number, { ...entry, state: 'sealed' })
    })
  }
}
