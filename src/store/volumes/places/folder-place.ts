// A folder of this machine with volumes in it.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, DiskError, type DiskFile } from '../../../platform/storage/disk.ts'
import { chunksFrom } from '../../import/source.ts'
import { StoreError } from '../../store-error.ts'
import { checkFolderMark, hasFolderMark, markFolder } from '../folder-mark.ts'
import type { ReceiveOptions, VolumeFile, VolumePlace, WholeVolume } from './volume-place.ts'
import { checkLength, notTheSame, wholeDigest } from './whole-digest.ts'

export class FolderPlace implements VolumePlace {
  readonly path: string
  readonly isWritable = true
  readonly #disk: Disk

  constructor(needs: { disk: Disk }, path: string) {
    this.#disk = needs.disk
    this.path = path
  }

  /** One that holds volumes has its mark, or is not mounted: then the folder below must not get one. */
  async prepare(_store: string, holdsVolumes: boolean): Promise<void> {
    if (holdsVolumes) await checkFolderMark(this.#disk, this.path)
    else await markFolder(this.#disk, this.path)
  }

  async list(): Promise<{ name: string; sizeBytes: number }[]> {
    const found: { name: string; sizeBytes: number }[] = []
    if ((await this.#disk.stat(this.path)) === undefined) return found
    for (const name of await this.#disk.list(this.path))
      found.push({ name, sizeBytes: (await this.sizeOf(name)) ?? 0 })
    return found
  }

  async open(name: string): Promise<VolumeFile> {
    const path = join(this.path, name)
    try {
      return await this.#disk.open(path, 'read')
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
      throw new StoreError('store-volume-missing', `${path} is missing. Is its disk mounted?`, error)
    }
  }

  async sizeOf(name: string): Promise<number | undefined> {
    return (await this.#disk.stat(join(this.path, name)))?.sizeBytes
  }

  async isAway(name: string): Promise<boolean> {
    return (await this.sizeOf(name)) === undefined && !(await hasFolderMark(this.#disk, this.path))
  }

  async remove(name: string): Promise<void> {
    const path = join(this.path, name)
    if ((await this.#disk.stat(path)) !== undefined) await this.#disk.remove(path)
    await this.#disk.syncFolder(this.path)
  }

  async whole(name: string, sizeBytes: number): Promise<WholeVolume> {
    const chunks = (start: number) => this.#chunks(name, start, sizeBytes)
    return { name, sizeBytes, sha256: undefined, chunks }
  }

  /** Written aside, so that no half of it is taken for a volume. */
  async receive(volume: WholeVolume, options: ReceiveOptions = {}): Promise<void> {
    await checkFolderMark(this.#disk, this.path)
    const draft = `${volume.name}.part`
    const sha256 = await this.#write(draft, volume, options)
    const { sizeBytes } = volume
    const written = { ...(await this.whole(draft, sizeBytes)), name: draft }
    if ((await wholeDigest(written, options)) !== sha256) {
      await this.remove(draft)
      throw notTheSame(join(this.path, volume.name))
    }
    await this.#disk.rename(join(this.path, draft), join(this.path, volume.name))
    await this.#disk.syncFolder(this.path)
  }

  /** Gives the digest of all that was sent. */
  async #write(draft: string, volume: WholeVolume, { signal, received }: ReceiveOptions): Promise<string> {
    const file = await this.#openDraft(draft)
    const hash = createHash('sha256')
    try {
      // Only what has a digest tells at its end whether an earlier beginning was right.
      const begun = volume.sha256 === undefined ? 0 : Math.min(await file.sizeBytes(), volume.sizeBytes)
      for await (const chunk of chunksFrom(file, 0, begun)) hash.update(chunk)
      received?.(begun)
      let at = begun
      for await (const chunk of volume.chunks(begun)) {
        signal?.throwIfAborted()
        await file.write(at, chunk)
        hash.update(chunk)
        at += chunk.length
        received?.(chunk.length)
      }
      checkLength(volume.name, at, volume.sizeBytes)
      await file.truncate(at)
      await file.sync()
    } finally {
      await file.close()
    }
    const sha256 = hash.digest('hex')
    if (volume.sha256 === undefined || volume.sha256 === sha256) return sha256
    await this.remove(draft)
    throw notTheSame(join(this.path, volume.name))
  }

  async #openDraft(draft: string): Promise<DiskFile> {
    const path = join(this.path, draft)
    return this.#disk.open(path, (await this.#disk.stat(path)) === undefined ? 'create' : 'write')
  }

  async *#chunks(name: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    const file = await this.open(name)
    try {
      yield* chunksFrom(file, start, end)
    } finally {
      await file.close()
    }
  }
}
