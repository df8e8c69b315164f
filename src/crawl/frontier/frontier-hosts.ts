// The hosts of a frontier, for whoever asks them without a task: at their pace, one at a time, and never while they are held.

import type { Url } from '../../model/url/url.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { isOutFor } from '../politeness/host-outage.ts'
import { type HostPace, paceWithCrawlDelay } from '../politeness/host-pace.ts'
import type { AddressTurns, HostTurns } from '../politeness/host-turns.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { FetchScheduler } from './fetch-scheduler.ts'
import type { FetchResult } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Host } from './host-table.ts'
import { sitePrefix } from './sites/site-keys.ts'

/** What requests to a host have to keep to. */
export interface HostTerms {
  readonly pace: HostPace
  readonly rules: PolitenessRules
}

export class FrontierHosts implements HostTurns, AddressTurns {
  readonly #tables: FrontierTables
  readonly #scheduler: FetchScheduler
  readonly #clock: SteadyClock

  constructor(parts: { tables: FrontierTables; scheduler: FetchScheduler; clock: SteadyClock }) {
    this.#tables = parts.tables
    this.#scheduler = parts.scheduler
    this.#clock = parts.clock
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  /** A request is to be made without a task, where robots.txt redirects to. True when the host may be asked now; then
   * others wait until `endTurn`. */
  beginTurn(url: Url): boolean {
    if (this.#tables.siteRules.denialOf(url) !== undefined) return false
    return this.#tables.door.canCrawl(url.ringKey) && this.#scheduler.beginTurn(this.#hostOf(url))
  }

  /** The same for an address. */
  enterAddress(address: string): boolean {
    return this.#scheduler.enterAddress(address)
  }

  leaveAddress(address: string, wasAsked: boolean): void {
    this.#scheduler.leaveAddress(address, wasAsked ? this.#clock.nowMs() : undefined)
  }

  /** The host is kept for one who has just asked it, and goes on to ask it at its pace, until `endTurn`. */
  keepTurn(url: Url): void {
    this.#scheduler.keepTurn(this.#hostOf(url))
  }

  /** Without a result nobody was asked. */
  endTurn(url: Url, result: FetchResult | undefined): void {
    this.#scheduler.endTurn(this.#hostOf(url), url.href, result, result?.endedAtMs ?? this.#clock.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** The host is left alone until then, for other reasons than its pace. Forgotten with the process. */
  hold(url: Url, untilMs: number, why: MissedReason): void {
    const host = this.#hostOf(url)
    host.heldUntilMs = untilMs
    host.heldFor = why
  }

  /** The reason is gone. */
  endHold(url: Url): void {
    const host = this.#hostOf(url)
    host.heldUntilMs = 0
    host.heldFor = undefined
  }

  /** Whether the host could not be reached, and is given up for now. */
  isGivenUp(url: Url): boolean {
    return isOutFor(this.#hostOf(url).outage, url.href, this.#clock.nowMs())
  }

  /** For one who asks it for several URLs, one after the other. */
  termsOf(url: Url): HostTerms {
    const host = this.#hostOf(url)
    const rules = this.#tables.hosts.politenessTo(host)
    // A rule may be newer than the pause under way.
    const { delayMs } = this.#tables.siteRules.termsOf(host.authority)
    return { pace: host.pace, rules: { ...rules, ruleDelayMs: Math.max(delayMs, rules.ruleDelayMs ?? 0) } }
  }

  /** Somebody to whom its host is lent has asked it until now: it has its pause from now on. */
  rest(url: Url): void {
    const host = this.#hostOf(url)
    const nowMs = this.#clock.nowMs()
    host.lastEndedAtMs = Math.max(host.lastEndedAtMs ?? 0, nowMs)
    const rules = this.#tables.hosts.politenessTo(host)
    this.#tables.hosts.change(host, paceWithCrawlDelay(host.pace, host.pace.crawlDelayMs, nowMs, rules))
    this.#tables.buffer.checkpoint()
  }

  #hostOf(url: Url): Host {
    return this.#tables.hosts.get(sitePrefix(url), url.authority, this.#clock.nowMs())
  }

  /** A request was made without a task: for robots.txt, by somebody who only wants to know. It counts all the same. */
  asked(url: Url, result: FetchResult): void {
    this.#scheduler.asked(this.#hostOf(url), url.href, result, result.endedAtMs ?? this.#clock.nowMs())
    this.#tables.buffer.checkpoint()
  }

  /** What robots.txt asks of those who crawl this host; 0 when it asks nothing. */
  setCrawlDelay(url: Url, crawlDelayMs: number): void {
    const host = this.#hostOf(url)
    if (host.pace.crawlDelayMs === crawlDelayMs) return
    this.#tables.hosts.change(
      host,
      paceWithCrawlDelay(host.pace, crawlDelayMs, host.lastEndedAtMs, this.#tables.hosts.politenessTo(host)),
    )
    this.#tables.buffer.checkpoint()
  }

  /** When the URL's host may be asked next, as far as it is known; never, if its site is another peer's. */
  allowedAtMs(url: Url): number {
    if (!this.#tables.door.isOpen(url.ringKey)) return Number.POSITIVE_INFINITY
    const { pace, heldUntilMs } = this.#hostOf(url)
    return Math.max(
      pace.nextAtMs,
      heldUntilMs,
      this.#tables.siteRules.opensAtMs(url.authority, this.#clock.nowMs()),
    )
  }
}
