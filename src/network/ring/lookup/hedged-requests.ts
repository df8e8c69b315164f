// Hedged requests: asks one peer after another until one gives a result. When one takes longer than usual, the next is asked,
// too, and the first result counts. So a dead peer costs a round trip, not a timeout.
//
// Invariants: at most `asksAtOnce` are under way; ends once, with the first result, or with none when nobody is left.

import type { Clock, Timer } from '../../../platform/clock.ts'

const asksAtOnce = 3

export interface HedgedRequest<Result> {
  /** How long an answer usually takes at most. */
  patienceMs: number
  /** Undefined: go on with the next. */
  run(): Promise<Result | undefined>
}

/** `next` is called whenever there is room for another. */
export function firstResult<Result>(
  clock: Clock,
  next: () => HedgedRequest<Result> | undefined,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    let underWay = 0
    let isOver = false
    let latest: HedgedRequest<Result> | undefined
    let timer: Timer | undefined
    const end = (settle: () => void): void => {
      isOver = true
      timer?.cancel()
      settle()
    }
    const advance = (): void => {
      timer?.cancel()
      if (isOver) return
      const ask = underWay < asksAtOnce ? next() : undefined
      if (ask === undefined) {
        if (underWay === 0) end(() => resolve(undefined))
        return
      }
      latest = ask
      underWay++
      timer = clock.after(ask.patienceMs, advance)
      ask.run().then(
        (result) => {
          underWay--
          if (result !== undefined) end(() => resolve(result))
          // One that was given up is no reason to ask more at once than before.
          else if (ask === latest || underWay === 0) advance()
        },
        (error: unknown) => end(() => reject(error)),
      )
    }
    advance()
  })
}
