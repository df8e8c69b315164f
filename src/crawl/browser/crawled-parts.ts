// The parts of a page as this crawl gets them: by the rules of its job, in turn, once for all pages.

import type { Field } from '../../formats/http/field-list.ts'
import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AddressGuard } from '../address/address-guard.ts'
import type { SentRequest } from '../fetch/fetcher.ts'
import type { FetchFailure } from '../fetch/outcome.ts'
import { discoveryOf } from '../frontier/discovery.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'
import { visitTerms } from '../rules/visit-terms.ts'
import type { Archive, UntilOthers } from '../visit/archive.ts'
import type { PageVisitor, StoredResponse, Visited, VisitRequest } from '../visit/visit.ts'
import { elsewhereCode, type PartReader, type PartRequest, type PartSource } from './page-parts.ts'
import { headersSentOn, type PartKind } from './part-request.ts'
import { robotsRefusal } from './part-robots.ts'
import type { PartTurns } from './part-turns.ts'
import { visitPart } from './part-visitor.ts'

export interface PartsNeeds {
  readonly visiting: PageVisitor
  readonly archive: Archive
  readonly frontier: Frontier
  readonly robots: RobotsCache
  readonly guard: AddressGuard
  readonly clock: Clock
}

export interface PageTerms {
  readonly task: FetchTask
  readonly types: VisitRequest['types']
  /** By a rule for this page, or else by its job, instead of how the crawler was started. */
  readonly mode?: BrowserUse | undefined
  readonly untilOthers: UntilOthers
  readonly obeysRobots: boolean
  /** Captures since then are of this crawl. */
  readonly sinceMs: number
  /** Told when a host may be asked by others again. */
  readonly whenFree: () => void
}

/** A window that goes elsewhere is nobody's errand. */
export type ErrandKind = Exclude<PartKind, 'page'>

/** Has parts fetched by the peers that crawl their sites. */
export interface PartErrands {
  /** undefined when nobody can be asked. */
  run(
    errand: {
      readonly url: Url
      readonly page: Url
      readonly kind: ErrandKind
      readonly headers: readonly Field[]
      readonly sent: SentRequest | undefined
      readonly isStream: boolean
      /** A capture since then will do; undefined: it is to be fetched. */
      readonly sinceMs: number | undefined
    },
    signal: AbortSignal,
  ): Promise<StoredResponse | MissedReason | undefined>
}

export class CrawledParts implements PartSource {
  readonly #needs: PartsNeeds
  readonly #turns: PartTurns
  readonly #terms: PageTerms
  readonly #errands: PartErrands | undefined

  constructor(needs: PartsNeeds, turns: PartTurns, terms: PageTerms, errands?: PartErrands) {
    this.#errands = errands
    this.#needs = needs
    this.#turns = turns
    this.#terms = terms
  }

  async refusal(url: Url, kind: PartKind, signal: AbortSignal): Promise<MissedReason | undefined> {
    const { guard, frontier } = this.#needs
    const { task, obeysRobots } = this.#terms
    const forbidden = guard.refusalOfHost(url.host)
    if (forbidden !== undefined) return { code: 'address-forbidden', reason: forbidden }
    const outside = frontier.screen(discoveryOf(task, { url, kind: 'requisite' }))
    if (outside?.kind === 'out-of-scope') return { code: 'out-of-scope', reason: outside.reason }
    if (frontier.hosts.allowedAtMs(url) === Number.POSITIVE_INFINITY)
      return { code: elsewhereCode, reason: `${url.site} is crawled by another peer, which is to fetch it` }
    // Robots.txt speaks of pages. What a page shows of others is part of it.
    if (kind !== 'frame' || !obeysRobots) return undefined
    return robotsRefusal({ ...this.#needs, turns: this.#turns }, url, signal)
  }

  async known(url: Url): Promise<StoredResponse | undefined> {
    const { archive, visiting } = this.#needs
    const version = await archive.lastVersion(url)
    if (version === undefined || version.capturedAtMs < this.#terms.sinceMs) return undefined
    return visiting.stored(version)
  }

  visit(
    request: PartRequest,
    reader: PartReader,
    signal: AbortSignal,
  ): Promise<Visited | FetchFailure | undefined> {
    const { task, types, untilOthers } = this.#terms
    const { bytesMax, types: ruled } = visitTerms(this.#needs.frontier.rules, request.url, types)
    const terms = { page: task.url, depth: task.depth, types: ruled, bytesMax, untilOthers }
    return visitPart(this.#needs, this.#turns, terms, request, reader, signal)
  }

  async fetchElsewhere(
    { url, sent, headers, isStream }: PartRequest,
    { kind, isShared }: { readonly kind: ErrandKind; readonly isShared: boolean },
    signal: AbortSignal,
  ): Promise<StoredResponse | MissedReason | undefined> {
    const { task, sinceMs } = this.#terms
    const errand = { url, page: task.url, kind, sent, headers: headersSentOn(headers), isStream }
    return this.#errands?.run({ ...errand, sinceMs: isShared ? sinceMs : undefined }, signal)
  }
}
