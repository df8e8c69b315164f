// Reconciler: compares what we hold with another peer, sends what it lacks and fetches what we lack.
//
// Can be interrupted at any point: what was transferred stays, and the next comparison (some kilobytes) finds the rest. Memory is
// bounded, however much is missing.

import { PolyhistorError } from '../../../errors.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Random } from '../../../platform/random.ts'
import type { Admission } from '../captures/admission.ts'
import type { CaptureFetcher, FetchErrand } from '../captures/capture-fetcher.ts'
import type { CaptureSender, GivenOutcome } from '../captures/capture-sender.ts'
import type { CopiesCalls } from '../captures/copies-calls.ts'
import { CopiesError } from '../captures/copies-error.ts'
import type { HeldCaptures } from '../captures/held-captures.ts'
import { Comparison, type ComparisonQuestion } from '../comparison/comparison.ts'
import type { Difference } from '../comparison/difference.ts'
import { saltBytes } from '../comparison/fingerprint.ts'
import { type KeyRange, nextKey } from '../sums/key-range.ts'

type Direction = 'both' | 'give' | 'fetch'

export interface CompareOptions {
  /** What is seen to: what the other lacks, what we lack, or both. */
  direction?: Direction
  signal?: AbortSignal | undefined
  /** Resolves when so many bytes may go, or when it is time to go on after so many. */
  pace?(bytes: number): Promise<void>
  /** So many more differences were seen to. */
  onProgress?(count: number): void
}

export interface CompareReport {
  given: number
  fetched: number
  /** Differences that remain: what is not given there, or is refused. */
  failed: number
  /** What cannot be read here, and so not be given: nobody could read it from us either. */
  unreadable: number
  /** What the other lacks and was not to be given. */
  lacking: number
  /** The other has no room. */
  isFull: boolean
}

/** Questions on their way at once. */
const questionsAtOnce = 8
/** So many entries are given at a time; two such portions at once, so that the other is never idle. */
const portion = 512
const portionsAtOnce = 2
/** Differences are seen to when there are so many, or no more. */
const differencesAtOnce = 1_024

interface Gathered {
  ours: (KeyRange | Uint8Array)[]
  theirs: FetchErrand[]
  /** Of both. */
  count: number
  /** Of ours that are only counted. */
  lacking: number
}

const settled: ReadonlySet<GivenOutcome> = new Set(['kept', 'known', 'taken-down'])

export class Reconciler {
  readonly #held: HeldCaptures
  readonly #calls: CopiesCalls
  readonly #giving: CaptureSender
  readonly #fetching: CaptureFetcher
  readonly #admission: Pick<Admission, 'isAhead'>
  readonly #random: Random

  constructor(needs: {
    held: HeldCaptures
    calls: CopiesCalls
    giving: CaptureSender
    fetching: CaptureFetcher
    admission: Pick<Admission, 'isAhead'>
    random: Random
  }) {
    this.#held = needs.held
    this.#calls = needs.calls
    this.#giving = needs.giving
    this.#fetching = needs.fetching
    this.#admission = needs.admission
    this.#random = needs.random
  }

  /** Throws when the other cannot be reached, or is not to be talked to. */
  async compare(
    peer: PeerId,
    ranges: readonly KeyRange[],
    options: CompareOptions = {},
  ): Promise<CompareReport> {
    const comparison = new Comparison(this.#held.sums, ranges, this.#random.bytes(saltBytes))
    const report: CompareReport = {
      given: 0,
      fetched: 0,
      failed: 0,
      unreadable: 0,
      lacking: 0,
      isFull: false,
    }
    let gathered = nothingGathered()
    while (!comparison.isDone) {
      await this.#askSome(comparison, peer, gathered, options)
      if (gathered.count < differencesAtOnce && !comparison.isDone) continue
      report.lacking += gathered.lacking
      await this.#settle(peer, gathered, report, options)
      options.onProgress?.(gathered.count)
      gathered = nothingGathered()
    }
    return report
  }

  /** Whether it has all that we hold there: what it lacks it is given. */
  async giveAll(
    peer: PeerId,
    range: KeyRange,
    {
      whenGiven = () => {},
      ...options
    }: Omit<CompareOptions, 'direction'> & { whenGiven?(entries: number): void },
  ): Promise<boolean> {
    try {
      const report = await this.compare(peer, [range], { ...options, direction: 'give' })
      whenGiven(report.given)
      return report.failed === 0 && !report.isFull
    } catch (error) {
      if (error instanceof PolyhistorError) return false
      throw error
    }
  }

  async #askSome(
    comparison: Comparison,
    peer: PeerId,
    gathered: Gathered,
    { signal, direction = 'both' }: CompareOptions,
  ): Promise<void> {
    const questions: ComparisonQuestion[] = []
    while (questions.length < questionsAtOnce) {
      const question = comparison.ask()
      if (question === undefined) break
      questions.push(question)
    }
    const answers = await Promise.all(questions.map(({ bytes }) => this.#calls.compare(peer, bytes, signal)))
    for (const [index, question] of questions.entries()) {
      for (const difference of comparison.hear(question, answers[index]!))
        gather(gathered, difference, direction)
    }
  }

  async #settle(
    peer: PeerId,
    { ours, theirs }: Gathered,
    report: CompareReport,
    options: CompareOptions,
  ): Promise<void> {
    const results = await Promise.allSettled([
      this.#give(peer, ours, report, options),
      theirs.length === 0 ? undefined : this.#fetch(peer, theirs, report, options),
    ])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #fetch(
    peer: PeerId,
    errands: readonly FetchErrand[],
    report: CompareReport,
    options: CompareOptions,
  ): Promise<void> {
    const { kept, failed } = await this.#fetching.fetch(peer, errands, options)
    report.fetched += kept
    report.failed += failed
  }

  async #give(
    peer: PeerId,
    ours: Gathered['ours'],
    report: CompareReport,
    options: CompareOptions,
  ): Promise<void> {
    const underWay = new Set<Promise<void>>()
    let failure: unknown
    for (const keys of this.#portions(ours)) {
      const giving = this.#givePortion(peer, keys, report, options)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(giving))
      underWay.add(giving)
      if (underWay.size >= portionsAtOnce) await Promise.race(underWay)
      if (failure !== undefined) break
    }
    await Promise.all(underWay)
    // What it lacks it cannot take; what we lack may still come.
    if (failure instanceof CopiesError && failure.code === 'copies-peer-full') report.isFull = true
    else if (failure !== undefined) throw failure
  }

  async #givePortion(
    peer: PeerId,
    keys: readonly Uint8Array[],
    report: CompareReport,
    options: CompareOptions,
  ): Promise<void> {
    for (const [index, outcome] of (await this.#giving.give(peer, keys, options)).entries()) {
      if (outcome === 'kept') report.given++
      else if (outcome === 'gone') report.unreadable++
      // What is from the future nobody takes, and nobody waits for.
      else if (outcome === 'refused' && this.#admission.isAhead(this.#held.roster.momentOf(keys[index]!)))
        report.unreadable++
      else if (!settled.has(outcome)) report.failed++
    }
  }

  *#portions(ours: Gathered['ours']): Iterable<Uint8Array[]> {
    let keys: Uint8Array[] = []
    for (const item of ours) {
      for (const key of item instanceof Uint8Array ? [item] : this.#keysIn(item)) {
        keys.push(key)
        if (keys.length < portion) continue
        yield keys
        keys = []
      }
    }
    if (keys.length > 0) yield keys
  }

  *#keysIn({ from, to }: KeyRange): Iterable<Uint8Array> {
    for (let start = from; ; ) {
      const entries = [...this.#held.sums.entries({ from: start, to }, portion)]
      for (const { key } of entries) yield key
      if (entries.length < portion) return
      start = nextKey(entries.at(-1)!.key)
    }
  }
}

function nothingGathered(): Gathered {
  return { ours: [], theirs: [], count: 0, lacking: 0 }
}

function gather(gathered: Gathered, difference: Difference, direction: Direction): void {
  const count = countOf(difference)
  const isOurs = difference.kind === 'ours' || difference.kind === 'all-ours'
  if (isOurs && direction === 'fetch') gathered.lacking += count
  if (direction === (isOurs ? 'fetch' : 'give')) return
  gathered.count += count
  switch (difference.kind) {
    case 'ours':
      gathered.ours.push(...difference.entries.map(({ key }) => key))
      return
    case 'all-ours':
      gathered.ours.push(difference.range)
      return
    case 'theirs':
      gathered.theirs.push({ want: { range: difference.range, ids: difference.ids } })
      return
    case 'all-theirs':
      gathered.theirs.push({
        want: { range: difference.range, ids: undefined },
        isHere: () => difference.isHere(),
      })
  }
}

function countOf(difference: Difference): number {
  switch (difference.kind) {
    case 'ours':
      return difference.entries.length
    case 'theirs':
      return difference.ids.length
    default:
      return difference.count
  }
}
