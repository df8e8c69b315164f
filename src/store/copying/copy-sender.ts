// Gives captures to another store: as they are stored, or whole.

import { crc32 } from 'node:zlib'
import { fetchedUrl } from '../../formats/http/request-query.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { captureOf } from '../capture.ts'
import type { RecordExport } from '../export/record-export.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { Location } from '../index/location.ts'
import { type CaptureFinder, keyOfCursor } from '../reading/capture-finder.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { filedUrl } from '../records/request-mark.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import type { VolumeDictionaries } from '../volumes/volume-dictionaries.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import type { CaptureCopy, CopyOffer, FlowingCopy, GiveOptions } from './copying.ts'

export interface SenderNeeds {
  finder: CaptureFinder
  files: VolumeFiles
  records: RecordReader
  dictionaries: VolumeDictionaries
  exporting: RecordExport
}

/** Up to this many bytes are given in one piece. */
const pieceBytesMax = 1024 * 1024

export class CopySender {
  readonly #needs: SenderNeeds

  constructor(needs: SenderNeeds) {
    this.#needs = needs
  }

  offer(cursor: string, { isWhole = false, mayBeHidden = false }: GiveOptions): CopyOffer | undefined {
    const { finder } = this.#needs
    const entry = mayBeHidden ? finder.keptEntry(cursor) : finder.entry(cursor)
    if (entry === undefined) return undefined
    // A revisit of what is nowhere is all that there is of it.
    const isStored = !isWhole || holdsPayload(entry) || entry.content === undefined
    const mainBytes = isStored ? entry.location.length : Math.max(entry.location.length, entry.payloadBytes)
    return {
      sizeBytes: mainBytes + entry.companionBytes,
      isFirst: !entry.isLater && entry.heardAtMs === undefined,
      read: async (memory) =>
        (isStored && (await this.#isFiledSo(entry)) ? await this.#stored(entry, memory) : undefined) ??
        this.#exported(cursor, entry),
    }
  }

  /** Whether others would file it under the same URL by what its record says. */
  async #isFiledSo({ url, location }: CaptureEntry): Promise<boolean> {
    return fetchedUrl(url) === url || filedUrl(await this.#needs.records.start(location))?.href === url
  }

  /** undefined when others could not read it as it is. */
  async #stored(entry: CaptureEntry, memory?: Uint8Array): Promise<CaptureCopy | undefined> {
    const { files, records, dictionaries } = this.#needs
    const { location, companionBytes, checksum } = entry
    const all = { ...location, length: location.length + companionBytes }
    const dictionary = await dictionaries.of(location.volume)
    const isForeign = dictionary !== undefined && Buffer.compare(dictionary, recordDictionary) !== 0
    if (isForeign && !looksLikeGzip(await files.read({ ...location, length: 4 }))) return undefined
    if (all.length > pieceBytesMax) {
      if (checksum === undefined) return files.stream(all)
      if ((await records.checksum(all)) !== checksum) throw rotten(entry)
      return this.#flowing(all, checksum)
    }
    const bytes = await files.read(all, memory)
    if (checksum !== undefined && crc32(bytes) !== checksum) throw rotten(entry)
    return bytes
  }

  #flowing(all: Location, checksum: number): FlowingCopy {
    const { volume, offset: start, length } = all
    const from = (offset: number): AsyncIterable<Uint8Array> => {
      const skipped = Math.min(offset, length)
      return this.#needs.files.stream({ volume, offset: start + skipped, length: length - skipped })
    }
    return {
      [Symbol.asyncIterator]: () => from(0)[Symbol.asyncIterator](),
      stored: { sizeBytes: length, checksum, from },
    }
  }

  async #exported(cursor: string, entry: CaptureEntry): Promise<CaptureCopy> {
    const { exporting } = this.#needs
    const { content } = entry
    const { main, companions } =
      content === undefined
        ? await exporting.revisitOfUnknown(entry)
        : await exporting.full(captureOf(keyOfCursor(cursor), entry), entry, content)
    if (main instanceof Uint8Array) return Buffer.concat([main, companions])
    return joined(main, companions)
  }
}

function holdsPayload({ kind }: CaptureEntry): boolean {
  return kind === 'full' || kind === 'plain'
}

function rotten({ location }: CaptureEntry): WarcDamage {
  return new WarcDamage(
    'warc-bad-checksum',
    location.offset,
    'the stored bytes are not those that were written',
  )
}

async function* joined(main: AsyncIterable<Uint8Array>, companions: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* main
  yield companions
}
