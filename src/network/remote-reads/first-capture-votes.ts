// Which of several captures of one URL and second was the first, by the word of those who keep them.
//
// Each holder has one word: the capture that it holds to be the first (model/same-second.ts). It counts when the holder is sure, or,
// where that does not settle it, also when not. Settled is what at least half of as many as should keep the site are sure of, and
// more than are sure of any other: while fewer than half of them lie, that is what was captured. Who answered first plays no part.
// Asked are the holders, and those near enough to have kept the site before one of them came.
// Bounded: so many seconds of a list, and so many pages of each peer's captures of a second.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { firstKnown, secondMs, secondOf } from '../../model/same-second.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { NetworkCapture } from './view.ts'
import { type CaptureList, listMax, type ReadRequest } from './wire/questions.ts'

interface FirstCaptureVotesNeeds {
  readonly clock: Clock
  holders(key: RingKey): Promise<{ readonly peers: readonly PeerId[] }>
  /** Who may have kept it before. */
  further(key: RingKey): readonly PeerId[]
  /** All are waited for so long, and those who may still change what enough others say so long. */
  readonly waitMs: number
  readonly patienceMs: number
  ask(peer: PeerId, question: ReadRequest): Promise<CaptureList>
}

interface Vote {
  readonly recordId: string
  readonly isSure: boolean
}

interface Verdict {
  readonly recordId: string
  readonly isSettled: boolean
}

/** Seconds of one list that are asked about. Beyond, captures stay as they were given. */
const secondsMax = 16
const pagesMax = 8

export class FirstCaptureVotes {
  readonly #needs: FirstCaptureVotesNeeds

  constructor(needs: FirstCaptureVotesNeeds) {
    this.#needs = needs
  }

  /** undefined when nobody holds any to be the first. */
  async first(url: Url, capturedAtMs: number): Promise<Verdict | undefined> {
    const { peers } = await this.#needs.holders(url.ringKey)
    const asked = [...new Set([...peers, ...this.#needs.further(url.ringKey)])]
    const sureMin = Math.floor((peers.length + 1) / 2)
    const votes = await this.#votesOf(asked, url, secondOf(capturedAtMs), sureMin)
    return verdictOf(votes, sureMin)
  }

  /** In the order of those who were asked. Nobody is waited for whose word would change nothing, nor for long. */
  async #votesOf(asked: readonly PeerId[], url: Url, fromMs: number, sureMin: number): Promise<Vote[]> {
    const votes: (Vote | undefined)[] = asked.map(() => undefined)
    let left = asked.length
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { clock, waitMs, patienceMs } = this.#needs
    const timers = [clock.after(waitMs, resolve)]
    for (const [place, peer] of asked.entries())
      this.#voteOf(peer, url, fromMs).then((vote) => {
        votes[place] = vote
        left--
        const known = present(votes)
        if (left === 0 || isDecided(known, sureMin, left)) resolve()
        else if (timers.length === 1 && isDecided(known, sureMin, 0))
          timers.push(clock.after(patienceMs, resolve))
      }, reject)
    try {
      if (left > 0) await promise
    } finally {
      for (const timer of timers) timer.cancel()
    }
    return present(votes)
  }

  /** The same captures, marked as the holders say. */
  async markFirst(captures: readonly NetworkCapture[]): Promise<readonly NetworkCapture[]> {
    const contested = contestedIn(captures)
    if (contested.length === 0) return captures
    const firsts = new Map<string, string>()
    await Promise.all(
      contested.slice(0, secondsMax).map(async (capture) => {
        const verdict = await this.first(parseUrl(capture.url), capture.capturedAtMs)
        if (verdict !== undefined) firsts.set(nameOf(capture), verdict.recordId)
      }),
    )
    return captures.map((capture) => {
      const first = firsts.get(nameOf(capture))
      const isCompared = first !== undefined && capture.importedBy === undefined && isFiledByUrl(capture)
      return !isCompared ? capture : { ...capture, isLater: capture.recordId !== first }
    })
  }

  /** undefined when it has none, or does not answer. */
  async #voteOf(peer: PeerId, url: Url, fromMs: number): Promise<Vote | undefined> {
    const selection = { kind: 'url', url: url.href } as const
    const own: NetworkCapture[] = []
    try {
      for (let page = 0, after: string | undefined; page < pagesMax; page++) {
        const options = { fromMs, toMs: fromMs + secondMs, after, limit: listMax }
        const { captures, isCut } = await this.#needs.ask(peer, { kind: 'list', selection, options })
        own.push(...captures.filter((capture) => isOf(capture, url, fromMs)))
        after = captures.at(-1)?.cursor
        if (!isCut || after === undefined || own.some(({ isLater }) => !isLater)) break
      }
    } catch (error) {
      if (error instanceof PolyhistorError) return undefined
      throw error
    }
    const known = firstKnown(own, this.#needs.clock.nowMs())
    return known && { recordId: known.first.recordId, isSure: known.isSure }
  }
}

/** Those of the peers that the ring names first come first: of equals the first is taken. */
export function verdictOf(votes: readonly Vote[], sureMin: number): Verdict | undefined {
  const [sure, runnerUp] = ranked(votes.filter(({ isSure }) => isSure))
  if (sure !== undefined && sure.count >= sureMin && sure.count > (runnerUp?.count ?? 0))
    return { recordId: sure.recordId, isSettled: true }
  const [likely] = ranked(votes)
  return likely && { recordId: likely.recordId, isSettled: false }
}

/** Whether so many more votes could not change it. */
function isDecided(votes: readonly Vote[], sureMin: number, left: number): boolean {
  const [sure, runnerUp] = ranked(votes.filter(({ isSure }) => isSure))
  return sure !== undefined && sure.count >= sureMin && sure.count > (runnerUp?.count ?? 0) + left
}

function present(votes: readonly (Vote | undefined)[]): Vote[] {
  return votes.filter((vote) => vote !== undefined)
}

function ranked(votes: readonly Vote[]): { recordId: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { recordId } of votes) counts.set(recordId, (counts.get(recordId) ?? 0) + 1)
  return Array.from(counts, ([recordId, count]) => ({ recordId, count })).sort(
    (one, other) => other.count - one.count,
  )
}

/** One of each URL and second that has several. They are in the order of time, spellings of a URL among each other. */
function contestedIn(captures: readonly NetworkCapture[]): NetworkCapture[] {
  const seen = new Map<string, number>()
  return captures.filter((capture, at) => {
    const neighbours = [captures[at - 1], captures[at + 1]]
    const isCrowded = neighbours.some(
      (other) =>
        other?.surt === capture.surt && secondOf(other.capturedAtMs) === secondOf(capture.capturedAtMs),
    )
    if (!isCrowded || capture.importedBy !== undefined || !isFiledByUrl(capture)) return false
    const count = (seen.get(nameOf(capture)) ?? 0) + 1
    seen.set(nameOf(capture), count)
    return count === 2
  })
}

function nameOf({ url, capturedAtMs }: NetworkCapture): string {
  return `${secondOf(capturedAtMs)} ${url}`
}

/** Answers to POST, say, are filed by more than their URL, and compared with none. */
function isFiledByUrl({ url, surt }: NetworkCapture): boolean {
  return parseUrl(url).surt === surt
}

function isOf({ url, surt, capturedAtMs, importedBy }: NetworkCapture, wanted: Url, fromMs: number): boolean {
  const isSameUrl = url === wanted.href && surt === wanted.surt
  return isSameUrl && importedBy === undefined && secondOf(capturedAtMs) === fromMs
}
