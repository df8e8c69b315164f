// Own survey: what this peer tells of its sites: its frontier, its leases and its store, put together.

import type { FrontierSurvey } from '../crawl/frontier/survey/frontier-survey.ts'
import type { JobDetails, JobView } from '../model/jobs/job-service.ts'
import type { Awaitable } from '../model/listed.ts'
import type { RingKey } from '../model/ring-key.ts'
import type { JobPart, PageQuestion, PeerSurvey, SiteFacts } from '../model/survey.ts'

interface Needs {
  readonly frontier: FrontierSurvey
  /** Captures of a site, in any order, at most so many. */
  captures(site: string, limit: number): Iterable<unknown>
  /** undefined where there is no network, or the lease is another's. */
  leaseFacts(
    key: RingKey,
  ): { readonly epoch: number; readonly members: readonly string[]; readonly copies: number } | undefined
  /** Of this peer alone. */
  readonly jobs?: {
    details(id: string): Awaitable<Pick<JobDetails, 'hosts' | 'areHostsAll'>>
    find(id: string): Awaitable<Pick<JobView, 'missing'> | undefined>
  }
}

/** Counting more would take longer than a look is worth. */
const capturesCounted = 5_000

export class OwnSurvey implements PeerSurvey {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  sites(question: PageQuestion) {
    return this.#needs.frontier.sites(question)
  }

  site(key: RingKey): SiteFacts | undefined {
    const facts = this.#needs.frontier.site(key)
    if (facts === undefined) return undefined
    let captures = 0
    for (const _ of this.#needs.captures(facts.site, capturesCounted + 1)) captures++
    const lease = this.#needs.leaseFacts(key)
    return {
      ...facts,
      captures: Math.min(captures, capturesCounted),
      areCapturesMore: captures > capturesCounted,
      lease: lease && { epoch: lease.epoch, members: lease.members },
      copies: lease?.copies ?? 1,
    }
  }

  queues(key: RingKey, question: PageQuestion) {
    return this.#needs.frontier.queues(key, question)
  }

  queued(key: RingKey, queue: { readonly job: string; readonly host: string }, question: PageQuestion) {
    return this.#needs.frontier.queued(key, queue, question)
  }

  visits(key: RingKey, question: PageQuestion) {
    return this.#needs.frontier.visits(key, question)
  }

  visit(url: string) {
    return this.#needs.frontier.visit(url)
  }

  async job(id: string): Promise<JobPart> {
    const { jobs } = this.#needs
    const details = await jobs?.details(id)
    const missing = (await jobs?.find(id))?.missing ?? []
    return { hosts: details?.hosts ?? [], areHostsAll: details?.areHostsAll ?? true, missing }
  }
}
