// Stored records as another volume wants them: decompressed and compressed anew, where that one is of another make.
//
// Invariant: only what is sound is compressed anew. Rot would get a good checksum with it, and nobody could tell any more
// that it is rot; so what is damaged goes as it is.

import { crc32 } from 'node:zlib'
import { WarcDamage } from '../../formats/warc/damage.ts'
import type { WarcItem } from '../../formats/warc/reading/reader.ts'
import type { Location } from '../index/location.ts'
import type { VolumeDictionaries } from '../volumes/volume-dictionaries.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import type { MadeRecords, RecordBuilder } from './record-builder.ts'
import type { RecordReader } from './record-reader.ts'

interface Needs {
  files: VolumeFiles
  records: RecordReader
  dictionaries: VolumeDictionaries
  builder: RecordBuilder
}

/** What decompresses to more flows. Many are in memory at once when a volume is emptied. */
const recordBytesMax = 1024 * 1024
/** Stored records up to this long are tried in one piece. */
const wholeBytesMax = 256 * 1024
/** As much as it takes to see how a record is compressed. */
const peekBytes = 16

export class RecordRecoding {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The records there, the first of which is the main one; `stored`: if they are in memory. undefined: they are to be
   * copied as they are. */
  async recoded(
    location: Location,
    checksum: number | undefined,
    stored: Uint8Array | undefined,
  ): Promise<MadeRecords | undefined> {
    const start = stored ?? (await this.#needs.files.read({ ...location, length: peekBytes }))
    if (await this.#fits(location.volume, start)) return undefined
    if (stored !== undefined && stored.length <= wholeBytesMax) {
      if (checksum !== undefined && crc32(stored) !== checksum) return undefined
      const recoded = await this.#unlessDamaged(this.bytes(location.volume, stored))
      if (recoded !== 'too large') return recoded
    }
    return (await this.#isSound(location, checksum)) ? this.#flowing(location) : undefined
  }

  /** Records in memory, as they are stored in that volume. Throws WarcDamage. */
  async bytes(volume: number, stored: Uint8Array): Promise<{ bytes: Uint8Array; mainBytes(): number }> {
    const { records, builder } = this.#needs
    const parts: Uint8Array[] = []
    for (let position = 0; position < stored.length; ) {
      const rest = stored.subarray(position)
      const record = await records.decode(volume, rest, recordBytesMax)
      const fits = await this.#fits(volume, rest)
      parts.push(fits ? rest.subarray(0, record.length) : await builder.encode(record))
      position += record.length
    }
    const mainBytes = parts[0]?.length ?? 0
    return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), mainBytes: () => mainBytes }
  }

  async #fits(volume: number, start: Uint8Array): Promise<boolean> {
    const dictionary = await this.#needs.dictionaries.of(volume)
    return this.#needs.builder.isCompressedLike({ start, dictionary })
  }

  async #unlessDamaged(work: Promise<MadeRecords>): Promise<MadeRecords | undefined | 'too large'> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof WarcDamage)) throw error
      return error.code === 'warc-too-large' ? 'too large' : undefined
    }
  }

  async #isSound(location: Location, checksum: number | undefined): Promise<boolean> {
    const { records } = this.#needs
    if (checksum !== undefined) return (await records.checksum(location)) === checksum
    try {
      for await (const item of records.items(location)) {
        const { block } = recordOf(item)
        if (!(block instanceof Uint8Array)) for await (const _ of block);
      }
      return true
    } catch (error) {
      if (error instanceof WarcDamage) return false
      throw error
    }
  }

  #flowing(location: Location): MadeRecords {
    const { records, builder } = this.#needs
    let mainBytes = 0
    async function* bytes(): AsyncGenerator<Uint8Array> {
      let isMain = true
      for await (const item of records.items(location)) {
        for await (const chunk of builder.encodeFlowing(recordOf(item))) {
          if (isMain) mainBytes += chunk.length
          yield chunk
        }
        isMain = false
      }
    }
    return { bytes: bytes(), mainBytes: () => mainBytes }
  }
}

function recordOf(item: WarcItem) {
  if (item.kind === 'damage') throw item.error
  return item.record
}
