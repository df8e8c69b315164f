// Wake signal for one waiting loop: `wait` resolves on `ring` or after a timeout. A `ring` while nobody waits ends the next wait
// at once.

import type { Clock, Timer } from './clock.ts'

export class WakeSignal {
  readonly #clock: Clock
  #isRung = false
  #rise: (() => void) | undefined

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
  }

  ring(): void {
    this.#isRung = true
    this.#rise?.()
  }

  async wait(msMax?: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer: Timer | undefined =
          msMax === undefined ? undefined : this.#clock.after(Math.max(0, msMax), resolve)
        this.#rise = () => {
          timer?.cancel()
          resolve()
        }
      })
    }
    this.#rise = undefined
    this.#isRung = false
  }
}
