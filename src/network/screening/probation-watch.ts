// Probation watch: looks after the newcomers that keep a spare copy near this peer, vouches for those that have proved themselves, and
// takes its word back from those that fade.
//
// A newcomer says that it is there; from then on it is challenged in every round of audits, at a moment that it does not know, for what
// lies where its first place would be. It has proved itself when it showed that, `shownMin` times and in `uptimeMin` of all rounds,
// since as long ago as its invitation says. It fades when it fails its audits as a keeper, or is away for longer than it is waited
// for: then it begins anew. Nothing else is told to others than yes or no.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { MemberDirectory } from '../membership/member-directory.ts'
import type { ProbationRecord, ProbationRecords } from './probation-records.ts'
import { type Vouches, vouchersMin } from './vouches.ts'

interface Needs {
  readonly records: ProbationRecords
  readonly members: Pick<MemberDirectory, 'isBarred' | 'isOnProbation' | 'probationMs'>
  readonly scores: { isExcluded(peer: PeerId): boolean }
  readonly places: {
    readonly self: PeerId
    isGone(peer: PeerId): boolean
    fullSet(key: RingKey): readonly PeerId[]
    arcUpTo(place: RingKey): Arc | undefined
  }
  /** Where its first place would be. */
  placeOf(peer: PeerId): RingKey | undefined
  readonly clock: Clock
  readonly log: Log
}

interface Arc {
  readonly after: RingKey
  readonly upTo: RingKey
}

/** Of one newcomer, for people to read. */
export interface ProbationView extends ProbationRecord {
  readonly peer: PeerId
  readonly probationMs: number
  readonly vouchers: number
  readonly vouchersMin: number
}

const lookMs = 60_000
/** So long who gets places may take to be seen on the ring: until then it is missed as it was before, when it has come back to begin anew. */
const joinMsMax = 300_000
export const shownMin = 3
export const uptimeMin = 0.8

export class ProbationWatch {
  readonly #needs: Needs
  readonly #looking: PeriodicTask
  #vouches: Vouches | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    this.#looking = new PeriodicTask(needs, lookMs, () => this.look())
  }

  /** From now on this peer vouches. */
  open(vouches: Vouches): void {
    this.#vouches = vouches
  }

  async close(): Promise<void> {
    await this.#looking.close()
  }

  /** A peer says that it keeps a spare copy. Only who is on probation is looked after. */
  async heard(peer: PeerId): Promise<void> {
    if (this.#needs.members.isOnProbation(peer) && this.#arcOf(peer) !== undefined)
      await this.#needs.records.heard(peer)
  }

  /** Who is to be challenged, and for what lies where. */
  spares(): { peer: PeerId; arc: Arc }[] {
    return this.#needs.records.all().flatMap(([peer]) => {
      const arc = this.#needs.members.isOnProbation(peer) ? this.#arcOf(peer) : undefined
      return arc === undefined ? [] : [{ peer, arc }]
    })
  }

  isSpare(peer: PeerId): boolean {
    return this.#needs.records.of(peer) !== undefined && this.#needs.members.isOnProbation(peer)
  }

  async audited(peer: PeerId, isShown: boolean): Promise<void> {
    await this.#needs.records.asked(peer, isShown)
    await this.look()
  }

  views(): ProbationView[] {
    return this.#needs.records.all().flatMap(([peer, record]) => {
      const probationMs = this.#needs.members.isOnProbation(peer)
        ? this.#needs.members.probationMs(peer)
        : undefined
      const vouchers = this.#vouches?.vouchersOf(peer).length ?? 0
      return probationMs === undefined ? [] : [{ peer, ...record, probationMs, vouchers, vouchersMin }]
    })
  }

  async look(): Promise<void> {
    if (this.#vouches === undefined || this.#needs.members.isBarred(this.#needs.places.self)) return
    try {
      await this.#vouch(this.#vouches)
      await this.#withdraw(this.#vouches)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#needs.log.warn({ err: error }, 'What was seen of newcomers could not be told')
    }
  }

  async #vouch(vouches: Vouches): Promise<void> {
    const { records, scores, log } = this.#needs
    const said = new Set(vouches.own())
    for (const [peer, record] of records.all()) {
      if (said.has(peer) || scores.isExcluded(peer) || !this.#isProven(peer, record)) continue
      await vouches.say(peer, true)
      log.info({ peer }, 'A newcomer has proved itself: this peer vouches for it')
    }
  }

  async #withdraw(vouches: Vouches): Promise<void> {
    const { records, scores, places, log } = this.#needs
    for (const peer of vouches.own()) {
      const isGone = vouches.hasPlaces(peer) && places.isGone(peer) && !this.#isJoining(peer)
      if (!isGone && !scores.isExcluded(peer)) continue
      await records.forget(peer)
      await vouches.say(peer, false)
      log.warn({ peer, isGone }, 'This peer vouches no more for one that has faded')
    }
  }

  #isJoining(peer: PeerId): boolean {
    const heardAtMs = this.#needs.records.of(peer)?.heardAtMs
    return heardAtMs !== undefined && this.#needs.clock.nowMs() - heardAtMs < joinMsMax
  }

  #isProven(peer: PeerId, { sinceMs, asked, shown }: ProbationRecord): boolean {
    const probationMs = this.#needs.members.probationMs(peer)
    if (probationMs === undefined || sinceMs === 0) return false
    const isLongEnough = this.#needs.clock.nowMs() - sinceMs >= probationMs
    return isLongEnough && shown >= shownMin && shown >= uptimeMin * asked
  }

  /** undefined where this peer is none of those that keep what lies there. */
  #arcOf(peer: PeerId): Arc | undefined {
    const { places, placeOf } = this.#needs
    const place = placeOf(peer)
    if (place === undefined || !places.fullSet(place).includes(places.self)) return undefined
    return places.arcUpTo(place)
  }
}
