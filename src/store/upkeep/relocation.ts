// Moves records from one volume to another, as stored, while readers and writers go on. Where the other is compressed
// otherwise, or with another dictionary, they are compressed anew.
//
// The copy is written and synced first; the index is pointed at it in the same change that declares the old bytes dead,
// and only if it still pointed at them. So a crash, or a takedown between, leaves some dead bytes and nothing else.
// Three things do not say afterwards what they said:
// - a content whose capture was taken down is written anew, whole and without the URL and headers it came with;
// - if such a content is damaged, its place is kept by an empty record and it stays in quarantine: what is rotten can
//   not be told apart from what must go, and a repair does not need it;
// - a revisit that names a URL which was taken down, and cannot be brought back, no longer names it.
// What is damaged otherwise is copied as it is, with the checksum it should have: still to be found, and to be repaired.

import { FieldList } from '../../formats/http/field-list.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { revisitTargetOf } from '../../formats/warc/record.ts'
import { resource } from '../../formats/warc/record-builder.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import { type ContentLoader, wholeBytesMax } from '../contents/content-loader.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import { isOfCapture, type Ledger } from '../index/ledger.ts'
import { equalLocations, type Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { markedForCaptures } from '../records/capture-content-mark.ts'
import { contentUri, type MadeRecords, type RecordBuilder, warcDate } from '../records/record-builder.ts'
import { newRecordId } from '../records/record-id.ts'
import type { RecordReader } from '../records/record-reader.ts'
import type { RecordRecoding } from '../records/record-recoding.ts'
import { StoreError } from '../store-error.ts'
import type { Takedowns } from '../takedowns/takedowns.ts'
import { CommitRefusal, type RecordBytes } from '../volumes/appending.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import type { Volumes } from '../volumes/volumes.ts'

interface Needs {
  index: StoreIndex
  ledger: Ledger
  files: VolumeFiles
  volumes: Volumes
  records: RecordReader
  loader: ContentLoader
  builder: RecordBuilder
  recoding: RecordRecoding
  takedowns: Takedowns
  clock: Clock
  random: Random
}

/** Up to this many bytes are copied in one piece. */
const pieceBytesMax = 8 * 1024 * 1024
const referenceFields = ['WARC-Refers-To', 'WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date']

/** What was to be moved has gone, or is elsewhere already. */
class Gone extends Error {}

/** The bytes cannot be had from the disk: they stay where they are. */
export class Unreadable extends Error {}

export class Relocation {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Moves a capture's records, and its content with them if it lies there. */
  moveCapture(key: Uint8Array, entry: CaptureEntry, notFolder?: number): Promise<void> {
    return unlessGone(this.#moveCapture(key, entry, notFolder))
  }

  /** Moves a content that is in no living capture's record. */
  async moveContent(key: ContentKey, entry: ContentEntry, notFolder?: number): Promise<void> {
    if (isOfCapture(entry)) return
    await unlessGone(
      entry.isOrphaned ? this.#moveOrphan(key, entry, notFolder) : this.#moveAlone(key, entry, notFolder),
    )
  }

  async #moveCapture(key: Uint8Array, entry: CaptureEntry, notFolder?: number): Promise<void> {
    const { index, ledger } = this.#needs
    const all = { ...entry.location, length: entry.location.length + entry.companionBytes }
    const rewritten = await this.#withoutHiddenReference(entry)
    const { bytes, made } = rewritten
      ? { bytes: rewritten.bytes, made: rewritten }
      : await this.#fitting(all, entry.checksum)
    await this.#append(bytes, notFolder, (written) => {
      const now = index.capture(key)
      if (now === undefined || !equalLocations(now.location, entry.location)) {
        // Perhaps it was taken down, and now it lies here too.
        ledger.markUrgent(written.volume)
        throw new CommitRefusal(new Gone())
      }
      const mainBytes = made?.mainBytes() ?? entry.location.length
      ledger.moveCapture(key, now, {
        location: { volume: written.volume, offset: written.offset, length: mainBytes },
        companionBytes: written.length - mainBytes,
        checksum: made === undefined ? now.checksum : written.checksum,
      })
    })
  }

  async #moveAlone(key: ContentKey, entry: ContentEntry, notFolder?: number): Promise<void> {
    const { bytes, made } = await this.#fitting(entry.location, entry.checksum)
    await this.#append(bytes, notFolder, ({ checksum: written, ...location }) => {
      const now = this.#current(key, entry, location)
      const { isDamaged } = now
      const checksum = made === undefined ? now.checksum : written
      this.#needs.ledger.moveContent(key, now, { location, checksum, isDamaged, isWhole: false })
    })
  }

  async #moveOrphan(key: ContentKey, entry: ContentEntry, notFolder?: number): Promise<void> {
    const { builder, ledger } = this.#needs
    const isForCaptures = entry.puts === 0
    const facts = { ...this.#identity(), contentType: 'application/octet-stream', isForCaptures }
    const content = await this.#wholeContent(key, entry)
    const bytes =
      content === undefined
        ? await this.#placeholder(key, isForCaptures)
        : await builder.content(key, content, facts)
    await this.#append(bytes, notFolder, ({ checksum, ...location }) => {
      const isDamaged = content === undefined
      const now = this.#current(key, entry, location)
      ledger.moveContent(key, now, { location, checksum, isDamaged, isWhole: true })
    })
  }

  /** undefined when it is damaged. */
  async #wholeContent(key: ContentKey, { sizeBytes }: ContentEntry) {
    const { loader } = this.#needs
    try {
      if (sizeBytes <= wholeBytesMax) return await loader.bytes(key)
      // Once to see whether it is sound; damage found while it is written would spoil the volume it goes to.
      for await (const _ of loader.chunks(key));
      return { sizeBytes, digest: key.digest, chunks: () => loader.chunks(key) }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'store-content-damaged') return undefined
      if (error instanceof StoreError && error.code === 'store-content-missing') throw new Gone()
      throw asUnreadable(error)
    }
  }

  #placeholder(key: ContentKey, isForCaptures: boolean): Promise<Uint8Array> {
    const { id, nowMs } = this.#identity()
    const targetUri = contentUri(key)
    const contentType = 'application/octet-stream'
    const date = warcDate(nowMs)
    const block = Buffer.alloc(0)
    const record = resource({ id, date, targetUri, contentType, block, truncated: 'unspecified' })
    return this.#needs.builder.encode(isForCaptures ? markedForCaptures(record) : record)
  }

  /** The capture's records with a reference less, if that is to something which was taken down. */
  async #withoutHiddenReference(entry: CaptureEntry): Promise<MadeRecords | undefined> {
    const { takedowns, records, builder, files, recoding } = this.#needs
    if (takedowns.isEmpty || (entry.kind !== 'same' && entry.kind !== 'not-modified')) return undefined
    const { location, companionBytes } = entry
    try {
      const { version, fields, block } = await records.whole(location)
      const target = revisitTargetOf({ fields })?.targetUri
      if (target === undefined || !takedowns.destroysUrl(target)) return undefined
      const kept = referenceFields.reduce((list, name) => list.without(name), fields)
      const main = await builder.encode({ version, fields: new FieldList([...kept]), block })
      const offset = location.offset + location.length
      const stored = await files.read({ ...location, offset, length: companionBytes })
      const companions = await recoding.bytes(location.volume, stored)
      return { bytes: Buffer.concat([main, companions.bytes]), mainBytes: () => main.length }
    } catch (error) {
      if (error instanceof WarcDamage) return undefined
      throw asUnreadable(error)
    }
  }

  /** The bytes to write: those that are stored or, if these do not fit, records made of them. */
  async #fitting(
    location: Location,
    checksum: number | undefined,
  ): Promise<{ bytes: RecordBytes; made: MadeRecords | undefined }> {
    const stored = await this.#stored(location)
    const inMemory = stored instanceof Uint8Array ? stored : undefined
    try {
      const made = await this.#needs.recoding.recoded(location, checksum, inMemory)
      return { bytes: made?.bytes ?? stored, made }
    } catch (error) {
      throw asUnreadable(error)
    }
  }

  async #stored(location: Location): Promise<RecordBytes> {
    if (location.length > pieceBytesMax) return this.#flowing(location)
    try {
      const bytes = await this.#needs.files.read(location)
      if (bytes.length < location.length) throw new Unreadable('the volume has lost its end')
      return bytes
    } catch (error) {
      throw asUnreadable(error)
    }
  }

  async *#flowing(location: Location): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const chunk of this.#needs.files.stream(location)) {
      length += chunk.length
      yield chunk
    }
    if (length < location.length) throw new Unreadable('the volume has lost its end')
  }

  async #append(
    bytes: RecordBytes,
    notFolder: number | undefined,
    commit: Parameters<Volumes['append']>[0]['commit'],
  ): Promise<void> {
    await this.#needs.volumes.append(
      { bytes, isMove: true, commit },
      notFolder === undefined ? {} : { notFolder },
    )
  }

  /** Inside the index change. */
  #current(key: ContentKey, entry: ContentEntry, written: Location): ContentEntry {
    const { index, ledger } = this.#needs
    const now = index.content(key)
    const isStill = now && equalLocations(now.location, entry.location) && now.isOrphaned === entry.isOrphaned
    if (isStill) return now
    // Perhaps it was taken down, or was the base of what was, and now it lies here too.
    ledger.markUrgent(written.volume)
    throw new CommitRefusal(new Gone(printContentKey(key)))
  }

  #identity(): { id: string; nowMs: number } {
    return { id: newRecordId(this.#needs), nowMs: this.#needs.clock.nowMs() }
  }
}

function asUnreadable(error: unknown): unknown {
  const isDisk = error instanceof DiskError || error instanceof StoreError
  return isDisk ? new Unreadable(error.message, { cause: error }) : error
}

async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}
