// Held URLs: what is queued and must not be asked for, because a rule denies or pauses it.
//
// Invariants: such a URL stays queued, behind all that may be fetched, and goes on when no rule denies it any more. A lane of which
// all is held back lies on disk until something new is queued for it or the rules change. Each is told once.
// What is found while a rule denies it is not queued at all: see intake.ts.

import { type SiteRule, targetWords } from '../../model/jobs/site-rule.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { Dropped } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'
import type { Ranked } from './lanes/lane-queue.ts'
import { isRankHeld, rankHeld } from './lanes/queue-entry.ts'

type Parts = Pick<FrontierTables, 'jobs' | 'siteRules'>

/** URLs moved at a time. */
const heldAtOnce = 256

export const deniedCode = 'rule-denied'
/** How a job ended of which nothing else is left. */
export const deniedEnding = 'what is left is denied by rules'

export function denialWords({ target, access }: Pick<SiteRule, 'target' | 'access'>): string {
  return `${access === 'pause' ? 'paused' : 'denied'} by the rule for ${targetWords(target)}`
}

export interface HeldBack {
  /** Those that are new among them. */
  readonly told: readonly Dropped[]
  /** Nothing of the lane may be fetched. */
  readonly isAll: boolean
}

export class HeldUrls {
  readonly #parts: Parts
  #generation = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What is held back is to be looked at again. */
  rulesChanged(): void {
    this.#generation++
  }

  /** Moves what is denied behind the rest; undefined when the lane's first URL is not denied. */
  holdBack(lane: Lane, job: Job): HeldBack | undefined {
    if (!this.#parts.siteRules.hasDenials) return undefined
    const told: Dropped[] = []
    for (let moved = 0; moved < heldAtOnce; moved++) {
      const first = lane.peek()
      const denial = first && this.#denialOf(first.entry.href)
      if (first === undefined || denial === undefined)
        return moved === 0 ? undefined : { told, isAll: first === undefined }
      if (this.#wasLookedAt(lane, first)) return { told, isAll: true }
      if (!isRankHeld(first.rank)) told.push(droppedOf(first, job, denial))
      this.#putBehind(lane)
    }
    return { told, isAll: false }
  }

  #denialOf(href: string): SiteRule | undefined {
    const url = tryParseUrl(href)
    return url === null ? undefined : this.#parts.siteRules.denialOf(url)
  }

  #wasLookedAt({ heldFrom }: Lane, { rank }: Ranked): boolean {
    return heldFrom?.generation === this.#generation && isRankHeld(rank) && rank >= heldFrom.rank
  }

  #putBehind(lane: Lane): void {
    const first = lane.take()!
    lane.queue.remove(first)
    const ranked = lane.queue.put(rankHeld(this.#parts.jobs.nextSequence()), first.entry)
    if (lane.heldFrom?.generation !== this.#generation)
      lane.heldFrom = { generation: this.#generation, rank: ranked.rank }
    lane.added(ranked)
  }
}

function droppedOf({ entry: { href, via } }: Ranked, job: Job, denial: SiteRule): Dropped {
  const reason = `${denialWords(denial)}; it waits until that is taken back`
  return { href, via, jobId: job.id, code: deniedCode, reason }
}
