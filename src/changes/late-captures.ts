// Late captures: finds what the archive keeps of the sites that are crawled here and no event told of, and has it told.
//
// Whoever crawled a site before us may have kept a page and lost its lease before it could write the event; its copy may reach us when
// we have visited the page ourselves, or when the page is not to be visited for a year. Such captures can come in two ways only: they
// are here when a site is taken over, or they come as copies while it is ours. So a site is looked at a minute after either; and once
// more where captures are too new by then for our clock, which may be behind that of the peer that made them.
//
// Invariants: nothing is told before enough peers keep it; no capture is told twice. A look takes a fifth of the thread at most, and
// the longer looks take the rarer they are: to wait for other peers is no work.

import { PolyhistorError } from '../errors.ts'
import { type RingKey, ringKeyToBytes } from '../model/ring-key.ts'
import { tryParseLink, type Url } from '../model/url/url.ts'
import type { Clock } from '../platform/clock.ts'
import { PeriodicTask } from '../platform/periodic-task.ts'
import type { JudgedTimes, KeptVersions } from './missed-changes.ts'
import type { Sighting } from './page-state.ts'

export interface KeptCapture {
  readonly url: string
  readonly surt: string
  readonly sighting: Sighting
  readonly isImported: boolean
  /** Names it for `spread`, and the place to go on from. */
  readonly cursor: string
}

/** The ids of a site's events, as far back as they were looked at. */
export interface ToldIds {
  /** All events of captures from then on are among them. */
  readonly fromMs: number
  /** Up to which of the site's events. */
  readonly sequence: number
  has(id: Uint8Array): boolean
}

/** The log, as far as it matters here; sites by the first bytes of their ring keys, as text. */
export interface LateLog {
  readonly generation: number
  /** Sites that are read here and were taken over behind this generation. */
  takenAfter(generation: number): readonly string[]
  isServed(site: string): boolean
  /** Of events written since then. Looks at so many at a time: not done where it gives undefined. */
  toldSince(site: string, sinceMs: number): Iterator<undefined, ToldIds>
  /** What is to be told. */
  missed(url: Url, versions: KeptVersions, told: ToldIds, times: JudgedTimes): readonly Uint8Array[]
  /** Tells it, if these are the ids of all. */
  tellMissed(
    url: Url,
    versions: KeptVersions,
    told: ToldIds,
    times: JudgedTimes,
    ids: ReadonlySet<string>,
  ): void
}

interface Needs {
  readonly clock: Clock
  readonly log: LateLog
  /** Of the site, in the order of the store. */
  captures(site: string, page: { after: string | undefined; limit: number }): Iterable<KeptCapture>
  /** The newest before that time that is a page, or says that there is none. */
  before(url: Url, atMs: number): Sighting | undefined
  /** Resolves when enough peers keep it; rejects with a PolyhistorError when that takes too long. */
  spread(capture: KeptCapture): Promise<void>
}

const lookMs = 15_000
/** What has just been kept is a visit's that is still under way. */
const settledMs = 60_000
/** Older captures are not looked for: their peers were away for longer than that. */
export const lateMsMax = 7 * 86_400_000
const capturesAtOnce = 200
/** Versions of one page, the newest ones. */
const versionsMax = 1_000
const suspectedMax = 100_000
const restFactor = 20
const pauseFactor = 4
const workMs = 10
const prefixBytes = 8

/** Of a site. */
interface Suspicion {
  readonly dueMs: number
  /** What was too new for the look before: whatever else is too new by then has come since, or is our own. */
  readonly isSecond: boolean
}

export class LateCaptures {
  readonly #needs: Needs
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()
  readonly #suspected = new Map<string, Suspicion>()
  #generation = 0
  #restUntilMs = 0
  #workedSinceMs = 0
  /** For others to keep a capture, during this look. */
  #waitedMs = 0

  constructor(needs: Needs) {
    this.#needs = needs
    this.#task = new PeriodicTask(needs, lookMs, () => this.look())
  }

  /** A copy of a capture came from another peer. */
  arrived(site: RingKey): void {
    const name = Buffer.from(ringKeyToBytes(site).subarray(0, prefixBytes)).toString('latin1')
    if (this.#needs.log.isServed(name)) this.#suspect(name)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  /** At those that are due. */
  async look(): Promise<void> {
    const { clock, log } = this.#needs
    const { generation } = log
    for (const site of log.takenAfter(this.#generation)) this.#suspect(site)
    this.#generation = generation
    const startMs = clock.monotonicMs()
    if (startMs < this.#restUntilMs) return
    this.#workedSinceMs = startMs
    this.#waitedMs = 0
    for (const [site, { dueMs, isSecond }] of this.#suspected) {
      if (this.#stop.signal.aborted) break
      if (dueMs > startMs) continue
      this.#suspected.delete(site)
      await this.#examine(site, isSecond)
    }
    const nowMs = clock.monotonicMs()
    this.#restUntilMs = nowMs + restFactor * (nowMs - startMs - this.#waitedMs)
  }

  #suspect(site: string): void {
    const known = this.#suspected.get(site)
    if (known?.isSecond === false || (known === undefined && this.#suspected.size >= suspectedMax)) return
    this.#suspected.set(site, { dueMs: this.#needs.clock.monotonicMs() + settledMs, isSecond: false })
  }

  async #examine(site: string, isSecond: boolean): Promise<void> {
    const { clock, log, captures } = this.#needs
    if (!log.isServed(site)) return
    const toMs = clock.nowMs() - settledMs
    let newestMs = toMs
    const told = await this.#told(site, toMs - lateMsMax)
    const times = { fromMs: Math.max(told.fromMs, toMs - lateMsMax), toMs }
    let after: string | undefined
    let group: KeptCapture[] = []
    for (;;) {
      const page = [...captures(site, { after, limit: capturesAtOnce })]
      for (const capture of page) {
        if (group.length > 0 && group[0]!.surt !== capture.surt) {
          await this.#examineUrls(site, group, told, times)
          group = []
        }
        group.push(capture)
        const { atMs, id } = capture.sighting
        if (atMs >= newestMs && !capture.isImported && !told.has(id)) newestMs = atMs + 1
        if (group.length > 2 * versionsMax) group = group.slice(-versionsMax)
      }
      after = page.at(-1)?.cursor
      if (page.length < capturesAtOnce || this.#stop.signal.aborted || !log.isServed(site)) break
      await this.#pause()
    }
    await this.#examineUrls(site, group, told, times)
    const nowMs = clock.monotonicMs()
    if (newestMs > toMs && !isSecond && !this.#suspected.has(site))
      this.#suspected.set(site, { dueMs: nowMs + newestMs - toMs, isSecond: true })
  }

  async #told(site: string, sinceMs: number): Promise<ToldIds> {
    const looking = this.#needs.log.toldSince(site, sinceMs)
    for (;;) {
      const { done, value } = looking.next()
      if (done) return value
      await this.#pause()
    }
  }

  /** URLs that share a key are several pages. */
  async #examineUrls(
    site: string,
    group: readonly KeptCapture[],
    told: ToldIds,
    times: JudgedTimes,
  ): Promise<void> {
    const isSuspect = ({ sighting: { id, atMs }, isImported }: KeptCapture): boolean =>
      atMs >= times.fromMs && atMs < times.toMs && !isImported && !told.has(id)
    if (!group.some(isSuspect)) return
    for (const [href, kept] of Map.groupBy(group, ({ url }) => url)) {
      const url = tryParseLink(href)
      const captures = kept.filter(({ isImported }) => !isImported)
      if (url?.href === href && captures.some(isSuspect))
        await this.#examineUrl(site, url, captures, told, times)
    }
  }

  async #examineUrl(
    site: string,
    url: Url,
    captures: readonly KeptCapture[],
    told: ToldIds,
    times: JudgedTimes,
  ): Promise<void> {
    const { log, before } = this.#needs
    const versions = {
      captures: captures.map(({ sighting }) => sighting),
      earlier: before(url, captures[0]!.sighting.atMs),
    }
    const missed = new Set(log.missed(url, versions, told, times).map(textOf))
    for (const capture of captures)
      if (missed.has(textOf(capture.sighting.id)) && !(await this.#becomesSafe(capture)))
        return this.#suspect(site)
    if (missed.size > 0 && log.isServed(site)) log.tellMissed(url, versions, told, times, missed)
  }

  async #becomesSafe(capture: KeptCapture): Promise<boolean> {
    const { clock } = this.#needs
    const startMs = clock.monotonicMs()
    try {
      await this.#needs.spread(capture)
      return true
    } catch (error) {
      if (!(error instanceof PolyhistorError) && !this.#stop.signal.aborted) throw error
      return false
    } finally {
      const nowMs = clock.monotonicMs()
      this.#waitedMs += nowMs - startMs
      this.#workedSinceMs = nowMs
    }
  }

  async #pause(): Promise<void> {
    const { clock } = this.#needs
    const workedMs = clock.monotonicMs() - this.#workedSinceMs
    if (workedMs < workMs || this.#stop.signal.aborted) return
    await clock.sleep(Math.min(1_000, pauseFactor * workedMs), this.#stop.signal).catch(() => {})
    this.#workedSinceMs = clock.monotonicMs()
  }
}

export function textOf(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1')
}
