// Asks one peer after another until one answers: the next when the last failed, or was silent for longer than it should be.
//
// A slow disk or a lost packet of one peer so costs a reader little, and the others are seldom asked in vain.

import type { Clock } from '../world/clock.ts'
import type { PeerId } from '../world/network.ts'
import { ReadingError } from './reading-error.ts'

export interface Asked<T> {
  readonly peer: PeerId
  readonly answer: T
}

export function firstAnswer<T>(
  needs: { clock: Clock },
  peers: readonly PeerId[],
  patienceMs: number,
  ask: (peer: PeerId, signal: AbortSignal) => Promise<T>,
): Promise<Asked<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Asked<T>>()
  const ending = new AbortController()
  const waiting = [...peers]
  let underWay = 0
  let lastError: unknown
  let isOver = false
  const end = (settle: () => void): void => {
    if (isOver) return
    isOver = true
    settle()
    ending.abort()
  }
  const askNext = (): void => {
    const peer = waiting.shift()
    if (isOver || peer === undefined) return
    underWay++
    const timer = needs.clock.after(patienceMs, askNext)
    ask(peer, ending.signal).then(
      (answer) => {
        timer.cancel()
        end(() => resolve({ peer, answer }))
      },
      (error) => {
        timer.cancel()
        underWay--
        lastError = error
        askNext()
        if (underWay === 0) end(() => reject(unavailable(lastError)))
      },
    )
  }
  askNext()
  if (underWay === 0) end(() => reject(unavailable(undefined)))
  return promise
}

function unavailable(cause: unknown): ReadingError {
  const reason = cause instanceof Error ? cause.message : 'nobody keeps it'
  return new ReadingError(
    'reading-unavailable',
    `None of those who keep this site could be read: ${reason}`,
    cause,
  )
}
