// Outlet: what goes from this peer to one member of its sites. One message is under way at a time, with all that has come up
// since the last: so a slow member gets larger messages, and nobody waits for it.
//
// Memory is bounded: a member for whom too much waits gets copies of its sites instead, when it answers again.

import { PolyhistorError } from '../../errors.ts'
import { backOffMs } from '../../model/back-off.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import { jittered, type Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import { Course, type Tenure } from './course.ts'
import type { SiteChanges, SiteFrontier, SiteId } from './site-frontier.ts'
import type { SiteTerms } from './site-terms.ts'
import type { Stage } from './stage.ts'
import {
  bytesOf,
  type JobCard,
  type Parcel,
  type ParcelAnswer,
  parcelAnswers,
  sitesMax,
} from './wire/parcel.ts'
import { siteQuestion } from './wire/questions.ts'

export interface OutletNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly frontier: SiteFrontier
  /** Rejects with a PolyhistorError when the member does not answer. */
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  /** The member has the site up to here. */
  acked(site: SiteId, peer: PeerId, stage: Stage): void
  /** The member says that somebody else is steward, in this epoch: to be confirmed. */
  superseded(site: SiteId, epoch: number, peer: PeerId): void
  /** The member does not know yet that we are steward. */
  unknown(site: SiteId): void
  /** It does not answer: whoever waits for it need not. */
  silent(peer: PeerId): void
  sent(bytes: number): void
}

/** Of entries in a message, about, before they are compressed. */
const messageBytes = 256 * 1024
/** That wait for one member. */
const waitingBytesMax = 16e6
const backOff = { firstMs: 500, longestMs: 8_000 }

export class Outlet {
  readonly #needs: OutletNeeds
  readonly #peer: PeerId
  readonly #terms: SiteTerms
  readonly #courses = new Map<SiteId, Course>()
  readonly #due = new Set<Course>()
  /** Jobs that the member was told of. */
  #told = new Set<string>()
  #timer: Timer | undefined
  #timerMs = 0
  #isSending = false
  #isHurried = false
  /** When the last message went. */
  #sentMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #isClosed = false

  constructor(needs: OutletNeeds, peer: PeerId, terms: SiteTerms) {
    this.#needs = needs
    this.#peer = peer
    this.#terms = terms
  }

  /** It did not answer when it was last asked. */
  get isSilent(): boolean {
    return this.#failures > 0
  }

  get isIdle(): boolean {
    return this.#courses.size === 0
  }

  get waiting(): number {
    return this.#due.size
  }

  course(site: SiteId): Course | undefined {
    return this.#courses.get(site)
  }

  /** The member may have the site as it was at `after`; if not, it gets a copy. */
  begin(site: SiteId, tenure: Tenure, after: Stage): void {
    const course = new Course(site, tenure, after)
    this.#courses.set(site, course)
  }

  end(site: SiteId): void {
    const course = this.#courses.get(site)
    if (course === undefined) return
    this.#courses.delete(site)
    this.#due.delete(course)
  }

  note({ site, stage, entries }: SiteChanges): void {
    const course = this.#courses.get(site)
    if (course === undefined) return
    course.note(stage, entries)
    this.#soon(course)
  }

  /** Something else than entries is new. */
  touch(site: SiteId, tenure: Tenure): void {
    const course = this.#courses.get(site)
    if (course === undefined) return
    course.tenure = tenure
    course.touch()
    this.#soon(course)
  }

  /** Somebody waits for it. */
  hurry(): void {
    if (this.#due.size === 0 || this.isSilent) return
    this.#isHurried = true
    if (!this.#isSending) this.#sendIn(this.#pauseMs())
  }

  /** Somebody waits for it, and will not ask again soon: whatever went just before, it goes at once. */
  rush(): void {
    this.#sentMs = Number.NEGATIVE_INFINITY
    this.hurry()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #soon(course: Course): void {
    this.#due.add(course)
    // One who does not answer is asked again when it is time for that.
    if (!this.#isSending && this.#timer === undefined) this.#sendIn(this.#terms.shipMs)
  }

  /** Or sooner, if that was meant already. */
  #sendIn(delayMs: number): void {
    const { clock } = this.#needs
    const atMs = clock.monotonicMs() + delayMs
    if (this.#isClosed || (this.#timer !== undefined && this.#timerMs <= atMs)) return
    this.#timer?.cancel()
    this.#timerMs = atMs
    this.#timer = clock.after(delayMs, () => {
      this.#timer = undefined
      void this.#send()
    })
  }

  async #send(): Promise<void> {
    if (this.#isSending || this.#isClosed || this.#due.size === 0) return
    this.#isSending = true
    this.#isHurried = false
    this.#sentMs = this.#needs.clock.monotonicMs()
    try {
      await this.#ship(await this.#gather())
      this.#failures = 0
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#failed()
    } finally {
      this.#isSending = false
    }
    if (this.#due.size > 0) this.#sendIn(this.#pauseMs())
  }

  #pauseMs(): number {
    const { random, clock } = this.#needs
    const { shipMs, hurriedMs } = this.#terms
    if (this.#failures === 0) {
      if (this.#hasCopies()) return 0
      return this.#isHurried ? Math.max(0, this.#sentMs + hurriedMs - clock.monotonicMs()) : shipMs
    }
    return jittered(backOffMs(backOff, this.#failures), 0.5, random)
  }

  #hasCopies(): boolean {
    for (const course of this.#due) if (course.isCopying && !course.isPutOff) return true
    return false
  }

  /** Changes first; copies with the room that is left. */
  async #gather(): Promise<Parcel[]> {
    const parcels: Parcel[] = []
    let bytes = 0
    const add = (parcel: Parcel): void => {
      parcels.push(parcel)
      for (const [name, value] of parcel.entries) bytes += name.length + bytesOf(value)
    }
    const hasRoom = (): boolean => bytes < messageBytes && parcels.length < sitesMax
    for (const course of [...this.#due]) {
      if (!hasRoom()) break
      if (!course.isCopying) add(course.changes())
    }
    for (const course of [...this.#due]) {
      if (!hasRoom()) break
      if (!course.isCopying) continue
      const { frontier, random } = this.#needs
      add(await course.part(frontier, newCopyNumber(random), messageBytes))
    }
    return parcels
  }

  async #ship(parcels: Parcel[]): Promise<void> {
    const jobs = this.#jobsOf(parcels)
    const question = siteQuestion.encode({ kind: 'ship', shipment: { jobs, parcels } })
    this.#needs.sent(question.length)
    const answers = parcelAnswers.decode(await this.#needs.ask(this.#peer, question), parcels.length)
    for (const { id } of jobs) this.#told.add(id)
    for (const [index, parcel] of parcels.entries()) this.#answered(parcel, answers[index]!)
  }

  #answered({ site, load }: Parcel, answer: ParcelAnswer): void {
    const course = this.#courses.get(site)
    if (course === undefined) return
    if (answer.kind === 'superseded' || answer.kind === 'later') {
      course.isPutOff = true
      if (answer.kind === 'superseded') this.#needs.superseded(site, answer.epoch, this.#peer)
      else this.#needs.unknown(site)
      return
    }
    course.isPutOff = false
    if (answer.kind === 'behind') {
      this.#told = new Set()
      course.beginCopy()
      return
    }
    course.taken(load)
    if (!course.isDue) this.#due.delete(course)
    if (course.acked !== undefined) this.#needs.acked(site, this.#peer, course.acked)
  }

  /** What the member needs to know of jobs that it was not told of. */
  #jobsOf(parcels: readonly Parcel[]): JobCard[] {
    const { frontier } = this.#needs
    const ids = new Set<string>()
    for (const { entries } of parcels) {
      for (const [name] of entries) {
        const id = frontier.jobIdIn(name)
        if (id !== undefined && !this.#told.has(id)) ids.add(id)
      }
    }
    return [...ids].flatMap((id) => {
      const options = frontier.optionsOfJob(id)
      return options === undefined ? [] : [{ id, options }]
    })
  }

  #failed(): void {
    this.#failures++
    this.#needs.silent(this.#peer)
    let bytes = 0
    for (const course of this.#due) bytes += course.bytes
    if (bytes <= waitingBytesMax) return
    for (const course of this.#due) course.beginCopy()
  }
}
