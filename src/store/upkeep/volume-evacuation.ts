// Empties volumes: moves everything in them that lives to other volumes, then removes their files.
//
// What lives is what the index points at: one walk over the index finds it for all the volumes at once, and nothing in
// the files needs to be understood, however damaged they are. The finds of a stretch of the index are moved in the order
// in which they lie on disk.
// Safe to kill at any moment: a volume is called `emptied` only when nothing points at it, and whatever was not finished
// is found again by the next walk.

import { WarcDamage } from '../../formats/warc/damage.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import { contentTableKey } from '../index/content-entry.ts'
import type { Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import type { Share } from '../volumes/disk-room.ts'
import type { VolumePlaces } from '../volumes/places/volume-places.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import { readVolumeHead, warcinfoBytesMax } from '../volumes/volume-head.ts'
import { type Relocation, Unreadable } from './relocation.ts'

interface EmptyingOptions {
  /** Nothing is moved to this folder. */
  notFolder?: number | undefined
  signal?: AbortSignal | undefined
  /** Told of bytes as they are moved. */
  moved?: ((bytes: number) => void) | undefined
}

/** A volume that could not be emptied, and why. */
export interface VolumeLeft {
  volume: number
  path: string
  reason: string
}

interface Find {
  location: Location
  bytes: number
  move(): Promise<void>
}

interface Needs {
  index: StoreIndex
  places: VolumePlaces
  files: VolumeFiles
  relocation: Relocation
  share: Share | undefined
  clock: Clock
  log: Log
}

/** Index entries looked at before others get a turn. */
const entriesPerTurn = 500
/** Finds held in memory, to be sorted by where they lie. */
const findsMax = 20_000
/** Moved at once, and made durable with one flush. */
const batchCountMax = 256
const batchBytesMax = 16 * 1024 * 1024

export class VolumeEvacuation {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Gives those that had to be left. Fails when there is nowhere to move things to. */
  async empty(volumes: ReadonlySet<number>, options: EmptyingOptions = {}): Promise<VolumeLeft[]> {
    const faults = new Map<number, string>()
    if (volumes.size > 0) {
      await this.#moveAll(this.#capturesIn(volumes, options), faults, options)
      // Behind the captures: what lies in a capture's record has moved with it.
      await this.#moveAll(this.#contentsIn(volumes, options), faults, options)
    }
    for (const volume of volumes) await this.#remove(volume, faults)
    return [...faults].map(([volume, reason]) => ({ volume, path: this.#needs.files.path(volume), reason }))
  }

  /** Removes what was emptied before and could not be removed then. */
  async removeEmptied(): Promise<void> {
    for (const [number, { state }] of this.#needs.index.volumes()) {
      if (state === 'emptied') await this.#removeFile(number, new Map())
    }
  }

  async *#capturesIn(volumes: ReadonlySet<number>, options: EmptyingOptions): AsyncGenerator<Find> {
    const { index, relocation } = this.#needs
    const page = (from: Uint8Array) => index.captures({ from, limit: entriesPerTurn })
    for await (const [key, entry] of this.#inTurns(page, ([key]) => key, options)) {
      const { location, companionBytes } = entry
      if (!volumes.has(location.volume)) continue
      const move = () => relocation.moveCapture(key, entry, options.notFolder)
      yield { location, bytes: location.length + companionBytes, move }
    }
  }

  async *#contentsIn(volumes: ReadonlySet<number>, options: EmptyingOptions): AsyncGenerator<Find> {
    const { index, relocation } = this.#needs
    const page = (from: Uint8Array) => index.contents({ from, limit: entriesPerTurn })
    for await (const [key, entry] of this.#inTurns(page, ([key]) => contentTableKey(key), options)) {
      const { location } = entry
      if (!volumes.has(location.volume)) continue
      const move = () => relocation.moveContent(key, entry, options.notFolder)
      yield { location, bytes: location.length, move }
    }
  }

  /** A table page by page: others get a turn, and no view of the index is held for long. */
  async *#inTurns<Entry>(
    page: (from: Uint8Array) => Iterable<Entry>,
    keyOf: (entry: Entry) => Uint8Array,
    { signal }: EmptyingOptions,
  ): AsyncGenerator<Entry> {
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const entries = [...page(from)]
      yield* entries
      if (entries.length < entriesPerTurn) return
      from = Buffer.concat([keyOf(entries.at(-1)!), Buffer.from([0])])
      await this.#needs.clock.sleep(0, signal)
    }
  }

  async #moveAll(
    finds: AsyncIterable<Find>,
    faults: Map<number, string>,
    options: EmptyingOptions,
  ): Promise<void> {
    let some: Find[] = []
    for await (const find of finds) {
      some.push(find)
      if (some.length < findsMax) continue
      await this.#moveSome(some, faults, options)
      some = []
    }
    await this.#moveSome(some, faults, options)
  }

  async #moveSome(finds: Find[], faults: Map<number, string>, options: EmptyingOptions): Promise<void> {
    finds.sort(({ location: a }, { location: b }) => a.volume - b.volume || a.offset - b.offset)
    for (const batch of batchesOf(finds)) {
      options.signal?.throwIfAborted()
      // All of them, also when one fails: nothing is to go on behind the caller's back.
      const outcomes = await Promise.allSettled(batch.map((find) => this.#move(find, faults)))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      options.moved?.(batch.reduce((sum, { bytes }) => sum + bytes, 0))
    }
  }

  async #move({ location, move }: Find, faults: Map<number, string>): Promise<void> {
    try {
      await move()
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.#needs.log.error({ location, error }, 'A record cannot be read, so its volume is left')
      faults.set(location.volume, `the record at byte ${location.offset} cannot be read: ${error.message}`)
    }
  }

  async #remove(volume: number, faults: Map<number, string>): Promise<void> {
    const { index, log } = this.#needs
    const entry = index.volume(volume)
    if (entry === undefined || faults.has(volume)) return
    // The ledger counts independently of the walk: should they ever differ, nothing is removed.
    const livingBytes = entry.sizeBytes - entry.deadBytes - (await this.#headBytes(volume, entry))
    if (livingBytes > 0) {
      log.error({ volume, livingBytes }, 'A volume seems to hold more than was found in it, so it is left')
      faults.set(volume, `${livingBytes} bytes of it seem to be needed still`)
      return
    }
    await index.changeForGood(() => index.putVolume(volume, { ...index.volume(volume)!, state: 'emptied' }))
    await this.#removeFile(volume, faults)
  }

  /** Of the head, which belongs to the file and goes with it. */
  async #headBytes(volume: number, { headBytes }: VolumeEntry): Promise<number> {
    if (headBytes !== undefined) return headBytes
    const read = (offset: number, length: number) => this.#needs.files.read({ volume, offset, length })
    try {
      return (await readVolumeHead(read)).length
    } catch (error) {
      // Of a damaged one the most is assumed.
      if (error instanceof WarcDamage || error instanceof DiskError || error instanceof StoreError)
        return warcinfoBytesMax
      throw error
    }
  }

  async #removeFile(volume: number, faults: Map<number, string>): Promise<void> {
    const { index, places, files, log } = this.#needs
    const path = files.path(volume)
    try {
      await files.forget(volume)
      const { folder, name } = index.volume(volume)!
      await places.of(index.folders().get(folder)!.path).remove(name)
      this.#needs.share?.freed()
    } catch (error) {
      if (!(error instanceof DiskError) && !(error instanceof StoreError)) throw error
      log.warn({ path, error }, 'An emptied volume cannot be removed now')
      faults.set(volume, `its file cannot be removed: ${error.message}`)
      return
    }
    await index.changeForGood(() => index.removeVolume(volume))
    // A reader that came late may have opened it once more.
    await files.forget(volume)
  }
}

function* batchesOf(finds: Find[]): Iterable<Find[]> {
  let batch: Find[] = []
  let bytes = 0
  for (const find of finds) {
    if (batch.length >= batchCountMax || (batch.length > 0 && bytes + find.bytes > batchBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(find)
    bytes += find.bytes
  }
  if (batch.length > 0) yield batch
}
