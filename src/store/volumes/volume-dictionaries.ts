// Which zstd dictionary each volume starts with, read once and remembered.
//
// Without it none of the volume's records can be read. So if it has rotted away, our own is handed out in its place: it
// is most likely what was there, and a frame that needs another one says so.

import { zstdMagicAt } from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { recordDictionary } from './record-dictionary.ts'
import type { VolumeFiles } from './volume-files.ts'
import { readDictionary } from './volume-head.ts'

/** Volumes are ~1 GB; beyond so many the oldest are read again. */
const volumesMax = 10_000

type Dictionary = Buffer | undefined

interface Known {
  readonly dictionary: Dictionary
}

export class VolumeDictionaries {
  readonly #files: VolumeFiles
  readonly #known = new LruCache<number, Known>({ max: volumesMax })

  constructor(needs: { files: VolumeFiles }) {
    this.#files = needs.files
  }

  /** At once when it is known, for every read asks. */
  of(volume: number): Dictionary | Promise<Dictionary> {
    const known = this.known(volume)
    return known === undefined ? this.#find(volume) : known.dictionary
  }

  /** undefined: it must be read first. */
  known(volume: number): Known | undefined {
    return this.#known.get(volume)
  }

  async #find(volume: number): Promise<Dictionary> {
    const dictionary = await this.#read(volume)
    this.#known.set(volume, { dictionary })
    return dictionary
  }

  async #read(volume: number): Promise<Dictionary> {
    const read = (offset: number, length: number) => this.#files.read({ volume, offset, length })
    try {
      const { dictionary } = await readDictionary(read)
      if (dictionary === undefined)
        return this.#isRotten(volume, await read(0, 4)) ? recordDictionary : undefined
      // Nearly all volumes have the same: one copy of it serves them.
      return dictionary.equals(recordDictionary) ? recordDictionary : dictionary
    } catch (error) {
      if (error instanceof WarcDamage) return recordDictionary
      throw error
    }
  }

  /** Neither a dictionary nor a record: it was one of them. */
  #isRotten(volume: number, start: Buffer): boolean {
    return this.#files.path(volume).endsWith('.zst') && zstdMagicAt(start) !== 'frame'
  }
}
