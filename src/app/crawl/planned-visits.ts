// The planned visits of a home, for its owner: through the crawler that is open, or one that is opened for this.

import type { VisitRequest, VisitService } from '../../api/v1/visit-routes.ts'

export { visitRequestOf, visitsJson } from '../../api/v1/visit-routes.ts'

import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { parseFresh } from '../../crawl/recrawl/fresh-rules.ts'
import type { PlannedVisit, VisitRule, VisitTarget } from '../../model/planned-visit.ts'
import type { NetworkVisits } from '../../network/jobs/network-visits.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'

type VisitsOfFrontier = Pick<Frontier, 'plannedVisits' | 'visitRules' | 'setVisitRule'>

export class PlannedVisits implements VisitService {
  readonly #frontier: VisitsOfFrontier
  readonly #whenChanged: () => void
  readonly #network: Pick<NetworkVisits, 'announce'> | undefined

  /** `whenChanged`: visits may be due sooner. `network`: carries rules for sites and pages out, here and on all other peers. */
  constructor(needs: {
    frontier: VisitsOfFrontier
    whenChanged?: () => void
    network?: Pick<NetworkVisits, 'announce'> | undefined
  }) {
    this.#frontier = needs.frontier
    this.#whenChanged = needs.whenChanged ?? (() => {})
    this.#network = needs.network
  }

  get isShared(): boolean {
    return this.#network !== undefined
  }

  planned(target: VisitTarget, limit: number): PlannedVisit[] {
    return this.#frontier.plannedVisits(target, limit)
  }

  rules(): VisitRule[] {
    return this.#frontier.visitRules()
  }

  async change(target: VisitTarget, request: VisitRequest): Promise<void> {
    const bounds = request.kind === 'every' ? parseFresh(request.span) : undefined
    if (this.#network !== undefined && target.kind !== 'all')
      return this.#network.announce(target, request.kind, bounds)
    await this.#frontier.setVisitRule(target, request.kind === 'resume' ? undefined : { target, bounds })
    this.#whenChanged()
  }
}

/** Without a running peer. */
export async function withPlannedVisits<T>(
  folder: string,
  store: Store,
  work: (visits: PlannedVisits) => Promise<T>,
): Promise<T> {
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  try {
    return await work(new PlannedVisits(crawler))
  } finally {
    await crawler.close()
  }
}
