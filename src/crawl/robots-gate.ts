// Robots gate: whether a task may go on to its site, as far as robots.txt says.
//
// Fetches robots.txt when it is due, once for all tasks that need it; each task comes again when it is there. While it cannot be
// reached, nothing of its origin is fetched (RFC 9309, 2.3.1.4), and the URLs wait (robots-waits.ts); the frontier gives up those
// that a job does not wait for (frontier/host-abandonment.ts).

import type { AddressRule } from '../platform/network/web.ts'
import type { CrawlEvent } from './crawl-report.ts'
import type { FetchOutcome } from './fetch/outcome.ts'
import type { FetchResult, FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import type { MissedReason } from './jobs/job-outcome.ts'
import type { RobotsCache } from './robots/robots-cache.ts'
import { printRefusal } from './robots/robots-rules.ts'
import { RobotsWaits } from './robots/robots-waits.ts'
import type { UntilOthers } from './visit/archive.ts'

/** `later`: the task was given back. `unreached`: robots.txt cannot be had, and is not waited for. */
type Passage = { kind: 'open' } | { kind: 'later' } | { kind: 'refused' | 'unreached'; missed: MissedReason }

interface Needs {
  frontier: Frontier
  robots: RobotsCache
  touchedBy(outcome: FetchOutcome): FetchResult
  /** Robots.txt has come. */
  read(task: FetchTask, untilOthers: UntilOthers): Promise<void>
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

export class RobotsGate {
  readonly #needs: Needs
  readonly #patience = new RobotsWaits()
  /** By origin. */
  readonly #asking = new Map<string, Promise<Passage>>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async pass(task: FetchTask, passing: Passing): Promise<Passage> {
    const { frontier, robots } = this.#needs
    const { url } = task
    const nowMs = frontier.nowMs()
    if (robots.isDue(url, nowMs)) return this.#ask(task, passing)
    const verdict = robots.verdict(url, nowMs)
    if (verdict.isAllowed) return open
    if (robots.isUnreachable(url, nowMs)) {
      // By an earlier run, or for an earlier job: it may be better by now.
      const begunAtMs = frontier.jobs.find(task.jobId)?.createdAtMs ?? 0
      if (this.#patience.isAskedAnew(url.origin, begunAtMs)) return this.#ask(task, passing)
      if (this.#waits(task)) {
        frontier.returnTask(task)
        return later
      }
      return { kind: 'unreached', missed: robots.troubleOf(url) }
    }
    return { kind: 'refused', missed: { code: 'robots', reason: `robots.txt: ${printRefusal(verdict)}` } }
  }

  /** Holds the host, if there is to be waited for it. */
  #waits({ url }: FetchTask): boolean {
    const { frontier, robots } = this.#needs
    if (!this.#patience.waits(url.origin, frontier.nowMs())) {
      // Its URLs may go, to be given up.
      frontier.hosts.endHold(url)
      return false
    }
    frontier.hosts.hold(url, robots.dueAtMs(url), robots.troubleOf(url))
    return true
  }

  async #ask(task: FetchTask, passing: Passing): Promise<Passage> {
    const { origin } = task.url
    const asking = this.#asking.get(origin)
    if (asking !== undefined) {
      await asking
      this.#needs.frontier.returnTask(task)
      return later
    }
    const mine = this.#renew(task, passing).finally(() => this.#asking.delete(origin))
    this.#asking.set(origin, mine)
    return await mine
  }

  async #renew(task: FetchTask, { gate, abort, untilOthers }: Passing): Promise<Passage> {
    const { frontier, robots, touchedBy, read } = this.#needs
    const asking = { allow: gate, signal: abort, untilOthers }
    const { answer, isOfOwnHost } = await robots.renew(task.url, asking)
    // Still due: the host itself was not asked.
    if (
      answer.kind === 'failed' &&
      answer.code === 'address-forbidden' &&
      robots.isDue(task.url, frontier.nowMs())
    ) {
      if (!gate.isBusy) return { kind: 'refused', missed: { code: answer.code, reason: answer.reason } }
      frontier.returnTask(task)
      return later
    }
    const isUnreachable = robots.isUnreachable(task.url, frontier.nowMs())
    if (!isUnreachable) this.#reached(task)
    await read(task, untilOthers)
    // First what became of the request: its host may be given up.
    frontier.returnTask(task, isOfOwnHost ? touchedBy(answer) : undefined)
    if (isUnreachable) this.#failed(task, answer)
    return later
  }

  #reached({ url }: FetchTask): void {
    if (this.#patience.triesOf(url.origin) === 0) return
    this.#patience.reached(url.origin)
    this.#needs.frontier.hosts.endHold(url)
  }

  #failed(task: FetchTask, answer: FetchOutcome): void {
    const { frontier, robots, tell } = this.#needs
    const { origin } = task.url
    const nowMs = frontier.nowMs()
    this.#patience.failed(origin, nowMs)
    const isHopeless = answer.kind === 'failed' && answer.retry === 'never'
    if (isHopeless || frontier.hosts.isGivenUp(task.url)) this.#patience.giveUp(origin, nowMs)
    const isWaiting = this.#waits(task)
    const why = answer.kind === 'failed' ? answer.reason : `status ${answer.status}`
    const seconds = Math.ceil((robots.dueAtMs(task.url) - nowMs) / 1_000)
    const tries = this.#patience.triesOf(origin)
    tell({
      atMs: nowMs,
      jobId: task.jobId,
      url: `${origin}/robots.txt`,
      outcome: isWaiting ? 'retry' : 'failed',
      status: answer.kind === 'failed' ? undefined : answer.status,
      code: robots.troubleOf(task.url).code,
      reason: isWaiting
        ? `${why}; the site waits, and is asked again in ${seconds} s`
        : `${why}; given up after ${tries} ${tries === 1 ? 'try' : 'tries'}, and with it the site`,
    })
  }
}
