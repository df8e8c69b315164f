// The live line of a crawl: pages, rate, queue, bytes, and what became of them.

import type { Crawler } from '../crawler.ts'
import type { Context } from './context.ts'
import { short } from './progress.ts'

const redrawMs = 250
const lineMs = 10_000

export class CrawlProgress {
  readonly #context: Context
  readonly #crawler: Crawler
  readonly #jobId: string
  #timer: NodeJS.Timeout | undefined
  #startedAtMs = 0

  constructor(context: Context, crawler: Crawler, jobId: string) {
    this.#context = context
    this.#crawler = crawler
    this.#jobId = jobId
  }

  start(): void {
    this.#startedAtMs = performance.now()
    if (this.#context.isQuiet) return
    const { terminal } = this.#context
    const show = terminal.isInteractive
      ? () => terminal.redraw(this.#line())
      : () => terminal.tell(this.#line())
    this.#timer = setInterval(show, terminal.isInteractive ? redrawMs : lineMs)
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#context.terminal.isInteractive && !this.#context.isQuiet) this.#context.terminal.redraw('')
  }

  #line(): string {
    const { counts, underWay } = this.#crawler.crawl
    const pending = this.#crawler.frontier.job(this.#jobId)?.counters.pending ?? 0
    const rate = counts.fetched / Math.max(0.001, (performance.now() - this.#startedAtMs) / 1000)
    return [
      `${counts.fetched} fetched`,
      `${rate.toFixed(1)}/s`,
      `${pending} queued`,
      `${underWay} under way`,
      short(counts.bytes),
      `${counts.new} new, ${counts.changed} changed, ${counts.same} same, ${counts.failed} failed`,
    ].join('  ')
  }
}
