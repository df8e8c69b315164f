// When a page has come to rest: it waits for no answer, and will not ask for anything more by itself, as far as can be told.
//
// Surely so when it has asked for nothing for a while. Sooner when the page, asked, has nothing left to do (pending-work.ts): most pages are
// done long before a while is over. Who waits is told once; the page's own time bounds it all.

import type { QuietFor } from './pending-work.ts'

interface CalmNeeds {
  /** Whether the page has nothing left to do. Must not reject. */
  isQuiet(quiet: QuietFor): Promise<boolean>
}

/** How long the document of a page that has nothing left to do must have stood as it is. */
const unchangedMsMax = 100

export class Calm {
  readonly #idleMs: number
  #needs: CalmNeeds | undefined
  /** Of who waits now. */
  #waitMs = 0
  #timer: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined
  #underWay = 0
  /** Counts what happened, so that an answer that it overtook is known as old. */
  #happened = 0
  #waiting: (() => void)[] = []

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** From now on the page can be asked. */
  ask(needs: CalmNeeds): void {
    this.#needs = needs
  }

  changed(underWay: number): void {
    this.#underWay = underWay
    this.#happened++
    clearTimeout(this.#timer)
    clearTimeout(this.#looking)
    if (underWay > 0 || this.#waiting.length === 0) return
    const untilMs = performance.now() + this.#waitMs
    this.#timer = setTimeout(() => this.#tell(), this.#waitMs)
    this.#lookLater(untilMs)
  }

  settled(idleMs = this.#idleMs): Promise<void> {
    return new Promise((resolve) => {
      this.#waitMs = idleMs
      this.#waiting.push(resolve)
      this.changed(this.#underWay)
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#looking)
    this.#needs = undefined
    this.#waiting = []
  }

  get #unchangedMs(): number {
    return Math.min(unchangedMsMax, Math.floor(this.#waitMs / 5))
  }

  #lookLater(untilMs: number): void {
    if (this.#needs === undefined || performance.now() + this.#unchangedMs >= untilMs) return
    this.#looking = setTimeout(() => void this.#look(untilMs), this.#unchangedMs)
  }

  async #look(untilMs: number): Promise<void> {
    const happened = this.#happened
    const aheadMs = Math.max(0, Math.ceil(untilMs - performance.now()))
    const isQuiet = await this.#needs?.isQuiet({ unchangedMs: this.#unchangedMs, aheadMs })
    if (this.#happened !== happened) return
    if (isQuiet === true) this.#tell()
    else this.#lookLater(untilMs)
  }

  #tell(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#looking)
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
