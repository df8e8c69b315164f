// Rank follower: hands the best pages and sites of the network to the search index, after each run that this peer had a part in, and now
// and then. All peers ask all peers for them, twice after a run, for others may end it later: so all have the same list soon.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { RankAsked, Ranked, RankService } from '../../rank/rank-service.ts'
import type { SearchClient } from '../../search/search-client.ts'

interface Needs {
  readonly clock: Clock
  readonly client: Pick<SearchClient, 'run'>
  readonly ranks: Pick<RankService, 'top'>
  /** When the last run began that ended here. */
  computedMs(): number
}

const everyMs = 60_000
/** Without a run. */
const againMs = 30 * 60_000
const firstMs = 20_000
/** Of pages, and of sites. */
const ranksMax = 1_000

export class RankFollower {
  readonly #needs: Needs
  readonly #task: PeriodicTask
  #known = ''
  #computedMs = -1
  #nextMs = 0

  constructor(needs: Needs) {
    this.#needs = needs
    this.#task = new PeriodicTask(needs, everyMs, () => this.#look(), { firstMs })
  }

  close(): Promise<void> {
    return this.#task.close()
  }

  async #look(): Promise<void> {
    const [nowMs, computedMs] = [this.#needs.clock.monotonicMs(), this.#needs.computedMs()]
    const isNew = computedMs !== this.#computedMs
    if (!isNew && nowMs < this.#nextMs) return
    this.#computedMs = computedMs
    this.#nextMs = isNew ? nowMs : nowMs + againMs
    const [pages, sites] = [await this.#top(false), await this.#top(true)]
    const list = JSON.stringify({ pages, sites })
    if (list === this.#known) return
    try {
      await this.#needs.client.run({ kind: 'rank', ranks: { pages, sites } })
      this.#known = list
    } catch (error) {
      // The index is being made anew: the next look tries again.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  async #top(isSites: RankAsked['isSites']): Promise<readonly Ranked[]> {
    return (await this.#needs.ranks.top({ isSites, limit: ranksMax })).ranked
  }
}
