// Robots door: whether a lease may go on to its site, as far as robots.txt says.
//
// Asks for robots.txt when it is due, once for all leases that want it; each comes again when it is there. While it cannot
// be reached, nothing of its origin is fetched (RFC 9309, 2.3.1.4), and the URLs wait, as long as patience lasts; the frontier
// gives up those that a job does not wait for (frontier/giving-up.ts).

import type { AddressRule } from '../platform/web.ts'
import type { CrawlEvent } from './crawl-report.ts'
import type { FetchOutcome } from './fetch/outcome.ts'
import type { Frontier } from './frontier/frontier.ts'
import type { FetchResult, Lease } from './frontier/lease.ts'
import type { MissedReason } from './jobs/job-outcome.ts'
import type { RobotsKeeping } from './robots/robots-keeping.ts'
import { RobotsPatience } from './robots/robots-patience.ts'
import { printRefusal } from './robots/robots-rules.ts'
import type { UntilOthers } from './visit/archive.ts'

/** `later`: the lease was given back. `unreached`: robots.txt cannot be had, and is not waited for. */
export type Passage =
  | { kind: 'open' }
  | { kind: 'later' }
  | { kind: 'refused' | 'unreached'; missed: MissedReason }

interface Needs {
  frontier: Frontier
  robots: RobotsKeeping
  touchedBy(outcome: FetchOutcome): FetchResult
  /** Robots.txt has come. */
  read(lease: Lease, untilOthers: UntilOthers): Promise<void>
  tell(event: CrawlEvent): void
}

interface Passing {
  /** Asked about addresses, should robots.txt be asked for. */
  readonly gate: AddressRule & { readonly isBusy: boolean }
  readonly abort: AbortSignal
  /** Told of what is waited for that others do. */
  readonly untilOthers: UntilOthers
}

const open: Passage = { kind: 'open' }
const later: Passage = { kind: 'later' }

export class RobotsDoor {
  readonly #needs: Needs
  readonly #patience = new RobotsPatience()
  /** By origin. */
  readonly #asking = new Map<string, Promise<Passage>>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async pass(lease: Lease, passing: Passing): Promise<Passage> {
    const { frontier, robots } = this.#needs
    const { url } = lease
    const nowMs = frontier.nowMs()
    if (robots.isDue(url, nowMs)) return this.#ask(lease, passing)
    const verdict = robots.verdict(url, nowMs)
    if (verdict.isAllowed) return open
    if (robots.isUnreachable(url, nowMs)) {
      // By an earlier run, or for an earlier job: it may be better by now.
      const begunAtMs = frontier.job(lease.jobId)?.createdAtMs ?? 0
      if (this.#patience.isAskedAnew(url.origin, begunAtMs)) return this.#ask(lease, passing)
      if (this.#waits(lease)) {
        frontier.giveBack(lease)
        return later
      }
      return { kind: 'unreached', missed: robots.troubleOf(url) }
    }
    return { kind: 'refused', missed: { code: 'robots', reason: `robots.txt: ${printRefusal(verdict)}` } }
  }

  /** Holds the host, if there is to be waited for it. */
  #waits({ url }: Lease): boolean {
    const { frontier, robots } = this.#needs
    if (!this.#patience.waits(url.origin, frontier.nowMs())) {
      // Its URLs may go, to be given up.
      frontier.endHold(url)
      return false
    }
    frontier.hold(url, robots.dueAtMs(url), robots.troubleOf(url))
    return true
  }

  async #ask(lease: Lease, passing: Passing): Promise<Passage> {
    const { origin } = lease.url
    const asking = this.#asking.get(origin)
    if (asking !== undefined) {
      await asking
      this.#needs.frontier.giveBack(lease)
      return later
    }
    const mine = this.#renew(lease, passing).finally(() => this.#asking.delete(origin))
    this.#asking.set(origin, mine)
    return await mine
  }

  async #renew(lease: Lease, { gate, abort, untilOthers }: Passing): Promise<Passage> {
    const { frontier, robots, touchedBy, read } = this.#needs
    const asking = { allow: gate, signal: abort, untilOthers }
    const { answer, isOfOwnHost } = await robots.renew(lease.url, asking)
    // Still due: the host itself was not asked.
    if (
      answer.kind === 'failed' &&
      answer.code === 'address-forbidden' &&
      robots.isDue(lease.url, frontier.nowMs())
    ) {
      if (!gate.isBusy) return { kind: 'refused', missed: { code: answer.code, reason: answer.reason } }
      frontier.giveBack(lease)
      return later
    }
    const isUnreachable = robots.isUnreachable(lease.url, frontier.nowMs())
    if (!isUnreachable) this.#reached(lease)
    await read(lease, untilOthers)
    // First what became of the request: its host may be given up.
    frontier.giveBack(lease, isOfOwnHost ? touchedBy(answer) : undefined)
    if (isUnreachable) this.#failed(lease, answer)
    return later
  }

  #reached({ url }: Lease): void {
    if (this.#patience.triesOf(url.origin) === 0) return
    this.#patience.reached(url.origin)
    this.#needs.frontier.endHold(url)
  }

  #failed(lease: Lease, answer: FetchOutcome): void {
    const { frontier, robots, tell } = this.#needs
    const { origin } = lease.url
    const nowMs = frontier.nowMs()
    this.#patience.failed(origin, nowMs)
    const isHopeless = answer.kind === 'failed' && answer.retry === 'never'
    if (isHopeless || frontier.isGivenUp(lease.url)) this.#patience.giveUp(origin, nowMs)
    const isWaiting = this.#waits(lease)
    const why = answer.kind === 'failed' ? answer.reason : `status ${answer.status}`
    const seconds = Math.ceil((robots.dueAtMs(lease.url) - nowMs) / 1_000)
    const tries = this.#patience.triesOf(origin)
    tell({
      atMs: nowMs,
      jobId: lease.jobId,
      url: `${origin}/robots.txt`,
      outcome: isWaiting ? 'retry' : 'failed',
      status: answer.kind === 'failed' ? undefined : answer.status,
      code: robots.troubleOf(lease.url).code,
      reason: isWaiting
        ? `${why}; the site waits, and is asked again in ${seconds} s`
        : `${why}; given up after ${tries} ${tries === 1 ? 'try' : 'tries'}, and with it the site`,
    })
  }
}
