// Frontier survey: what lies in a frontier, for people who look at it: sites in the order of the ring, their queues and URLs.
//
// Reads only, a page at a time. Each question costs a bounded number of looks into the map, however much lies in it: sites are
// found by seeking from one to the next, and what is counted is counted up to a limit, and says so.

import { readableOr } from '../../../formats/wire/message-bytes.ts'
import { parseRingKey, type RingKey } from '../../../model/ring-key.ts'
import type {
  PageQuestion,
  QueuedUrl,
  QueueRow,
  SiteFacts,
  SiteRow,
  SurveyPage,
  VisitRow,
} from '../../../model/survey.ts'
import { tryParseUrl } from '../../../model/url/url.ts'
import type { SitePlanState } from '../../recrawl/site-plan.ts'
import { decodeVisitEntry } from '../../recrawl/visit-entry.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import {
  afterPrefix,
  entryKinds,
  hostPrefix,
  jobNumberBytes,
  knownPrefix,
  lanePrefix,
  planKey,
  siteKey,
  sitePrefixBytes,
} from '../sites/site-keys.ts'
import { prefixOf } from '../sites/site-log.ts'
import { queuedPage } from './queued-page.ts'

export type FrontierSiteFacts = Omit<SiteFacts, 'captures' | 'areCapturesMore' | 'lease' | 'copies'>

/** Closed sites that are passed over in search of open ones, for one page. */
const looksMax = 2_000
/** Of a row. */
const lanesCounted = 50
/** Of a site that is looked at. */
const lanesCountedAlone = 5_000
const failingMax = 20
const dayMs = 24 * 3_600_000
/** The time under which lanes wait of which rules hold back all: see lane-table.ts. */
const heldAtMs = 2 ** 46
const behindAll = Buffer.alloc(sitePrefixBytes + 1, 0xff)

interface Needs {
  readonly tables: FrontierTables
  nowMs(): number
}

interface StoredLane {
  readonly job: number
  readonly host: string
  readonly taken: number
  readonly pending: number
  readonly atMs: number
}

export class FrontierSurvey {
  readonly #tables: FrontierTables
  readonly #nowMs: () => number

  constructor({ tables, nowMs }: Needs) {
    this.#tables = tables
    this.#nowMs = nowMs
  }

  /** Those that are this frontier's. */
  sites({ after, limit }: PageQuestion): SurveyPage<SiteRow> {
    this.#tables.writeAll()
    const rows: SiteRow[] = []
    let from = after === undefined ? Buffer.alloc(1) : afterPrefix(siteBytes(after))
    let last: string | undefined
    for (let looks = 0; looks < looksMax; looks++) {
      const site = this.#firstFrom(from)
      if (site === undefined) return { rows, next: undefined }
      if (rows.length === limit) return { rows, next: last }
      last = site.toString('hex')
      if (this.#tables.door.isOpenAt(site)) rows.push(...this.#row(site))
      from = afterPrefix(site)
    }
    return { rows, next: last }
  }

  site(key: RingKey): FrontierSiteFacts | undefined {
    this.#tables.writeAll()
    const site = Buffer.from(prefixOf(key), 'latin1')
    const [row] = this.#row(site)
    if (row === undefined) return undefined
    const lanes = [...this.#lanes(site, lanesCountedAlone)]
    const plan = this.#planOf(site)
    const jobs = new Set(lanes.map(({ job }) => job))
    return {
      ...row,
      queued: lanes.reduce((sum, { pending }) => sum + pending, 0),
      hosts: new Set(lanes.map(({ host }) => host)).size,
      isMore: lanes.length === lanesCountedAlone,
      known: [...jobs].reduce((sum, job) => sum + this.#knownOf(site, job), 0),
      visitsPerDay: (plan?.plannedPerMs ?? 0) * dayMs,
      failing: this.#failing(site),
    }
  }

  queues(key: RingKey, { after, limit }: PageQuestion): SurveyPage<QueueRow> {
    this.#tables.writeAll()
    const site = Buffer.from(prefixOf(key), 'latin1')
    const found: { row: QueueRow; cursor: string }[] = []
    for (const { cursor, lane } of this.#lanesFrom(site, after, limit + 1)) {
      const job = this.#tables.jobs.byNumber(lane.job)?.id ?? ''
      found.push({ cursor, row: this.#queueRow(site, job, lane) })
    }
    return paged(found, limit)
  }

  queued(
    key: RingKey,
    queue: { readonly job: string; readonly host: string },
    question: PageQuestion,
  ): SurveyPage<QueuedUrl> {
    this.#tables.writeAll()
    const job = this.#tables.jobs.find(queue.job)
    if (job === undefined) return { rows: [], next: undefined }
    const site = Buffer.from(prefixOf(key), 'latin1')
    return queuedPage(this.#tables.sites, { site, job: job.number, authority: queue.host }, question)
  }

  /** In no order that means anything. */
  visits(key: RingKey, { after, limit }: PageQuestion): SurveyPage<VisitRow> {
    this.#tables.writeAll()
    const prefix = Buffer.concat([
      Buffer.from(prefixOf(key), 'latin1'),
      Buffer.from(entryKinds.visit, 'latin1'),
    ])
    const from = after === undefined ? prefix : Buffer.concat([prefix, hexBytes(after), Buffer.alloc(1)])
    const found: { row: VisitRow; cursor: string }[] = []
    for (const [entry, value] of this.#tables.sites.range(from, afterPrefix(prefix), limit + 1))
      found.push({ row: this.#visitRow(value), cursor: entry.toString('hex', prefix.length) })
    return paged(found, limit)
  }

  visit(href: string): VisitRow | undefined {
    return this.#tables.recrawl.planned({ kind: 'url', url: href }, 1)[0]
  }

  #firstFrom(from: Buffer): Buffer | undefined {
    for (const [key] of this.#tables.sites.range(from, behindAll, 1))
      return Buffer.from(key.subarray(0, sitePrefixBytes))
    return undefined
  }

  /** None for a site that nothing was ever queued of: others have noted something of it. */
  #row(site: Buffer): SiteRow[] {
    const stored = this.#tables.sites.get(siteKey(site))
    const [written = '', name = ''] = Buffer.from(stored ?? [])
      .toString('latin1')
      .split(' ')
    const key = readableOr(() => parseRingKey(written), undefined)
    if (key === undefined) return []
    let queued = 0
    let lanes = 0
    for (const { pending } of this.#lanes(site, lanesCounted)) {
      queued += pending
      lanes++
    }
    const pages = this.#planOf(site)?.pages ?? 0
    if (lanes + pages === 0) return []
    const isCrawled = this.#tables.door.canCrawlAt(site)
    return [{ key, site: name, isCrawled, pages, queued }]
  }

  *#lanes(site: Buffer, limit: number): Generator<StoredLane> {
    for (const { lane } of this.#lanesFrom(site, undefined, limit)) yield lane
  }

  *#lanesFrom(
    site: Buffer,
    after: string | undefined,
    limit: number,
  ): Generator<{ cursor: string; lane: StoredLane }> {
    const prefix = lanePrefix(site)
    const from = after === undefined ? prefix : Buffer.concat([prefix, hexBytes(after), Buffer.alloc(1)])
    for (const [key, value] of this.#tables.sites.range(from, afterPrefix(prefix), limit)) {
      const [taken = 0, pending = 0, atMs = -1] = Buffer.from(value).toString('latin1').split(' ').map(Number)
      const host = key.toString('latin1', prefix.length + jobNumberBytes)
      const job = key.readUIntBE(prefix.length, jobNumberBytes)
      yield { cursor: key.toString('hex', prefix.length), lane: { job, host, taken, pending, atMs } }
    }
  }

  #queueRow(site: Buffer, job: string, { host, taken, pending, atMs }: StoredLane): QueueRow {
    const { pace, heldUntilMs } = this.#tables.hosts.get(site, host, this.#nowMs())
    const allowedAtMs = Math.max(pace.nextAtMs, heldUntilMs)
    const state = pending === 0 ? 'empty' : atMs >= heldAtMs ? 'held' : 'waiting'
    return {
      job,
      host,
      taken,
      pending,
      allowedAtMs: allowedAtMs > this.#nowMs() ? Math.round(allowedAtMs) : 0,
      state,
    }
  }

  #planOf(site: Buffer): SitePlanState | undefined {
    const stored = this.#tables.sites.get(planKey(site))
    return stored && (JSON.parse(Buffer.from(stored).toString('latin1')) as SitePlanState)
  }

  #knownOf(site: Buffer, job: number): number {
    const stored = this.#tables.sites.get(knownPrefix(site, job))
    return stored === undefined ? 0 : Buffer.from(stored).readUIntBE(0, Math.min(6, stored.length))
  }

  #failing(site: Buffer): SiteFacts['failing'] {
    const prefix = hostPrefix(site)
    const failing: { host: string; reason: string; untilMs: number }[] = []
    for (const [key] of this.#tables.sites.range(prefix, afterPrefix(prefix), lanesCountedAlone)) {
      const host = key.toString('latin1', prefix.length)
      const { outage } = this.#tables.hosts.get(site, host, this.#nowMs())
      if (outage === undefined) continue
      failing.push({ host, reason: outage.reason || outage.code, untilMs: outage.untilMs })
      if (failing.length === failingMax) break
    }
    return failing
  }

  #visitRow(stored: Uint8Array): VisitRow {
    const { href, queue, page } = decodeVisitEntry(stored)
    const url = tryParseUrl(href)
    const isStopped = url !== null && this.#tables.siteRules.freshOf(url) === 'never'
    const state = isStopped ? 'stopped' : queue === 'pending' ? 'under-way' : 'planned'
    const { dueAtMs, visitedAtMs, intervalMs, failures } = page
    return { url: href, dueAtMs, visitedAtMs, intervalMs, failures, state }
  }
}

function paged<Row>(
  found: readonly { readonly row: Row; readonly cursor: string }[],
  limit: number,
): SurveyPage<Row> {
  const shown = found.slice(0, limit)
  return {
    rows: shown.map(({ row }) => row),
    next: found.length > limit ? shown.at(-1)?.cursor : undefined,
  }
}

function siteBytes(cursor: string): Buffer {
  const bytes = hexBytes(cursor)
  return bytes.length >= sitePrefixBytes ? bytes.subarray(0, sitePrefixBytes) : Buffer.alloc(sitePrefixBytes)
}

/** Of a cursor that others wrote: what is no hex is where it begins. */
function hexBytes(cursor: string): Buffer {
  return /^(?:[0-9a-f]{2}){1,600}$/.test(cursor) ? Buffer.from(cursor, 'hex') : Buffer.alloc(0)
}
