// Task endings: what becomes of a task that was fetched, refused or given up: completed in the frontier with the links that are wanted
// of it, planned for its next visit, counted, and told to whoever watches. Who is fetched when, and by which rules, is the crawl
// loop's (crawl.ts).

import { tryParseLink } from '../model/url/url.ts'
import type { Clock } from '../platform/clock.ts'
import { isPartKept, type PagePart } from './browser/page-parts.ts'
import { missedPartsOf, type PageShown, shownWords } from './browser/page-shown.ts'
import type { PageView } from './browser/page-view.ts'
import { type CrawlCounts, type CrawlEvent, type CrawlWatch, noCrawlCounts } from './crawl-report.ts'
import { fetchResultOf } from './fetch/fetch-result.ts'
import type { Fetched, FetchFailure } from './fetch/outcome.ts'
import type { AddOutcome, Link as FrontierLink } from './frontier/discovery.ts'
import type { Completion, Dropped, FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import type { JobWants } from './job-wants.ts'
import type { MissedReason } from './jobs/job-outcome.ts'
import type { LinkRecording } from './link-recording.ts'
import type { LinkRouting } from './link-routing.ts'
import type { Link } from './links/link.ts'
import type { Visit } from './recrawl/page-visits.ts'
import type { UntilOthers } from './visit/archive.ts'
import type { Visited } from './visit/visit.ts'

interface Needs {
  readonly frontier: Frontier
  readonly clock: Clock
  readonly watch: CrawlWatch
  readonly wants: JobWants
  readonly routing: LinkRouting
  /** Where the links of pages are kept. */
  readonly links?: LinkRecording | undefined
}

const nothingShown = { shown: undefined, missed: undefined }
const takenDown: MissedReason = { code: 'taken-down', reason: 'it was taken down' }

export class TaskEndings {
  readonly #needs: Needs
  readonly counts: CrawlCounts = noCrawlCounts()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async complete(
    task: FetchTask,
    visited: Visited,
    untilOthers: UntilOthers,
    { shown, missed: unshown }: Pick<PageView, 'shown' | 'missed'> = nothingShown,
  ): Promise<void> {
    const { fetched, kept } = visited
    const missed = visited.missed ?? (kept === 'hidden' ? takenDown : unshown)
    const partBytes = shown?.parts.reduce((sum, { bytes = 0 }) => sum + bytes, 0) ?? 0
    const bytes = fetched.bodyBytes + partBytes
    const result = {
      ...fetchResultOf(fetched, this.#needs),
      bytes,
      // Scripts write many pages into one shell.
      isRepeated: visited.isKnownPayload && (shown === undefined || shown.isKnownText),
      missed,
      missedParts: shown && missedPartsOf(shown),
      observed: visited.observed,
    }
    this.#plan(task, visitOutcome(visited), fetched.headers.get('Last-Modified'))
    const links = this.#wanted(task, visited, shown)
    await this.#needs.links?.record(task, visited, unshown === undefined ? shown?.rendered : 'missed')
    const isRepeated = kept === 'same' && !visited.hasChanged && this.#needs.wants.of(task.jobId).isRevisit
    const { completion, outcomes } = await this.#needs.routing.complete(task, result, links, {
      isRepeated,
      untilOthers,
    })
    const isAgain = completion.kind === 'again'
    this.counts.bytes += fetched.bodyBytes
    // Told to come later once too often: an answer, but not the page.
    if (completion.kind === 'gave-up') this.counts.failed++
    else if (!isAgain) {
      this.counts.fetched++
      if (kept === 'new' || kept === 'changed' || kept === 'same') this.counts[kept]++
    }
    this.#tellOf(task, {
      outcome: isAgain ? 'retry' : kept === 'hidden' ? 'not-kept' : kept,
      status: fetched.status,
      bytes: fetched.bodyBytes,
      code: missed?.code,
      reason: isAgain
        ? `status ${fetched.status}${this.#whenAgain(completion)}`
        : (missed?.reason ??
          fetched.capture.truncated ??
          redirectNowhere(fetched) ??
          redirectLeft(links, outcomes) ??
          (shown && shownWords(shown))),
    })
    if (shown !== undefined) for (const part of shown.parts) this.#tellPart(task, part)
    this.#tellRefused(task, links, outcomes)
  }

  #tellPart({ jobId, url, depth }: FetchTask, { href, outcome, status, bytes, missed }: PagePart): void {
    if (outcome === 'known') return
    if (outcome === 'refused' || outcome === 'failed') this.counts[outcome]++
    else {
      this.counts.fetched++
      this.counts.bytes += bytes ?? 0
      if (outcome !== 'not-kept') this.counts[outcome]++
    }
    const atMs = this.#needs.frontier.nowMs()
    this.tell({ atMs, jobId, url: href, outcome, via: url.href, depth, status, bytes, ...missed })
  }

  /** Traps, and what is over a host's budget, are told once each. What is out of scope is not: that is most of the web. */
  #tellRefused(
    { jobId, url, depth }: FetchTask,
    links: FrontierLink[],
    outcomes: readonly AddOutcome[],
  ): void {
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind !== 'trap' && outcome.kind !== 'budget') continue
      this.counts.refused++
      this.tell({
        atMs: this.#needs.frontier.nowMs(),
        jobId,
        url: links[index]!.url.href,
        outcome: 'refused',
        via: url.href,
        depth: depth + 1,
        code: outcome.kind,
        reason: outcome.reason,
      })
    }
  }

  async fail(task: FetchTask, failure: FetchFailure): Promise<void> {
    const { code, reason } = failure
    if (code === 'address-forbidden') return this.refuse(task, { code, reason })
    this.#plan(task, 'failed')
    const { completion } = await this.#needs.frontier.complete(task, fetchResultOf(failure, this.#needs))
    if (completion.kind !== 'again') this.counts.failed++
    this.#tellOf(task, {
      outcome: completion.kind === 'again' ? 'retry' : 'failed',
      code,
      reason: `${reason}${this.#whenAgain(completion)}`,
    })
  }

  /** It cannot be asked for, and is not waited for. Visited again by itself. */
  async giveUp(task: FetchTask, missed: MissedReason): Promise<void> {
    this.#plan(task, 'failed')
    await this.#needs.frontier.complete(task, { outcome: 'unreached', missed })
    this.counts.failed++
    this.#tellOf(task, { outcome: 'failed', ...missed })
  }

  /** The same for what was queued. */
  dropped({ href, via, jobId, code, reason }: Dropped): void {
    const { frontier } = this.#needs
    const atMs = frontier.nowMs()
    const url = tryParseLink(href)
    if (url !== null) {
      frontier.visits.visited(url, { atMs, outcome: 'failed' })
      frontier.failed(url, jobId)
    }
    this.counts.failed++
    this.tell({ atMs, jobId, url: href, outcome: 'failed', via, code, reason })
  }

  /** It stays queued, and counts for nothing yet. */
  held({ href, via, jobId, code, reason }: Dropped): void {
    this.tell({
      atMs: this.#needs.frontier.nowMs(),
      jobId,
      url: href,
      outcome: 'refused',
      via,
      code,
      reason,
    })
  }

  #whenAgain(completion: Completion): string {
    if (completion.kind !== 'again') return ''
    const { afterMs, attemptsLeft } = completion
    const seconds = Math.max(0, Math.ceil((afterMs - this.#needs.frontier.nowMs()) / 1000))
    return `; asked for again in ${seconds} s, ${attemptsLeft} more ${attemptsLeft === 1 ? 'time' : 'times'} at most`
  }

  /** When to come again. */
  #plan(task: FetchTask, outcome: Visit['outcome'], lastModified?: string): void {
    const { frontier } = this.#needs
    const lastModifiedMs = lastModified === undefined ? Number.NaN : Date.parse(lastModified)
    const visit = { atMs: frontier.nowMs(), outcome }
    frontier.visits.visited(task.url, Number.isNaN(lastModifiedMs) ? visit : { ...visit, lastModifiedMs })
  }

  async refuse(task: FetchTask, missed: MissedReason): Promise<void> {
    await this.#needs.frontier.complete(task, { outcome: 'refused', missed })
    this.counts.refused++
    this.#tellOf(task, { outcome: 'refused', ...missed })
  }

  #wanted({ jobId }: FetchTask, visited: Visited, shown: PageShown | undefined): FrontierLink[] {
    const { frontier } = this.#needs
    const { types, sitemaps } = this.#needs.wants.of(jobId)
    const links: FrontierLink[] = []
    const target = visited.fetched.redirect?.target
    if (target !== undefined) links.push({ url: target, kind: 'redirect' })
    const had = shown && new Set(shown.parts.filter(isPartKept).map(({ href }) => href))
    for (const url of shown?.elsewhere ?? []) links.push({ url, kind: 'requisite' })
    for (const link of shown ? [...visited.links, ...shown.requisites] : visited.links) {
      // Not asked of an empty set: that would hash every link of every page.
      if (had?.has(link.href)) continue
      const kind = frontierKind(link)
      if (kind === 'sitemap' && !sitemaps) continue
      if (frontier.hasSeen(link.href, jobId)) continue
      if (types.refusal(link.url) === undefined) links.push({ url: link.url, kind, via: link.documentHref })
    }
    for (const url of (visited.isFollowed && shown?.links) || [])
      if (!frontier.hasSeen(url.href, jobId) && types.refusal(url) === undefined)
        links.push({ url, kind: 'navigation' })
    return links
  }

  #tellOf(task: FetchTask, what: Pick<CrawlEvent, 'outcome'> & Partial<CrawlEvent>): void {
    const { jobId, via, depth } = task
    this.tell({ atMs: this.#needs.frontier.nowMs(), jobId, url: task.url.href, via, depth, ...what })
  }

  tell(event: CrawlEvent): void {
    this.#needs.watch.happened(event)
  }
}

function redirectNowhere({ redirect }: Fetched): string | undefined {
  return redirect && redirect.target === undefined ? `redirects nowhere: ${redirect.reason}` : undefined
}

/** Why what a page redirects to is not fetched. */
function redirectLeft(links: FrontierLink[], outcomes: readonly AddOutcome[]): string | undefined {
  const [link] = links
  const [outcome] = outcomes
  if (link?.kind !== 'redirect' || outcome?.kind !== 'out-of-scope') return undefined
  return `redirects to ${link.url.href}: ${outcome.reason}`
}

function visitOutcome({ fetched, kept, hasChanged }: Visited): Visit['outcome'] {
  if (fetched.status >= 400) return 'failed'
  return kept === 'new' ? kept : hasChanged ? 'changed' : 'same'
}

function frontierKind(link: Link): FrontierLink['kind'] {
  switch (link.kind) {
    case 'requisite':
    case 'frame':
      return 'requisite'
    case 'feed':
      return 'navigation'
    default:
      return link.kind
  }
}
