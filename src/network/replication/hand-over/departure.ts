// Departure: a peer that leaves for good hands over everything it holds to the peers that will keep it.
//
// Other peers keep sending us copies meanwhile, and count on them. So passes are repeated until few captures are new; then we
// accept nothing more, do not answer what we have, and hand over the rest. So no copy is counted that leaves with us: every
// answer that we gave concerns a capture that the last pass saw. Of two peers that leave at the same time, the one whose last
// pass begins later does not find the other, and counts on those that stay. A peer counts as having our copies only when it has
// proved it (possession.ts). That takes long, so what was proved in an earlier pass, and has not changed since, is not proved
// again in the last one.

import type { PeerId } from '../../../platform/network/network.ts'
import { stretchesOf } from '../anti-entropy/stretches.ts'
import type { Admission } from '../captures/admission.ts'
import { CopiesError } from '../captures/copies-error.ts'
import { allKeys, type KeyRange, nextKey } from '../sums/key-range.ts'
import type { Tally } from '../sums/tally.ts'
import { DepartureProgress, type HandOverProgress } from './departure-progress.ts'
import type { HandOverNeeds } from './hand-over.ts'
import { HandOverTargets } from './hand-over-targets.ts'

interface DepartureOptions {
  /** How many copies there are to be: r. */
  copies: number
  /** How many peers must have a capture before it counts as kept. */
  copiesMin: number
}

/** What makes others count on us. */
interface Standing {
  /** No more. Resolves when what was promised before is kept here. */
  withdraw(): Promise<void>
  resume(): void
}

interface Needs
  extends Pick<
    HandOverNeeds,
    'held' | 'places' | 'reconciler' | 'promises' | 'possession' | 'clock' | 'pace'
  > {
  admission: Pick<Admission, 'isAhead'>
  standings: readonly Standing[]
  /** How many peers take part, ourselves included; undefined while that is not known. */
  participants(): number | undefined
}

/** Handed over in one go, at most; a step that was cut off is compared again. */
const stepEntriesMax = 4_096
/** The last pass begins when a pass had to send no more than this. */
const fewEntries = 1_024
const passesMax = 8
/** A ring that just lost a peer has a gap for some seconds, in which lookups fail: retry instead of failing the departure. */
const triesMax = 4
const pauseMs = 10_000
const alone =
  '. No other peer answers, and none has said that it is gone: of each that will not come back say so, by polyhistor network forget PEER'

export class Departure {
  readonly #needs: Needs
  readonly #options: DepartureOptions
  /** By peer and step: what was there when all of it was shown. */
  readonly #shown = new Map<string, Tally>()

  constructor(needs: Needs, options: DepartureOptions) {
    this.#needs = needs
    this.#options = options
  }

  /** Resolves when other peers have everything, and none counts on us any more. When it rejects, nothing has changed. */
  async handOverAll(signal: AbortSignal, tell: (progress: HandOverProgress) => void): Promise<void> {
    const progress = new DepartureProgress(tell)
    for (let triesLeft = triesMax; ; ) {
      try {
        return await this.#handOver(progress, signal)
      } catch (error) {
        this.stay()
        if (!(error instanceof CopiesError) || --triesLeft === 0) throw error
        await this.#needs.clock.sleep(pauseMs, signal)
      }
    }
  }

  async #handOver(progress: DepartureProgress, signal: AbortSignal): Promise<void> {
    this.#shown.clear()
    // Nobody drops a copy because we have one.
    await this.#needs.promises.withhold(signal)
    for (let pass = 0; pass < passesMax; pass++) {
      progress.begin(this.#count)
      if ((await this.#pass(progress, signal)) <= fewEntries) break
    }
    await Promise.all(this.#needs.standings.map((standing) => standing.withdraw()))
    progress.begin(this.#count)
    await this.#pass(progress, signal)
  }

  /** We stay after all. */
  stay(): void {
    this.#needs.promises.resume()
    for (const standing of this.#needs.standings) standing.resume()
  }

  get #count(): number {
    return this.#needs.held.sums.sumOf(allKeys).count
  }

  /** How many entries were given, each to anybody. */
  async #pass(progress: DepartureProgress, signal: AbortSignal): Promise<number> {
    const { places } = this.#needs
    let [given, lacking] = [0, 0]
    const whenSent = (peer: PeerId, entries: number, bytes: number): void => {
      given += entries
      progress.sent(peer, entries, bytes)
    }
    for await (const { range, found } of stretchesOf(this.#needs, signal)) {
      const handOverTargets = found && new HandOverTargets(places, found)
      // A peer that failed once is not waited for at every step.
      const failed = new Set<PeerId>()
      for (const { step, count } of this.#steps(range)) {
        const have =
          handOverTargets === undefined
            ? 0
            : await this.#give(step, handOverTargets, { failed, signal, whenSent })
        if (have < this.#wanted) lacking += count
        progress.seenTo(count)
      }
    }
    if (lacking > 0)
      throw new CopiesError(
        'copies-too-few',
        `${lacking} of ${progress.entries} entries that are here could not be given to enough others${this.#isLeftAlone ? alone : ''}`,
      )
    return given
  }

  /** To how many: to as many as there are to be copies, if there are so many. */
  async #give(
    step: KeyRange,
    handOverTargets: HandOverTargets,
    {
      failed,
      signal,
      whenSent,
    }: {
      failed: Set<PeerId>
      signal: AbortSignal
      whenSent(peer: PeerId, entries: number, bytes: number): void
    },
  ): Promise<number> {
    const { reconciler } = this.#needs
    let have = 0
    for await (const peer of handOverTargets.all()) {
      if (failed.has(peer)) continue
      const isGiven = await reconciler.giveAll(peer, step, {
        signal,
        pace: (bytes) => {
          whenSent(peer, 0, bytes)
          return this.#needs.pace(bytes)
        },
        whenGiven: (entries) => whenSent(peer, entries, 0),
      })
      signal.throwIfAborted()
      if (!isGiven || !(await this.#isProven(peer, step, signal))) failed.add(peer)
      else if (++have === this.#options.copies) break
    }
    return have
  }

  /** Whether it has shown all of the step that can be read here, now or in an earlier pass. */
  async #isProven(peer: PeerId, step: KeyRange, signal: AbortSignal): Promise<boolean> {
    const { held, possession, admission } = this.#needs
    const name = `${peer} ${textOf(step.from)} ${step.to === undefined ? '' : textOf(step.to)}`
    const tally = held.sums.sumOf(step)
    const shown = this.#shown.get(name)
    if (shown?.equals(tally)) return true
    const keys = [...held.sums.entries(step)].map(({ key }) => key)
    const wanted = keys.filter((key) => !admission.isAhead(held.roster.momentOf(key)))
    const areProven = await possession.areProven([peer], wanted, signal)
    if (areProven.includes(false)) return false
    this.#shown.set(name, tally)
    return true
  }

  /** However long all others have been missed: we cannot tell whether they are gone, or we are cut off. */
  get #isLeftAlone(): boolean {
    const { places } = this.#needs
    return places.peers().length === 0 && places.missed().length > 0
  }

  /** How many must have what we leave behind: all that are to, of those who are there. Those who are only away count, too: who is
   * cut off from all others must not go as if there were none. */
  get #wanted(): number {
    const { places, participants } = this.#needs
    const { copies, copiesMin } = this.#options
    const there = Math.min(copies, places.peers().length)
    const others = Math.max(places.members().length, (participants() ?? copiesMin + 1) - 1)
    return Math.max(there, Math.min(copiesMin, others), this.#isLeftAlone ? 1 : 0)
  }

  /** They end at entries whose ids end in ten zero bits: so what comes between passes changes one step and no others. */
  *#steps({ from, to }: KeyRange): Iterable<{ step: KeyRange; count: number }> {
    const { sums } = this.#needs.held
    for (let start = from; ; ) {
      const entries = [...sums.entries({ from: start, to }, stepEntriesMax)]
      if (entries.length === 0) return
      const last = entries.findIndex(({ id }) => id.at(-1) === 0 && (id.at(-2)! & 3) === 0)
      const count = last < 0 ? entries.length : last + 1
      const isAll = count === entries.length && entries.length < stepEntriesMax
      const end = isAll ? to : nextKey(entries[count - 1]!.key)
      yield { step: { from: start, to: end }, count }
      if (isAll || end === undefined) return
      start = end
    }
  }
}

function textOf(bound: Uint8Array): string {
  return Buffer.from(bound).toString('base64')
}
