// How far long work has come: a bar with rate and time left on a terminal, a line now and then elsewhere.

import { bytes } from '../configuration/kinds.ts'
import type { Terminal } from './terminal.ts'

export interface ProgressState {
  doneBytes: number
  /** undefined when nobody knows. */
  totalBytes?: number | undefined
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
  readonly #startedAtMs = performance.now()
  #shownAtMs = Number.NEGATIVE_INFINITY
  #startBytes: number | undefined

  constructor(terminal: Terminal, title: string, { isQuiet }: { isQuiet: boolean }) {
    this.#terminal = terminal
    this.#title = title
    this.#isQuiet = isQuiet
  }

  /** May be called as often as one likes. */
  show(state: ProgressState): void {
    const nowMs = performance.now()
    // What an earlier run did already says nothing about the rate of this one.
    this.#startBytes ??= state.doneBytes
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

  #line({ doneBytes, totalBytes, detail }: ProgressState, seconds: number): string {
    const rate = seconds > 0 ? (doneBytes - this.#startBytes!) / seconds : 0
    const share = totalBytes ? Math.min(1, doneBytes / totalBytes) : undefined
    const parts = [this.#title]
    if (share !== undefined) parts.push(`${bar(share)} ${String(Math.floor(100 * share)).padStart(3)}%`)
    parts.push(short(doneBytes), `${short(rate)}/s`)
    if (totalBytes && rate > 0) parts.push(`${timeLeft((totalBytes - doneBytes) / rate)} left`)
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
