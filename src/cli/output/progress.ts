// How far long work has come: a bar with rate and time left on a terminal, a line now and then elsewhere.

import { bytes } from '../../config/kinds.ts'
import type { Terminal } from './terminal.ts'

interface ProgressState {
  /** Bytes, or what else the work counts. */
  done: number
  /** undefined when nobody knows. */
  total?: number | undefined
  /** What else is worth knowing: "120 kept, 3 known". */
  detail?: string | undefined
}

const barWidth = 24
const redrawMs = 100
const lineMs = 10_000

export class Progress {
  readonly #terminal: Terminal
  readonly #title: string
  readonly #isQuiet: boolean
  readonly #print: (count: number) => string
  readonly #startedAtMs = performance.now()
  #shownAtMs = Number.NEGATIVE_INFINITY
  #start: number | undefined

  constructor(terminal: Terminal, title: string, options: { isQuiet: boolean; unit?: string }) {
    this.#terminal = terminal
    this.#title = title
    this.#isQuiet = options.isQuiet
    this.#print = options.unit === undefined ? short : (count) => `${Math.round(count)} ${options.unit}`
  }

  /** May be called as often as one likes. */
  show(state: ProgressState): void {
    const nowMs = performance.now()
    // What an earlier run did already says nothing about the rate of this one.
    this.#start ??= state.done
    const waitMs = this.#terminal.isInteractive ? redrawMs : lineMs
    const isFirstLine = !this.#terminal.isInteractive && this.#shownAtMs < 0
    if (isFirstLine) this.#shownAtMs = nowMs
    if (this.#isQuiet || isFirstLine || nowMs - this.#shownAtMs < waitMs) return
    this.#shownAtMs = nowMs
    const line = this.#line(state, (nowMs - this.#startedAtMs) / 1000)
    if (this.#terminal.isInteractive) this.#terminal.redraw(line)
    else this.#terminal.tell(line)
  }

  /** Takes the bar away; what is said next starts on a clean line. */
  end(): void {
    if (this.#terminal.isInteractive && !this.#isQuiet) this.#terminal.redraw('')
  }

  #line({ done, total, detail }: ProgressState, seconds: number): string {
    const rate = seconds > 0 ? (done - this.#start!) / seconds : 0
    const share = total ? Math.min(1, done / total) : undefined
    const parts = [this.#title]
    if (share !== undefined) parts.push(`${bar(share)} ${String(Math.floor(100 * share)).padStart(3)}%`)
    parts.push(this.#print(done), `${this.#print(rate)}/s`)
    if (total && rate > 0) parts.push(`${timeLeft((total - done) / rate)} left`)
    if (detail) parts.push(detail)
    return parts.join('  ')
  }
}

function bar(share: number): string {
  const done = Math.round(share * barWidth)
  return `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}]`
}

/** Three digits are enough for a person: "1.23GB". */
export function short(count: number): string {
  const digits = Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 2)
  return bytes.print(Math.round(Math.round(count / 10 ** digits) * 10 ** digits))
}

function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`
}
