// Hedged requests to several peers: asks one after another until there are enough answers; the next one when the last failed, was
// incomplete, or is slow.
//
// So a slow disk or a lost packet costs a reader little, and few requests are wasted. After an incomplete answer all others are
// asked at once; what comes within `graceMs` of the first answer counts, and a peer that failed lately gets `patienceMs` once all
// others have answered. Where one complete answer may be a lie, several are required (`enoughMin`); silent peers do not count
// against that.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { ReadingError } from './reading-error.ts'

interface Asked<T> {
  readonly peer: PeerId
  readonly answer: T
}

export interface Answers<T> {
  /** Those that were enough, or all that came. */
  readonly asked: readonly Asked<T>[]
  readonly isEnough: boolean
  /** Why others did not answer; undefined when all did. */
  readonly failure: unknown
}

export interface Asking<T> {
  readonly patienceMs: number
  readonly graceMs: number
  /** Deadline for all together. Default: none. */
  readonly waitMs?: number | undefined
  isEnough(answer: T, peer: PeerId): boolean
  /** Complete answers required, where so many peers can be asked. Default: one. */
  readonly enoughMin?: number | undefined
  /** It failed lately. */
  isDoubtful?(peer: PeerId): boolean
  ask(peer: PeerId, signal: AbortSignal): Promise<T>
}

/** Never rejects: nobody may have answered. */
export function answersOf<T>(
  needs: { clock: Clock },
  peers: readonly PeerId[],
  asking: Asking<T>,
): Promise<Answers<T>> {
  const { promise, resolve } = Promise.withResolvers<Answers<T>>()
  const ending = new AbortController()
  const waiting = [...peers]
  const asked: Asked<T>[] = []
  const enough: Asked<T>[] = []
  const enoughMin = Math.min(asking.enoughMin ?? 1, peers.length)
  const timers = new Set<{ cancel(): void }>()
  const underWay = new Set<PeerId>()
  let failure: unknown
  const end = (): void => {
    if (ending.signal.aborted) return
    for (const timer of timers) timer.cancel()
    const isAll = waiting.length + underWay.size === 0
    const silent = isAll ? undefined : new ReadingError('reading-unavailable', 'some did not answer in time')
    const isEnough = enough.length > 0
    resolve({ asked: [...enough, ...asked], isEnough, failure: failure ?? silent })
    ending.abort()
  }
  const after = (delayMs: number, action: () => void) => {
    const timer = needs.clock.after(delayMs, () => {
      timers.delete(timer)
      action()
    })
    timers.add(timer)
    return timer
  }
  const askNext = (): void => {
    const peer = waiting.shift()
    if (ending.signal.aborted || peer === undefined) return
    underWay.add(peer)
    const hurry = after(asking.patienceMs, askNext)
    const ended = (take: () => void): void => {
      hurry.cancel()
      underWay.delete(peer)
      if (ending.signal.aborted) return
      take()
      if (underWay.size === 0) end()
      else if (asked.length + enough.length > 0 && [...underWay].every((other) => asking.isDoubtful?.(other)))
        after(asking.patienceMs, end)
    }
    asking.ask(peer, ending.signal).then(
      (answer) =>
        ended(() => {
          const isEnough = asking.isEnough(answer, peer)
          ;(isEnough ? enough : asked).push({ peer, answer })
          if (enough.length >= enoughMin) return end()
          if (enough.length + asked.length === 1) after(asking.graceMs, end)
          if (isEnough && underWay.size === 0) askNext()
          while (!isEnough && waiting.length > 0) askNext()
        }),
      (error) =>
        ended(() => {
          failure = error
          askNext()
        }),
    )
  }
  for (let count = 0; count < enoughMin; count++) askNext()
  if (asking.waitMs !== undefined) after(asking.waitMs, end)
  if (underWay.size === 0) end()
  return promise
}

export function unavailable(cause: unknown): ReadingError {
  const reason = cause instanceof Error ? cause.message : 'nobody keeps it'
  return new ReadingError(
    'reading-unavailable',
    `None of those who keep this site could be read: ${reason}`,
    cause,
  )
}
