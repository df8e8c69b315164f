// The live line of a crawl: pages, rate, queue, bytes, and what became of them; what it waits for, when it only waits.
//
// As long as nothing has been fetched, whoever looks on may have mistyped the address: then what will be tried again is told
// at once, a line each, and not only kept in the log.

import type { CrawlCounts, CrawlEvent } from '../../app/crawl/crawler.ts'
import type { Context } from '../context.ts'
import { short } from './progress.ts'

/** How far a crawl has come. */
export interface CrawlState {
  readonly counts: Readonly<CrawlCounts>
  readonly counters: { readonly pending: number }
  readonly underWay: number
  /** Peers of a network that are waited for. */
  readonly awaited?: number | undefined
}

const redrawMs = 250
const lineMs = 10_000
/** More of the same would hide the first. */
const retriesToldMax = 10

export class CrawlProgress {
  readonly #context: Context
  readonly #look: () => CrawlState
  #timer: NodeJS.Timeout | undefined
  #startedAtMs = 0
  #retriesTold = 0
  /** What is to be tried again, if nothing else happened since. */
  #retry: string | undefined

  constructor(context: Context, look: () => CrawlState) {
    this.#context = context
    this.#look = look
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

  happened({ outcome, url, reason }: CrawlEvent): void {
    this.#retry = outcome === 'retry' ? `${url}: ${reason}` : undefined
    if (this.#retry === undefined || this.#context.isQuiet || this.#look().counts.fetched > 0) return
    if (++this.#retriesTold <= retriesToldMax) this.#context.terminal.tell(this.#retry)
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#context.terminal.isInteractive && !this.#context.isQuiet) this.#context.terminal.redraw('')
  }

  #line(): string {
    const { counts, counters, underWay, awaited = 0 } = this.#look()
    const rate = counts.fetched / Math.max(0.001, (performance.now() - this.#startedAtMs) / 1000)
    // What matters less comes last: a narrow terminal cuts the line.
    return [
      ...(underWay === 0 && this.#retry !== undefined ? [`waiting: ${this.#retry}`] : []),
      ...(awaited > 0 && counters.pending === 0
        ? [`waiting for ${awaited} ${awaited === 1 ? 'peer that is' : 'peers that are'} away`]
        : []),
      `${counts.fetched} pages`,
      `${rate.toFixed(1)}/s`,
      `${counters.pending} queued`,
      short(counts.bytes),
      `${counts.new} new, ${counts.changed} changed, ${counts.same} same, ${counts.failed} failed`,
      `${underWay} under way`,
    ].join('  ')
  }
}
