// Scrub: reads everything that lives, at a bounded rate, and compares it with the index, both ways.
//
// - index → volumes: every capture and every content is read where the index says, and must be what was written;
// - volumes → index: what no entry points at must be as many bytes as the volume counts as dead.
// Damaged contents are quarantined, and repaired where good bytes are to be had. The scrub remembers how far it came, so
// that a large store is gone through in pieces; others read, write and compact meanwhile.
//
// Found is every bit that rots in what lives: see record-check.ts. Not looked at: bytes that are dead.

import { compressionInName } from '../../formats/warc/file-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Capture, captureOf } from '../capture.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import type { Quarantine } from '../contents/quarantine.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import { equalLocations, type Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import type { RecordCheck } from '../records/record-check.ts'
import { StoreError } from '../store-error.ts'
import type { VolumePlace } from '../volumes/places/volume-place.ts'
import type { VolumePlaces } from '../volumes/places/volume-places.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import type { WorkProgress } from './compaction.ts'
import type { DamageLog } from './damage-log.ts'
import { RateLimit } from './rate-limit.ts'
import { livingBytesIn } from './relocation-room.ts'
import type { Repair } from './repair.ts'
import type { Resident, ResidentScan } from './residents.ts'

export interface ScrubOptions {
  /** Higher: rot is found sooner, and others wait longer for the disk. Or how fast for what is left to read. */
  bytesPerSecond?: number | ((leftBytes: number) => number) | undefined
  /** Waits, before something is read, for whoever goes first. */
  giveWay?: ((leftBytes: number) => Promise<void>) | undefined
  /** Of volumes in buckets only whether they are there, as long as they are to be: whoever runs a bucket looks after its bytes, and
   * every byte that is read costs. */
  sparesBuckets?: boolean | undefined
  /** From the beginning, not where the last scrub stopped. */
  restart?: boolean | undefined
  signal?: AbortSignal | undefined
  progress?: ((progress: WorkProgress) => void) | undefined
}

export interface Damage {
  volume: number
  path: string
  offset: number
  length: number
  /** What cannot be read there: a URL, a content key, or `volume` for its warcinfo record and its accounts. */
  what: string
  reason: string
  isRepaired: boolean
}

export interface ScrubReport {
  volumes: number
  /** Captures and contents that were checked. */
  records: number
  bytes: number
  /** The first thousand. */
  damaged: Damage[]
  damagedCount: number
  repaired: number
  /** Bytes that no entry points at and no volume counts as dead, or the other way round. */
  unindexed: number
  /** Entries that point at nothing, or that nobody finds where they stand in the index. */
  dangling: number
}

/** Of the scrub that is under way or was stopped; else of the last one that went through everything. */
export interface ScrubState {
  readonly isUnderWay: boolean
  readonly startedAtMs: number | undefined
}

interface Needs {
  index: StoreIndex
  ledger: Ledger
  files: VolumeFiles
  places: VolumePlaces
  finder: ResidentScan
  check: RecordCheck
  quarantine: Quarantine
  repair: Repair
  damageLog: DamageLog
  clock: Clock
  log: Log
}

interface Cursor {
  volume: number
  offset: number
  /** Of the pass; older ones do not tell. */
  startedAtMs?: number
}

const cursorName = 'scrubCursor'
const damagedMax = 1_000
/** How much is read again after a crash. */
const cursorBytes = 64 * 1024 * 1024
const cursorMs = 60_000

export class Scrub {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get state(): ScrubState {
    const { index, damageLog } = this.#needs
    const cursor = index.note<Cursor>(cursorName)
    return {
      isUnderWay: cursor !== undefined,
      startedAtMs: cursor === undefined ? damageLog.soundness.passStartedAtMs : cursor.startedAtMs,
    }
  }

  /** Only this capture, and what it needs. */
  async capture(key: Uint8Array): Promise<ScrubReport> {
    return new ScrubRun(this.#needs, {}, { volume: 0, offset: 0 }).capture(key)
  }

  /** When stopped by its signal or by a crash, the next scrub goes on from there. */
  async run(options: ScrubOptions = {}): Promise<ScrubReport> {
    const { index, damageLog, clock } = this.#needs
    const cursor = (options.restart ? undefined : index.note<Cursor>(cursorName)) ?? { volume: 0, offset: 0 }
    const startedAtMs = cursor.startedAtMs ?? damageLog.passStart(clock.nowMs())
    const report = await new ScrubRun(this.#needs, options, { ...cursor, startedAtMs }).run()
    await damageLog.passed(startedAtMs, clock.nowMs())
    if (index.note(cursorName) !== undefined) await index.changeForGood(() => index.removeNote(cursorName))
    return report
  }
}

class ScrubRun {
  readonly #needs: Needs
  readonly #options: ScrubOptions
  readonly #start: Cursor
  #rate: RateLimit | undefined
  readonly #report: ScrubReport = {
    volumes: 0,
    records: 0,
    bytes: 0,
    damaged: [],
    damagedCount: 0,
    repaired: 0,
    unindexed: 0,
    dangling: 0,
  }
  #doneBytes = 0
  #totalBytes = 0
  /** What was read last, and what of that is written down. */
  #cursor: Cursor
  #noted: { readonly bytes: number; readonly atMs: number }

  constructor(needs: Needs, options: ScrubOptions, start: Cursor) {
    this.#needs = needs
    this.#options = options
    this.#start = start
    this.#cursor = start
    this.#noted = { bytes: 0, atMs: needs.clock.monotonicMs() }
  }

  async run(): Promise<ScrubReport> {
    try {
      return await this.#readAll()
    } catch (error) {
      if (this.#options.signal?.aborted) await this.#note()
      throw error
    }
  }

  async #readAll(): Promise<ScrubReport> {
    const { index, ledger, finder } = this.#needs
    const all = [...index.volumes()].filter(
      ([, { sizeBytes, state }]) => sizeBytes > 0 && state !== 'emptied',
    )
    const waiting = all.map(([number]) => number).filter((number) => number >= this.#start.volume)
    const before = new Map(all)
    this.#totalBytes = livingBytesIn(index, before.keys())
    this.#doneBytes = this.#totalBytes - livingBytesIn(index, waiting)
    this.#rate = this.#rateFor(this.#leftBytes)
    while (waiting.length > 0) {
      const { volumes, dangling, missing } = await finder.find(waiting, this.#options.signal)
      this.#report.dangling = dangling
      if (missing !== undefined) await ledger.accounts.counted(missing)
      for (const [volume, residents] of volumes) {
        await this.#scrubVolume(volume, residents, before.get(volume)!)
        waiting.shift()
      }
    }
    return this.#report
  }

  get #leftBytes(): number {
    return Math.max(0, this.#totalBytes - this.#doneBytes)
  }

  #rateFor(leftBytes: number): RateLimit {
    const { bytesPerSecond = Number.POSITIVE_INFINITY } = this.#options
    return new RateLimit(
      this.#needs,
      typeof bytesPerSecond === 'number' ? bytesPerSecond : bytesPerSecond(leftBytes),
    )
  }

  async capture(key: Uint8Array): Promise<ScrubReport> {
    const { index } = this.#needs
    const entry = index.capture(key)
    if (entry === undefined) return this.#report
    await this.#checkCapture(entry.location.volume, key)
    // Its payload may lie with another capture.
    const content = entry.content && index.content(entry.content)
    if (content?.isDamaged)
      await this.#checkContent(content.location.volume, entry.content!, captureOf(key, entry))
    return this.#report
  }

  async #scrubVolume(volume: number, residents: Resident[], before: VolumeEntry): Promise<void> {
    try {
      if (await this.#isAway(volume)) await this.#skip(volume, residents)
      else if (!(await this.#isSpared(volume, residents))) await this.#readVolume(volume, residents, before)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store-bucket-unavailable') throw error
      await this.#found({ volume, offset: 0, length: 0 }, 'volume', error.message, false)
    }
  }

  async #readVolume(volume: number, residents: Resident[], before: VolumeEntry): Promise<void> {
    const from = volume === this.#start.volume ? this.#start.offset : 0
    const head = await this.#checkHead(volume, before)
    await this.#checkAccounts(volume, residents, before, head)
    for (const resident of residents) {
      if (resident.offset < from) continue
      await this.#options.giveWay?.(this.#leftBytes)
      await this.#rate?.take(resident.bytes, this.#options.signal)
      if (resident.kind === 'capture') await this.#checkCapture(volume, resident.key)
      else await this.#checkContent(volume, resident.key)
      await this.#advance({ ...this.#start, volume, offset: resident.offset + 1 }, resident.bytes)
    }
    this.#report.volumes++
  }

  /** Its disk is not mounted, say. What is not there has not rotted. */
  async #isAway(volume: number): Promise<boolean> {
    const entry = this.#needs.index.volume(volume)
    return entry !== undefined && (await this.#placeOf(entry).isAway(entry.name))
  }

  async #isSpared(volume: number, residents: readonly Resident[]): Promise<boolean> {
    const entry = this.#needs.index.volume(volume)
    if (this.#options.sparesBuckets !== true || entry === undefined) return false
    const place = this.#placeOf(entry)
    if (place.isWritable || (await place.sizeOf(entry.name)) !== entry.sizeBytes) return false
    this.#doneBytes += bytesIn(residents)
    this.#report.volumes++
    return true
  }

  #placeOf({ folder }: VolumeEntry): VolumePlace {
    const { index, places } = this.#needs
    return places.of(index.folders().get(folder)!.path)
  }

  async #skip(volume: number, residents: readonly Resident[]): Promise<void> {
    this.#doneBytes += bytesIn(residents)
    const reason = 'its folder cannot be reached: is its disk mounted?'
    await this.#found({ volume, offset: 0, length: 0 }, 'volume', reason, false)
  }

  async #checkHead(volume: number, entry: VolumeEntry): Promise<number> {
    if (this.#needs.index.volume(volume) === undefined) return 0
    const { fault, length } = await this.#needs.check.head(volume, entry)
    // It may have been compacted away while we looked.
    const state = this.#needs.index.volume(volume)?.state
    if (fault !== undefined && state !== undefined && state !== 'emptied') {
      await this.#found({ volume, offset: 0, length }, 'volume', fault, false)
      if (compressionInName(entry.name) === 'zstd') await this.#markUrgent(volume)
    }
    return length
  }

  /** Its records need the dictionary that its head may hold. While they can still be read, the next compaction moves them
   * to a volume with a sound one. */
  async #markUrgent(volume: number): Promise<void> {
    const { index } = this.#needs
    if (index.volume(volume)?.isUrgent !== false) return
    await index.changeForGood(() => {
      const now = index.volume(volume)
      if (now !== undefined) index.putVolume(volume, { ...now, isUrgent: true })
    })
  }

  /** Only when nothing has changed since the residents were looked for: else it is not known what they left. */
  async #checkAccounts(
    volume: number,
    residents: Resident[],
    before: VolumeEntry,
    headBytes: number,
  ): Promise<void> {
    const now = this.#needs.index.volume(volume)
    if (headBytes === 0 || now?.deadBytes !== before.deadBytes || now.sizeBytes !== before.sizeBytes) return
    const living = bytesIn(residents)
    const surplus = now.sizeBytes - headBytes - living - now.deadBytes
    if (surplus === 0) return
    this.#report.unindexed += Math.abs(surplus)
    const reason = `${surplus} bytes are neither needed nor counted as dead`
    await this.#found({ volume, offset: 0, length: now.sizeBytes }, 'volume', reason, false)
  }

  async #checkCapture(volume: number, key: Uint8Array): Promise<void> {
    const { index, check, repair, damageLog } = this.#needs
    const entry = index.capture(key)
    if (entry?.location.volume !== volume) return
    const content = entry.content && index.content(entry.content)
    const isHolder = content !== undefined && equalLocations(content.location, entry.location)
    const fault = await check.capture(key, entry)
    if (this.#hasMoved(entry.location, index.capture(key)?.location)) return
    const isRepaired = fault !== undefined && (await repair.capture(key, entry))
    // A reader's repair of the same capture may have come first, and has told of it.
    if (!isRepaired && this.#hasMoved(entry.location, index.capture(key)?.location)) return
    if (fault !== undefined) await this.#found(entry.location, entry.url, fault, isRepaired)
    // Its content lay in the same record, and may have been found before that could be had.
    if (isRepaired && isHolder)
      await damageLog.mended([{ ...entry.location, what: printContentKey(entry.content!) }])
    if (isHolder && !isRepaired) await this.#checkContent(volume, entry.content!, captureOf(key, entry))
  }

  async #checkContent(volume: number, key: ContentKey, capture?: Capture): Promise<void> {
    const { index, check, quarantine, repair } = this.#needs
    const entry = index.content(key)
    if (entry?.location.volume !== volume) return
    const fault = await check.content(key, entry)
    if (this.#hasMoved(entry.location, index.content(key)?.location)) return
    if (fault === undefined) {
      // A reader was wrong about it: memory and cables rot too.
      if (entry.isDamaged) await quarantine.mark(key, entry.location, false)
      return
    }
    if (this.#isForItsBase(entry)) return
    await quarantine.mark(key, entry.location, true)
    const isRepaired = await repair.content(key, entry, capture)
    if (!isRepaired && this.#hasMoved(entry.location, index.content(key)?.location)) return
    await this.#found(entry.location, printContentKey(key), fault, isRepaired)
  }

  /** A delta that cannot be undone only because what it was made against is damaged, which is reported by itself. */
  #isForItsBase({ base }: ContentEntry): boolean {
    for (let key = base; key !== undefined; ) {
      const entry = this.#needs.index.content(key)
      if (entry?.isDamaged) return true
      key = entry?.base
    }
    return false
  }

  #hasMoved(from: Location, now: Location | undefined): boolean {
    return now === undefined || !equalLocations(from, now)
  }

  async #found(
    { volume, offset, length }: Location,
    what: string,
    reason: string,
    isRepaired: boolean,
  ): Promise<void> {
    const { files, damageLog, clock, log } = this.#needs
    const damage = { volume, path: files.path(volume), offset, length, what, reason, isRepaired }
    log.error(damage, 'Damage was found')
    this.#report.damagedCount++
    if (isRepaired) this.#report.repaired++
    if (this.#report.damaged.length < damagedMax) this.#report.damaged.push(damage)
    await damageLog.found(damage, isRepaired, Math.max(clock.nowMs(), this.#start.startedAtMs ?? 0))
  }

  async #advance(cursor: Cursor, bytes: number): Promise<void> {
    this.#report.records++
    this.#report.bytes += bytes
    this.#doneBytes += bytes
    this.#cursor = cursor
    this.#options.progress?.({
      doneBytes: this.#doneBytes,
      totalBytes: Math.max(this.#doneBytes, this.#totalBytes),
    })
    const { bytes: notedBytes, atMs } = this.#noted
    const isDue =
      this.#report.bytes - notedBytes >= cursorBytes || this.#needs.clock.monotonicMs() - atMs >= cursorMs
    if (isDue) await this.#note()
  }

  /** How far we came. */
  async #note(): Promise<void> {
    const { index, clock } = this.#needs
    this.#noted = { bytes: this.#report.bytes, atMs: clock.monotonicMs() }
    await index.changeForGood(() => index.putNote(cursorName, this.#cursor))
  }
}

function bytesIn(residents: readonly Resident[]): number {
  return residents.reduce((sum, { bytes }) => sum + bytes, 0)
}
