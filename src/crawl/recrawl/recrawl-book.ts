// Recrawl book: which of the pages that are kept are to be visited again, durable, in the order in which they are due.
//
// Invariants: a page is in one queue: normal until its time, pending while it is given out, high when it was given out
// and nothing came of it within pendingMsMax. High ones go out first. Entries and the site's plan lie with the site; the
// queues are an index over all sites. Changes share the frontier's transactions. A site's plan changes with each visit,
// and is written once for all visits of a transaction.

import { tryParseUrl, type Url } from '../../record/url.ts'
import type { Random } from '../../world/random.ts'
import { hashedVisitKey, planKey, sitePrefix, sitePrefixBytes } from '../frontier/site-keys.ts'
import { UrlHash, urlHashBytes } from '../frontier/url-hash.ts'
import type { BufferedTable } from '../frontier/write-buffer.ts'
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
  /** What a site may be asked for. */
  termsOf(url: Url): SiteTerms
  /** Pages of other sites are left for later. */
  isOpen(site: Buffer): boolean
}

export class RecrawlBook {
  readonly #needs: Needs
  readonly #hash = new UrlHash()
  /** By site, in the order of use. */
  readonly #plans = new Map<string, SitePlanState>()
  /** Sites whose plan is newer in memory, by the prefix of their keys. */
  readonly #changed = new Map<string, Buffer>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** A page was visited, whoever wanted it. */
  visited(url: Url, visit: Visit): PageVisits {
    const key = this.#keyOf(url)
    const before = this.#read(key)
    const plan = this.#planOf(url)
    const next = visited(before?.page ?? unvisited, plan, visit, this.#needs.termsOf(url), this.#needs.random)
    this.#putPlan(url, next.plan)
    this.#put(key, before, { queue: 'normal', atMs: next.page.dueAtMs, href: url.href, page: next.page })
    return next.page
  }

  /** Pages to be visited now, overdue ones first. They are pending from now on. */
  due(nowMs: number, limit: number): string[] {
    this.#expirePending(nowMs, limit)
    const keys = [...this.#upTo('high', 2 ** 47, limit)]
    keys.push(...this.#upTo('normal', nowMs, limit - keys.length))
    return keys.map((key) => {
      const entry = this.#read(key)!
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
    const { random, termsOf } = this.#needs
    const page = rebounded(entry.page, termsOf(url).bounds ?? boundsDefault, random, nowMs)
    if (page !== entry.page) this.#put(key, entry, { ...entry, atMs: page.dueAtMs, page })
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
