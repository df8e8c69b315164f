// Reading from volumes: a bounded number of files held open.
//
// Invariant: a file is closed only when nobody reads from it, however many others want one, and also when its volume is
// compacted away meanwhile. Between a look into the index and the read it may be gone: then the caller looks again. A volume that
// was moved to another place as it is, is read on there.

import type { Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'
import type { VolumeFile } from './places/volume-place.ts'
import { type VolumePlaces, volumePath } from './places/volume-places.ts'

/** Those in use come on top. */
const filesOpenMax = 128

interface OpenFile {
  /** Of the index, where the volume lay when it was opened. */
  folder: number | undefined
  opening: Promise<VolumeFile>
  /** As soon as it is open. */
  file: VolumeFile | undefined
  readers: number
  /** Closed as soon as nobody reads. */
  isForgotten: boolean
}

export class VolumeFiles {
  readonly #index: StoreIndex
  readonly #places: VolumePlaces
  readonly #filesMax: number
  /** The least recently used first. */
  readonly #open = new Map<number, OpenFile>()
  #isClosed = false

  constructor(needs: { index: StoreIndex; places: VolumePlaces }, filesMax = filesOpenMax) {
    this.#index = needs.index
    this.#places = needs.places
    this.#filesMax = filesMax
  }

  path(volume: number): string {
    const { place, name } = this.#placeOf(volume)
    return volumePath(place, name)
  }

  #placeOf(volume: number): { place: string; name: string } {
    const entry = this.#index.volume(volume)
    const folder = entry && this.#index.folders().get(entry.folder)
    if (entry === undefined || folder === undefined) {
      throw new StoreError('store-volume-missing', `Volume ${volume} is not in the index.`)
    }
    return { place: folder.path, name: entry.name }
  }

  /** The bytes at a location: fewer only when the file ends before. `memory`: where to put them, if they fit. */
  async read(location: Location, memory?: Uint8Array): Promise<Buffer> {
    for (;;) {
      const open = this.#take(location.volume)
      try {
        const file = await open.opening
        const bytes = await file.read(location.offset, location.length, memory)
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      } catch (error) {
        this.#afterFailure(location.volume, open)
        if (!this.#hasMoved(location.volume, open)) throw error
      } finally {
        await this.#giveBack(open)
      }
    }
  }

  /** The same into this memory, if that can be had at once and whole: most of what is read lately is. */
  readAtOnce({ volume, offset }: Location, memory: Uint8Array): Uint8Array | undefined {
    const open = this.#open.get(volume)
    if (open?.file?.readAtOnce === undefined) return undefined
    this.#touch(volume, open)
    return open.file.readAtOnce(offset, memory)
  }

  async *stream(location: Location, chunkBytes = 256 * 1024): AsyncGenerator<Uint8Array> {
    const end = location.offset + location.length
    let position = location.offset
    for (;;) {
      const open = this.#take(location.volume)
      try {
        const file = await open.opening
        while (position < end) {
          const chunk = await file.read(position, Math.min(chunkBytes, end - position))
          if (chunk.length === 0) return
          position += chunk.length
          yield chunk
        }
        return
      } catch (error) {
        this.#afterFailure(location.volume, open)
        if (!this.#hasMoved(location.volume, open)) throw error
      } finally {
        await this.#giveBack(open)
      }
    }
  }

  /** Before a volume's file is removed. Who reads it now reads on. */
  async forget(volume: number): Promise<void> {
    const open = this.#open.get(volume)
    if (open !== undefined) await this.#forget(volume, open)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#open.keys()].map((volume) => this.forget(volume)))
  }

  #take(volume: number): OpenFile {
    if (this.#isClosed) throw new StoreError('store-closed', 'The store is closed.')
    const open = this.#open.get(volume) ?? this.#begin(volume)
    open.readers++
    this.#touch(volume, open)
    if (this.#open.size > this.#filesMax) this.#forgetOldest()
    return open
  }

  #begin(volume: number): OpenFile {
    const folder = this.#index.volume(volume)?.folder
    const opening = this.#openFile(volume)
    const open: OpenFile = { folder, opening, file: undefined, readers: 0, isForgotten: false }
    // Who waits for it hears of a failure.
    opening.then((file) => (open.file = file)).catch(() => {})
    return open
  }

  #touch(volume: number, open: OpenFile): void {
    this.#open.delete(volume)
    this.#open.set(volume, open)
  }

  async #giveBack(open: OpenFile): Promise<void> {
    open.readers--
    await this.#closeUnused(open)
  }

  /** A file that failed is opened anew next time: its disk may have been away. */
  #afterFailure(volume: number, open: OpenFile): void {
    if (this.#open.get(volume) === open) this.#open.delete(volume)
    open.isForgotten = true
  }

  /** Since it was opened. */
  #hasMoved(volume: number, { folder }: OpenFile): boolean {
    const now = this.#index.volume(volume)?.folder
    return now !== undefined && now !== folder
  }

  #forgetOldest(): void {
    for (const [volume, open] of this.#open) {
      if (open.readers > 0) continue
      void this.#forget(volume, open)
      return
    }
  }

  async #forget(volume: number, open: OpenFile): Promise<void> {
    this.#open.delete(volume)
    open.isForgotten = true
    await this.#closeUnused(open)
  }

  async #closeUnused(open: OpenFile): Promise<void> {
    if (!open.isForgotten || open.readers > 0) return
    // Nothing was written: a failure to close, or to have opened, matters to nobody any more.
    await open.opening.then((file) => file.close()).catch(() => {})
  }

  async #openFile(volume: number): Promise<VolumeFile> {
    const { place, name } = this.#placeOf(volume)
    return this.#places.of(place).open(name)
  }
}
