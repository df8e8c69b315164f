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
import { parseUrl, type Url } from '../../model/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { ShelfCapture } from './shelf.ts'
import { type CaptureList, listMax, type ShelfQuestion } from './wire/questions.ts'

export interface SecondWordsNeeds {
  readonly clock: Clock
  holders(key: RingKey): Promise<{ readonly peers: readonly PeerId[] }>
  /** Who may have kept it before. */
  further(key: RingKey): readonly PeerId[]
  /** All are waited for so long, and those who may still change what enough others say so long. */
  readonly waitMs: number
  readonly patienceMs: number
  ask(peer: PeerId, question: ShelfQuestion): Promise<CaptureList>
}

export interface Word {
  readonly recordId: string
  readonly isSure: boolean
}

export interface Verdict {
  readonly recordId: string
  readonly isSettled: boolean
}

/** Seconds of one list that are asked about. Beyond, captures stay as they were given. */
const secondsMax = 16
const pagesMax = 8

export class SecondWords {
  readonly #needs: SecondWordsNeeds

  constructor(needs: SecondWordsNeeds) {
    this.#needs = needs
  }

  /** undefined when nobody holds any to be the first. */
  async first(url: Url, capturedAtMs: number): Promise<Verdict | undefined> {
    const { peers } = await this.#needs.holders(url.ringKey)
    const asked = [...new Set([...peers, ...this.#needs.further(url.ringKey)])]
    const sureMin = Math.floor((peers.length + 1) / 2)
    const words = await this.#wordsOf(asked, url, secondOf(capturedAtMs), sureMin)
    return verdictOf(words, sureMin)
  }

  /** In the order of those who were asked. Nobody is waited for whose word would change nothing, nor for long. */
  async #wordsOf(asked: readonly PeerId[], url: Url, fromMs: number, sureMin: number): Promise<Word[]> {
    const words: (Word | undefined)[] = asked.map(() => undefined)
    let left = asked.length
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { clock, waitMs, patienceMs } = this.#needs
    const timers = [clock.after(waitMs, resolve)]
    for (const [place, peer] of asked.entries())
      this.#wordOf(peer, url, fromMs).then((word) => {
        words[place] = word
        left--
        const known = present(words)
        if (left === 0 || isDecided(known, sureMin, left)) resolve()
        else if (timers.length === 1 && isDecided(known, sureMin, 0))
          timers.push(clock.after(patienceMs, resolve))
      }, reject)
    try {
      if (left > 0) await promise
    } finally {
      for (const timer of timers) timer.cancel()
    }
    return present(words)
  }

  /** The same captures, marked as the holders say. */
  async marked(captures: readonly ShelfCapture[]): Promise<readonly ShelfCapture[]> {
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
  async #wordOf(peer: PeerId, url: Url, fromMs: number): Promise<Word | undefined> {
    const selection = { kind: 'url', url: url.href } as const
    const own: ShelfCapture[] = []
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
export function verdictOf(words: readonly Word[], sureMin: number): Verdict | undefined {
  const [sure, runnerUp] = ranked(words.filter(({ isSure }) => isSure))
  if (sure !== undefined && sure.count >= sureMin && sure.count > (runnerUp?.count ?? 0))
    return { recordId: sure.recordId, isSettled: true }
  const [likely] = ranked(words)
  return likely && { recordId: likely.recordId, isSettled: false }
}

/** Whether so many more words could not change it. */
function isDecided(words: readonly Word[], sureMin: number, left: number): boolean {
  const [sure, runnerUp] = ranked(words.filter(({ isSure }) => isSure))
  return sure !== undefined && sure.count >= sureMin && sure.count > (runnerUp?.count ?? 0) + left
}

function present(words: readonly (Word | undefined)[]): Word[] {
  return words.filter((word) => word !== undefined)
}

function ranked(words: readonly Word[]): { recordId: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { recordId } of words) counts.set(recordId, (counts.get(recordId) ?? 0) + 1)
  return Array.from(counts, ([recordId, count]) => ({ recordId, count })).sort(
    (one, other) => other.count - one.count,
  )
}

/** One of each URL and second that has several. They are in the order of time, spellings of a URL among each other. */
function contestedIn(captures: readonly ShelfCapture[]): ShelfCapture[] {
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

function nameOf({ url, capturedAtMs }: ShelfCapture): string {
  return `${secondOf(capturedAtMs)} ${url}`
}

/** Answers to POST, say, are filed by more than their URL, and compared with none. */
function isFiledByUrl({ url, surt }: ShelfCapture): boolean {
  return parseUrl(url).surt === surt
}

function isOf({ url, surt, capturedAtMs, importedBy }: ShelfCapture, wanted: Url, fromMs: number): boolean {
  const isSameUrl = url === wanted.href && surt === wanted.surt
  return isSameUrl && importedBy === undefined && secondOf(capturedAtMs) === fromMs
}
