// Site splitting: splits large sites of a network and merges them again, online. Each bound is an announcement, so all peers
// converge on the same bounds, and two owners can split at the same time.
//
// The owner of a place with too many captures proposes a cut, and the other holders confirm it if it is plausible by what they
// hold; the holders of a part that has become small end its bound. Which bounds are in force follows from all votes
// (split-votes.ts). Copies follow by comparison and hand-over, as they do when the ring changes. Everything stays readable
// meanwhile: holders keep a capture until its new holders have it, and readers ask at all places where it may be.

import { PolyhistorError } from '../../errors.ts'
import { type RingKey, ringKeyBytes } from '../../model/ring-key.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import type { RingPlaces } from '../membership/presence/ring-places.ts'
import { boundsToEnd, cutsIn, isPlausibleCut } from '../replication/split-sites/large-parts.ts'
import type { SplitSites } from '../replication/split-sites/split-sites.ts'
import { SplitVotes } from '../replication/split-sites/split-votes.ts'
import type { RangeSums } from '../replication/sums/range-sums.ts'
import { boundOf, boundValue, nameOfBound, splitKind } from './split-announcement.ts'

interface Needs {
  readonly announcements: Announcements
  readonly splits: SplitSites
  readonly sums: RangeSums
  readonly places: Pick<RingPlaces, 'self' | 'ownArcs' | 'fullSet'>
  readonly clock: Clock
  readonly log: Log
}

interface SiteSplittingOptions {
  /** A part of a site with more captures is split. */
  readonly entriesMax: number
  readonly everyMs: number
  /** How many peers hold each part. */
  readonly copies: number
}

const { kind } = splitKind
/** Bounds that others tell of come many at once, and each change has the peer look at all that it keeps. */
const gatherMs = 100
/** Applied in one step, some 10 ms with thousands that are known; the rest a little later. */
const appliedAtOnce = 256
/** So that one lying peer is not enough. */
const votesMin = 2

export class SiteSplitting {
  readonly #needs: Needs
  readonly #options: SiteSplittingOptions
  readonly #stop = new AbortController()
  readonly #unlisten: () => void
  #looking: PeriodicTask | undefined
  readonly #votes: SplitVotes
  #applying: Timer | undefined

  constructor(needs: Needs, options: SiteSplittingOptions) {
    this.#needs = needs
    this.#options = options
    this.#votes = new SplitVotes(Math.min(votesMin, options.copies))
    this.#unlisten = needs.announcements.follow(kind, (announcement) => this.#learn(announcement))
    // What we knew before we were started must be known before anything is moved.
    while (this.#votes.hasChanged) this.#apply()
  }

  start(): void {
    this.#looking = new PeriodicTask(this.#needs, this.#options.everyMs, () => this.#run())
  }

  async close(): Promise<void> {
    this.#unlisten()
    this.#applying?.cancel()
    this.#stop.abort()
    await this.#looking?.close()
  }

  /** Once: what is too large is cut, what has become small is put together. */
  async look(): Promise<void> {
    const { sums, splits, places, log } = this.#needs
    if (!sums.isComplete) return
    const ranges = places.ownArcs().flatMap(({ after, upTo }) => splits.rangesOf(after, upTo))
    const { entriesMax } = this.#options
    await this.#confirm()
    for (const key of cutsIn(sums, splits, ranges, entriesMax)) {
      // Those that we proposed before wait for the others.
      if (this.#isProposedNear(key)) continue
      log.info({ bound: printBound(key) }, 'A site is too large for one place, and is to be split')
      await this.#say(key, false)
    }
    for (const key of boundsToEnd(sums, splits, this.#isHeld, entriesMax)) {
      if (this.#votes.voteOf(places.self, key) === 'gone') continue
      log.info({ bound: printBound(key) }, 'A part of a site has become small, and goes back to the rest')
      await this.#say(key, true)
    }
    this.#apply()
  }

  readonly #isHeld = (place: RingKey): boolean => {
    const { places } = this.#needs
    return places.fullSet(place).includes(places.self)
  }

  /** Says the same as others who propose what is plausible here. */
  async #confirm(): Promise<void> {
    const { sums, splits, places } = this.#needs
    if (!sums.isComplete) return
    const judging = { entriesMax: this.#options.entriesMax, isHeld: this.#isHeld }
    for (const key of this.#votes.proposed()) {
      if (this.#stop.signal.aborted) return
      if (this.#votes.voteOf(places.self, key) === 'here') continue
      if (isPlausibleCut(sums, splits, key, judging)) await this.#say(key, false)
    }
  }

  /** A cut of the same part of the site that we have proposed and that is as good as ever. */
  #isProposedNear(cut: Uint8Array): boolean {
    const { sums, splits, places } = this.#needs
    const judging = { entriesMax: this.#options.entriesMax, isHeld: this.#isHeld }
    const bucket = (key: Uint8Array): string => splits.placeOf(key)
    return this.#votes
      .proposed()
      .some(
        (key) =>
          this.#votes.voteOf(places.self, key) === 'here' &&
          bucket(key) === bucket(cut) &&
          isPlausibleCut(sums, splits, key, judging),
      )
  }

  async #say(key: Uint8Array, isGone: boolean): Promise<void> {
    await this.#needs.announcements.put(kind, nameOfBound(key), boundValue({ isGone }))
  }

  async #run(): Promise<void> {
    try {
      await this.look()
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#needs.log.warn({ err: error }, 'Whether sites are too large could not be told')
    }
  }

  #learn(announcement: Announcement): void {
    this.#votes.record(announcement.peer, boundOf(announcement))
    this.#applyLater()
  }

  #applyLater(): void {
    this.#applying ??= this.#needs.clock.after(gatherMs, () => {
      this.#apply()
      void this.#confirmSoon()
    })
  }

  /** Not waiting for the next look: nothing is split before others have said so. */
  async #confirmSoon(): Promise<void> {
    try {
      await this.#confirm()
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#needs.log.warn({ err: error }, 'A split of a site could not be confirmed')
    }
  }

  #apply(): void {
    this.#applying?.cancel()
    this.#applying = undefined
    this.#needs.splits.set(...this.#votes.takeChanged(appliedAtOnce))
    if (this.#votes.hasChanged) this.#applyLater()
  }
}

/** The URL's SURT, for people. */
function printBound(key: Uint8Array): string {
  return Buffer.from(key.subarray(ringKeyBytes)).toString('utf8')
}
