// The parts of a page as this crawl gets them: by the rules of its job, in turn, once for all pages.

import type { FieldList } from '../../formats/http/field-list.ts'
import type { Url } from '../../model/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { WebLimits } from '../../platform/web.ts'
import type { AddressGuard } from '../address/address-guard.ts'
import { fetchLimits } from '../fetch/limits.ts'
import type { FetchFailure } from '../fetch/outcome.ts'
import { discoveryOf } from '../frontier/discovery.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'
import { printRefusal } from '../robots/robots-rules.ts'
import type { Archive, UntilOthers } from '../visit/archive.ts'
import type { PageVisitor, Visited, VisitRequest, VisitResponse } from '../visit/visit.ts'
import type { PartReader, PartSource } from './page-parts.ts'
import { headersSentOn, type PartKind } from './part-request.ts'
import type { PartTurns } from './part-turns.ts'

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
  readonly untilOthers: UntilOthers
  readonly obeysRobots: boolean
  /** Captures since then are of this crawl. */
  readonly sinceMs: number
  /** Told when a host may be asked by others again. */
  readonly whenFree: () => void
}

/** A page waits for its parts, and a host that keeps one waiting keeps the others. */
const partLimits: WebLimits = {
  ...fetchLimits,
  bodyBytesMax: 64 * 1024 * 1024,
  stallMsMax: 15_000,
  totalMsMax: 60_000,
}

export class CrawledParts implements PartSource {
  readonly #needs: PartsNeeds
  readonly #turns: PartTurns
  readonly #terms: PageTerms

  constructor(needs: PartsNeeds, turns: PartTurns, terms: PageTerms) {
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
    // Robots.txt speaks of pages. What a page shows of others is part of it.
    return kind === 'frame' && obeysRobots ? this.#robotsRefusal(url, signal) : undefined
  }

  async #robotsRefusal(url: Url, signal: AbortSignal): Promise<MissedReason | undefined> {
    const { robots, frontier } = this.#needs
    if (robots.isDue(url, frontier.nowMs()))
      await this.#turns.take(
        url,
        async (endTurn) => {
          const { answer, isOfOwnHost } = await robots.renew(url, { signal })
          if (isOfOwnHost) endTurn(answer)
        },
        signal,
      )
    const nowMs = frontier.nowMs()
    if (robots.isDue(url, nowMs)) return robots.troubleOf(url)
    const verdict = robots.verdict(url, nowMs)
    return verdict.isAllowed ? undefined : { code: 'robots', reason: `robots.txt: ${printRefusal(verdict)}` }
  }

  async known(url: Url): Promise<Omit<VisitResponse, 'isKept'> | undefined> {
    const { archive, visiting } = this.#needs
    const version = await archive.lastVersion(url)
    if (version === undefined || version.capturedAtMs < this.#terms.sinceMs) return undefined
    return visiting.stored(version)
  }

  visit(
    url: Url,
    headers: FieldList,
    { isWanted, deliver }: PartReader,
    signal: AbortSignal,
  ): Promise<Visited | FetchFailure | undefined> {
    const { visiting, guard } = this.#needs
    const { task, types, untilOthers } = this.#terms
    const request = {
      url,
      about: [
        ['via', task.url.href],
        ['hopsFromSeed', String(task.depth)],
      ] as const,
      documentHref: task.url.href,
      allow: guard,
      types,
      untilOthers,
      headers: headersSentOn(headers),
      limits: partLimits,
      deliver,
    }
    return this.#turns.take(
      url,
      async (endTurn) => {
        if (!isWanted()) return undefined
        const outcome = await visiting.visit({ ...request, whenAnswered: endTurn }, signal)
        if (outcome.kind === 'failed') endTurn(outcome)
        return outcome
      },
      signal,
    )
  }
}
