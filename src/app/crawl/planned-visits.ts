// The planned visits of a home, for its owner: through the crawler that is open, or one that is opened for this. How often pages
// are visited is a matter of rules like others: see home-rules.ts.

import type { VisitRequest, VisitService } from '../../api/v1/jobs/visit-routes.ts'

export { visitRequestOf, visitsJson } from '../../api/v1/jobs/visit-routes.ts'

import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { parseFresh } from '../../crawl/recrawl/fresh-rules.ts'
import type { RuleService } from '../../crawl/rules/rule-service.ts'
import type { PlannedVisit, VisitRule, VisitTarget } from '../../model/jobs/planned-visit.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'
import { HomeRules } from './home-rules.ts'

export class PlannedVisits implements VisitService {
  readonly #frontier: Pick<Frontier, 'visits' | 'rules'>
  readonly #rules: Pick<RuleService, 'change' | 'isShared'>

  constructor(needs: {
    frontier: Pick<Frontier, 'visits' | 'rules'>
    rules: Pick<RuleService, 'change' | 'isShared'>
  }) {
    this.#frontier = needs.frontier
    this.#rules = needs.rules
  }

  get isShared(): boolean {
    return this.#rules.isShared
  }

  planned(target: VisitTarget, limit: number): PlannedVisit[] {
    return this.#frontier.visits.planned(target, limit)
  }

  /** Those of them that say something about visits. */
  rules(): VisitRule[] {
    return this.#frontier.rules.all().flatMap(({ target, fresh }) => {
      if (fresh === undefined || target.kind === 'host' || target.kind === 'pattern') return []
      return [{ target, bounds: fresh === 'never' ? undefined : fresh }]
    })
  }

  async change(target: VisitTarget, request: VisitRequest): Promise<void> {
    const fresh = request.kind === 'every' ? parseFresh(request.span) : 'never'
    if (request.kind === 'resume') await this.#rules.change({ target, set: {}, unset: ['fresh'] })
    else await this.#rules.change({ target, set: { fresh }, unset: [] })
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
    return await work(new PlannedVisits({ ...crawler, rules: new HomeRules(crawler) }))
  } finally {
    await crawler.close()
  }
}
