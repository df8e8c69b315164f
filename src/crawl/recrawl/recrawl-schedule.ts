// Recrawl schedule: which of the pages that are kept are to be visited again, durable, in the order in which they are due.
//
// Invariants: a page is in one queue: normal until its time, pending while it is given out, high when it was given out
// and nothing came of it within pendingMsMax. High ones go out first. Entries and the site's plan lie with the site; the
// queues are an index over all sites. Changes share the frontier's transactions. A site's plan changes with each visit,
// and is written once for all visits of a transaction.

import type { PlannedVisit, VisitTarget } from '../../model/jobs/planned-visit.ts'
import type { RuleTarget } from '../../model/jobs/site-rule.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { Random } from '../../platform/random.ts'
import { keyAfter } from '../../platform/storage/key-value.ts'
import { UrlHash, urlHashBytes } from '../frontier/known/url-hash.ts'
import {
  afterPrefix,
  entryKinds,
  hashedVisitKey,
  planKey,
  sitePrefix,
  sitePrefixBytes,
} from '../frontier/sites/site-keys.ts'
import type { BufferedTable } from '../frontier/write-buffer.ts'
import type { SiteRules } from '../rules/site-rules.ts'
import { type PageVisits, rebounded, type SiteTerms, unvisited, type Visit, visited } from './page-visits.ts'
import { boundsDefault, newSitePlan, type SitePlanState } from './site-plan.ts'
import {
  decodeVisitEntry,
  encodeVisitEntry,
  queueCode,
  type VisitEntry,
  type VisitQueue,
} from './visit-entry.ts'

const timeBytes = 6
/** A page that was given out and not heard of for this long is overdue. */
export const pendingMsMax = 6 * 3_600_000
/** Pages of sites that are not open, passed over in search of others. */
const passedOverMax = 1_000
/** Site plans in memory. */
const plansMax = 1_000
const nothing = Buffer.alloc(1)

interface Needs {
  sites: BufferedTable
  queues: BufferedTable
  random: Random
  rules: SiteRules
  /** What a site may be asked for. */
  termsOf(url: Url): SiteTerms
  /** Pages of other sites are left for later. */
  isOpen(site: Buffer): boolean
}

/** What is not to be visited is looked at again after this, should nobody have taken the rule back. */
const stoppedMs = 30 * 24 * 3_600_000
/** Visits of a site that are looked through for those due first. */
const siteVisitsMax = 10_000

export class RecrawlSchedule {
  readonly #needs: Needs
  readonly rules: SiteRules
  readonly #hash = new UrlHash()
  /** By site, in the order of use. */
  readonly #plans = new Map<string, SitePlanState>()
  /** Sites whose plan is newer in memory, by the prefix of their keys. */
  readonly #changed = new Map<string, Buffer>()

  constructor(needs: Needs) {
    this.#needs = needs
    this.rules = needs.rules
  }

  /** A page was visited, whoever wanted it. */
  visited(url: Url, visit: Visit): PageVisits {
    const key = this.#keyOf(url)
    const before = this.#read(key)
    const plan = this.#planOf(url)
    const next = visited(before?.page ?? unvisited, plan, visit, this.#termsOf(url), this.#needs.random)
    this.#putPlan(url, next.plan)
    const { page } = next
    this.#put(key, before, { queue: 'normal', atMs: this.#atMs(url, page, visit.atMs), href: url.href, page })
    return page
  }

  /** Pages to be visited now, overdue ones first. They are pending from now on. */
  due(nowMs: number, limit: number): string[] {
    this.#expirePending(nowMs, limit)
    const keys = [...this.#upTo('high', 2 ** 47, limit)]
    keys.push(...this.#upTo('normal', nowMs, limit - keys.length))
    return keys.flatMap((key) => {
      const entry = this.#read(key)!
      if (this.#isStopped(entry.href)) {
        this.#put(key, entry, { ...entry, queue: 'normal', atMs: nowMs + stoppedMs })
        return []
      }
      this.#put(key, entry, { ...entry, queue: 'pending', atMs: nowMs + pendingMsMax })
      return entry.href
    })
  }

  /** When the next one is due; undefined when there is none. */
  nextAtMs(): number | undefined {
    let nextMs: number | undefined
    for (const queue of ['high', 'normal', 'pending'] as const) {
      for (const [key] of this.#needs.queues.range(queueKey(queue, 0), queueKey(queue, 2 ** 47), 1)) {
        const atMs = queue === 'high' ? 0 : key.readUIntBE(1, timeBytes)
        nextMs = Math.min(nextMs ?? atMs, atMs)
      }
    }
    return nextMs
  }

  page(url: Url): PageVisits | undefined {
    return this.#read(this.#keyOf(url))?.page
  }

  /** The next ones of everything, of a site or of a URL, in the order in which they are due. */
  planned(target: VisitTarget, limit: number): PlannedVisit[] {
    if (target.kind === 'all') {
      const keys = (['high', 'normal', 'pending'] as const).flatMap((queue) => [
        ...this.#upTo(queue, 2 ** 46, limit),
      ])
      return this.#plannedAt(keys).slice(0, limit)
    }
    const url = tryParseUrl(target.kind === 'url' ? target.url : `http://${target.site}/`)
    if (url === null) return []
    const keys = target.kind === 'url' ? [this.#keyOf(url)] : this.#keysOfSite(url, undefined, siteVisitsMax)
    return this.#plannedAt(keys).slice(0, limit)
  }

  /** Moves visits to where the rules of today have them, so many of a site, or of everything that waits, behind this key.
   * undefined when that were all. */
  applyRules(target: RuleTarget, limit: number, nowMs: number, after?: Buffer): Buffer | undefined {
    const keys = this.#keysOf(target, limit, after)
    for (const key of keys) {
      const entry = this.#read(key)
      const url = entry && tryParseUrl(entry.href)
      if (!url || entry.queue === 'pending') continue
      const bounds = this.#termsOf(url).bounds ?? boundsDefault
      const page = rebounded(entry.page, bounds, this.#needs.random, nowMs)
      this.#put(key, entry, { ...entry, atMs: this.#atMs(url, page, nowMs), page })
    }
    return keys.length < limit ? undefined : keys.at(-1)
  }

  /** Of a host: those of its site. Of a pattern: all. */
  #keysOf(target: RuleTarget, limit: number, after: Buffer | undefined): Buffer[] {
    if (target.kind === 'all' || target.kind === 'pattern') return this.#allKeys(limit, after)
    const name = target.kind === 'host' ? target.host : target.kind === 'site' ? target.site : ''
    const url = tryParseUrl(target.kind === 'url' ? target.url : `http://${name}/`)
    if (url === null) return []
    return target.kind === 'url' ? [this.#keyOf(url)] : this.#keysOfSite(url, after, limit)
  }

  #keysOfSite(url: Url, after: Buffer | undefined, limit: number): Buffer[] {
    const prefix = visitPrefix(sitePrefix(url))
    const from = after === undefined ? prefix : keyAfter(after)
    return [...this.#needs.sites.range(from, afterPrefix(prefix), limit)].map(([key]) => Buffer.from(key))
  }

  /** Site by site. */
  #allKeys(limit: number, after: Buffer | undefined): Buffer[] {
    const keys: Buffer[] = []
    let from = after === undefined ? Buffer.alloc(1) : keyAfter(after)
    while (keys.length < limit) {
      const [first] = [...this.#needs.sites.range(from, Buffer.alloc(sitePrefixBytes + 1, 0xff), 1)]
      if (first === undefined) break
      const prefix = visitPrefix(Buffer.from(first[0].subarray(0, sitePrefixBytes)))
      const start = Buffer.compare(from, prefix) > 0 ? from : prefix
      const end = afterPrefix(prefix)
      if (Buffer.compare(start, end) < 0)
        for (const [key] of this.#needs.sites.range(start, end, limit - keys.length))
          keys.push(Buffer.from(key))
      from = afterPrefix(prefix.subarray(0, sitePrefixBytes))
    }
    return keys
  }

  #plannedAt(keys: readonly Buffer[]): PlannedVisit[] {
    const visits = keys.flatMap((key): PlannedVisit[] => {
      const entry = this.#read(key)
      if (entry === undefined) return []
      const { dueAtMs, visitedAtMs, intervalMs, failures } = entry.page
      const isStopped = this.#isStopped(entry.href)
      const state = isStopped ? 'stopped' : entry.queue === 'pending' ? 'under-way' : 'planned'
      return [{ url: entry.href, dueAtMs, visitedAtMs, intervalMs, failures, state }]
    })
    return visits.sort((left, right) => left.dueAtMs - right.dueAtMs)
  }

  #termsOf(url: Url): SiteTerms {
    const terms = this.#needs.termsOf(url)
    const fresh = this.rules.freshOf(url)
    return fresh === undefined || fresh === 'never' ? terms : { ...terms, bounds: fresh }
  }

  #isStopped(href: string): boolean {
    const url = this.rules.isEmpty ? null : tryParseUrl(href)
    return url !== null && this.rules.freshOf(url) === 'never'
  }

  /** When its queue brings it up. */
  #atMs(url: Url, page: PageVisits, nowMs: number): number {
    return this.rules.freshOf(url) === 'never' ? nowMs + stoppedMs : page.dueAtMs
  }

  /** Rules of freshness are new: moves the visits that they forbid, so many pages at a time. True when all have been looked
   * at. It is remembered how far it came with which rules, so that a new process goes on there, and does nothing where
   * the rules are those of the last. Who is moved to a sooner time has been looked at; who is moved to a later one is
   * looked at again, and found to be right. */
  replan(rules: string, limit: number, nowMs: number): boolean {
    const { queues } = this.#needs
    const before = this.#replanning()
    const isSame = before?.rules === rules
    if (isSame && before.from === undefined) return true
    const from = isSame ? Buffer.from(before.from!, 'latin1') : queueKey('normal', 0)
    let last: Buffer | undefined
    let count = 0
    for (const [key] of [...queues.range(from, queueKey('normal', 2 ** 47), limit)]) {
      this.#rebound(visitKeyOf(key, this.#hash), nowMs)
      last = key
      count++
    }
    const isDone = count < limit || last === undefined
    const after: Replanning = isDone ? { rules } : { rules, from: `${last!.toString('latin1')}\0` }
    this.#putReplanning(after)
    return isDone
  }

  /** Visits were planned by a clock that was ahead: `replan` looks at all that lie ahead, and those that were given out then are
   * waited for as if they had been given out now. */
  afterClockWasAhead(nowMs: number): void {
    const { queues } = this.#needs
    const tooLate = queues.range(queueKey('pending', nowMs + pendingMsMax + 1), queueKey('pending', 2 ** 47))
    for (const [key] of [...tooLate]) {
      const visitKey = visitKeyOf(key, this.#hash)
      const entry = this.#read(visitKey)
      if (entry !== undefined) this.#put(visitKey, entry, { ...entry, atMs: nowMs + pendingMsMax })
    }
    this.#replanFrom(nowMs)
  }

  /** All visits that lie ahead are to be looked at again; where none were ever planned anew they are in any case. */
  #replanFrom(nowMs: number): void {
    const before = this.#replanning()
    const from = queueKey('normal', nowMs).toString('latin1')
    if (before !== undefined && (before.from === undefined || before.from > from))
      this.#putReplanning({ ...before, from })
  }

  #replanning(): Replanning | undefined {
    const stored = this.#needs.queues.get(replanKey)
    return stored && (JSON.parse(Buffer.from(stored).toString('latin1')) as Replanning)
  }

  #putReplanning(replanning: Replanning): void {
    this.#needs.queues.put(replanKey, Buffer.from(JSON.stringify(replanning), 'latin1'))
  }

  #rebound(key: Buffer, nowMs: number): void {
    const entry = this.#read(key)
    const url = entry && tryParseUrl(entry.href)
    if (!url) return
    const bounds = this.#termsOf(url).bounds ?? boundsDefault
    const page = rebounded(entry.page, bounds, this.#needs.random, nowMs)
    if (page !== entry.page) this.#put(key, entry, { ...entry, atMs: this.#atMs(url, page, nowMs), page })
  }

  /** It is not to be visited again. */
  forget(url: Url): void {
    const key = this.#keyOf(url)
    const entry = this.#read(key)
    if (entry === undefined) return
    this.#needs.queues.remove(indexKey(key, entry))
    this.#needs.sites.remove(key)
  }

  #expirePending(nowMs: number, limit: number): void {
    for (const key of [...this.#upTo('pending', nowMs, limit)]) {
      const entry = this.#read(key)!
      this.#put(key, entry, { ...entry, queue: 'high', atMs: entry.page.dueAtMs })
    }
  }

  /** Keys of the pages that this queue brings up by then. */
  *#upTo(queue: VisitQueue, nowMs: number, limit: number): Generator<Buffer> {
    const looksMax = limit + passedOverMax
    const to = queueKey(queue, Math.floor(nowMs) + 1)
    let left = limit
    for (const [key] of this.#needs.queues.range(queueKey(queue, 0), to, limit > 0 ? looksMax : 0)) {
      const visitKey = visitKeyOf(key, this.#hash)
      if (!this.#needs.isOpen(visitKey.subarray(0, sitePrefixBytes))) continue
      yield visitKey
      if (--left === 0) return
    }
  }

  #keyOf(url: Url): Buffer {
    return hashedVisitKey(sitePrefix(url), this.#hash.of(url.href, 0))
  }

  #read(key: Buffer): VisitEntry | undefined {
    const stored = this.#needs.sites.get(key)
    return stored && decodeVisitEntry(stored)
  }

  #put(key: Buffer, before: VisitEntry | undefined, entry: VisitEntry): void {
    if (before !== undefined) this.#needs.queues.remove(indexKey(key, before))
    this.#needs.queues.put(indexKey(key, entry), nothing)
    this.#needs.sites.put(key, encodeVisitEntry(entry))
  }

  /** What is on disk is newer: another frontier handed it over, or it is gone. */
  forgetPlan(site: string): void {
    this.#plans.delete(site)
    this.#changed.delete(site)
  }

  /** An entry came with its site, and is queued here too. */
  cameIn(key: Buffer, stored: Uint8Array, nowMs: number): void {
    const entry = decodeVisitEntry(stored)
    this.#needs.queues.put(indexKey(key, entry), nothing)
    // The clock of whoever planned it was ahead of ours.
    if ((entry.page.visitedAtMs ?? 0) > nowMs) this.#replanFrom(nowMs)
  }

  /** An entry goes with its site. */
  goesOut(key: Buffer, stored: Uint8Array): void {
    this.#needs.queues.remove(indexKey(key, decodeVisitEntry(stored)))
  }

  /** Puts the plans that have changed. */
  write(): void {
    for (const [site, prefix] of this.#changed)
      this.#needs.sites.put(planKey(prefix), Buffer.from(JSON.stringify(this.#plans.get(site)), 'latin1'))
    this.#changed.clear()
  }

  #planOf(url: Url): SitePlanState {
    const plan = this.#plans.get(url.site)
    if (plan !== undefined) return plan
    const stored = this.#needs.sites.get(planKey(sitePrefix(url)))
    return stored === undefined
      ? newSitePlan()
      : (JSON.parse(Buffer.from(stored).toString('latin1')) as SitePlanState)
  }

  #putPlan(url: Url, plan: SitePlanState): void {
    this.#plans.delete(url.site)
    this.#plans.set(url.site, plan)
    this.#changed.set(url.site, sitePrefix(url))
    if (this.#plans.size <= plansMax) return
    this.write()
    this.#plans.delete(this.#plans.keys().next().value!)
  }
}

/** How far the visits were planned anew, and by which rules. */
interface Replanning {
  readonly rules: string
  /** The key to go on from; undefined when all is done. */
  readonly from?: string
}

/** Behind all queues. */
const replanKey = Buffer.of(0xff)

/** All visits of a site start with it. */
function visitPrefix(site: Buffer): Buffer {
  return Buffer.concat([site, Buffer.from(entryKinds.visit)])
}

function visitKeyOf(key: Buffer, hash: UrlHash): Buffer {
  const siteStart = 1 + timeBytes
  const site = key.subarray(siteStart, siteStart + sitePrefixBytes)
  return hashedVisitKey(Buffer.from(site), hash.readFrom(key, siteStart + sitePrefixBytes))
}

function queueKey(queue: VisitQueue, atMs: number): Buffer {
  const key = Buffer.alloc(1 + timeBytes)
  key[0] = queueCode(queue)
  key.writeUIntBE(Math.round(atMs), 1, timeBytes)
  return key
}

function indexKey(key: Buffer, { queue, atMs }: VisitEntry): Buffer {
  return Buffer.concat([
    queueKey(queue, atMs),
    key.subarray(0, sitePrefixBytes),
    key.subarray(key.length - urlHashBytes),
  ])
}
