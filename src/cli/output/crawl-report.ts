// What a crawl says when it is over: its outcome first, then figures, then what is missing and what can be done about it.

import { type CrawlCounts, isGap, type JobOutcome } from '../../app/crawl/crawler.ts'
import type { JobMissing } from '../../model/jobs/job-missing.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { short } from './progress.ts'

interface EndedCrawl {
  readonly id: string
  readonly state: string
  readonly ending?: string | null | undefined
  readonly outcome?: JobOutcome | null | undefined
  readonly missing: readonly JobMissing[]
  readonly advice?: string | null | undefined
  readonly counters: { readonly pending: number }
  readonly counts: Readonly<CrawlCounts>
  /** By Ctrl-C. */
  readonly wasStopped: boolean
}

/** Reasons that are told; the log has all. */
const reasonsMax = 8

const openings: Record<JobOutcome, string> = {
  complete: 'Complete',
  partly: 'Partly kept',
  nothing: 'Nothing kept',
}

export async function reportEnd({ terminal, isJson }: Context, crawl: EndedCrawl): Promise<ExitCode> {
  if (isJson) await terminal.printJson(jsonOf(crawl))
  else for (const line of linesOf(crawl)) await terminal.printLine(line)
  if (!crawl.wasStopped && crawl.outcome === 'nothing') terminal.tell(whyNothing(crawl))
  return exitCodeOf(crawl)
}

/** A budget that was spent, or a crawl that somebody ended, did what it was told to. */
function exitCodeOf({ wasStopped, outcome, missing }: EndedCrawl): ExitCode {
  if (wasStopped) return exitCodes.interrupted
  if (outcome === 'nothing') return exitCodes.no
  return outcome === 'partly' && missing.some(isGap) ? exitCodes.partly : exitCodes.ok
}

function jsonOf({ id, state, ending, outcome, missing, advice, counts, counters }: EndedCrawl): object {
  return {
    job: id,
    state,
    ending: ending ?? undefined,
    outcome: outcome ?? undefined,
    missing,
    advice: advice ?? undefined,
    ...counts,
    counters,
  }
}

function linesOf(crawl: EndedCrawl): string[] {
  const { wasStopped, outcome, ending, missing, advice, counters, counts } = crawl
  const { fetched, failed, refused, bytes } = counts
  const opening = wasStopped ? 'Paused' : openings[outcome ?? 'complete']
  const lines = [
    `${opening}: ${fetched} fetched (${counts.new} new, ${counts.changed} changed, ${counts.same} unchanged), ${failed} failed, ${refused} not allowed, ${short(bytes)}.`,
  ]
  // Of nothing it is told apart why.
  const told = outcome === 'nothing' ? [] : missing
  for (const { count, words, url } of told.slice(0, reasonsMax))
    lines.push(`  ${count} missing: ${words}${count === 1 ? `: ${url}` : `, such as ${url}`}`)
  if (told.length > reasonsMax) lines.push('  and more, for other reasons')
  if (wasStopped) lines.push(`${counters.pending} URLs are left. The same command goes on from here.`)
  else if (ending === 'cancelled') lines.push('It was cancelled.')
  else if (ending && ending !== 'complete') lines.push(`It ended because of its budget: ${ending}.`)
  if (advice && outcome !== 'nothing') lines.push(advice)
  lines.push('What happened to each URL: polyhistor crawl log')
  return lines
}

/** Said also to those who read JSON or asked for quiet: a crawl that brought nothing has failed. */
function whyNothing({ missing, advice }: EndedCrawl): string {
  const [first] = missing
  if (first === undefined) return 'Nothing was kept.'
  const { words, url, reason } = first
  return `Nothing was kept. ${url}: ${words} (${reason}).${advice ? ` ${advice}` : ''}`
}
