// Replication stream: ships the changes of our sites to one member. One message is under way at a time, with all changes since
// the last: so a slow member gets larger messages, and nobody waits for it.
//
// Memory is bounded: a member that falls too far behind gets full copies of its sites instead, when it answers again.

import { PolyhistorError } from '../../errors.ts'
import { backOffMs } from '../../model/back-off.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { jittered, type Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import type { LogPosition } from './log-position.ts'
import type { SiteChanges, SiteFrontier, SiteId } from './site-frontier.ts'
import { SiteProgress, type Tenure } from './site-progress.ts'
import type { SiteTerms } from './site-terms.ts'
import { siteQuestion } from './wire/questions.ts'
import {
  bytesOf,
  type JobDefinition,
  type SiteBatch,
  type SiteBatchAnswer,
  siteBatchAnswers,
  sitesMax,
} from './wire/site-batch.ts'

export interface ReplicationStreamNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly frontier: SiteFrontier
  /** Rejects with a PolyhistorError when the member does not answer. */
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  /** The member has the site up to here. */
  onAck(site: SiteId, peer: PeerId, position: LogPosition): void
  /** The member says that another peer holds the lease of this epoch: to be confirmed. */
  onSuperseded(site: SiteId, epoch: number, peer: PeerId): void
  /** The member does not know yet that we hold the lease. */
  onUnknownLease(site: SiteId): void
  /** It does not answer: nobody needs to wait for it. */
  onSilent(peer: PeerId): void
  onSent(bytes: number): void
}

/** Entries per message before compression, about. */
const messageBytes = 256 * 1024
/** Changes waiting for one member. */
const waitingBytesMax = 16e6
const backOff = { firstMs: 500, longestMs: 8_000 }

export class ReplicationStream {
  readonly #needs: ReplicationStreamNeeds
  readonly #peer: PeerId
  readonly #terms: SiteTerms
  readonly #courses = new Map<SiteId, SiteProgress>()
  readonly #due = new Set<SiteProgress>()
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

  constructor(needs: ReplicationStreamNeeds, peer: PeerId, terms: SiteTerms) {
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

  progressOf(site: SiteId): SiteProgress | undefined {
    return this.#courses.get(site)
  }

  /** The member may have the site as it was at `after`; if not, it gets a copy. */
  begin(site: SiteId, tenure: Tenure, after: LogPosition): void {
    const progress = new SiteProgress(site, tenure, after)
    this.#courses.set(site, progress)
  }

  end(site: SiteId): void {
    const progress = this.#courses.get(site)
    if (progress === undefined) return
    this.#courses.delete(site)
    this.#due.delete(progress)
  }

  note({ site, position, entries }: SiteChanges): void {
    const progress = this.#courses.get(site)
    if (progress === undefined) return
    progress.note(position, entries)
    this.#soon(progress)
  }

  /** Something other than entries has changed. */
  touch(site: SiteId, tenure: Tenure): void {
    const progress = this.#courses.get(site)
    if (progress === undefined) return
    progress.tenure = tenure
    progress.touch()
    this.#soon(progress)
  }

  /** Somebody waits for it. */
  flushSoon(): void {
    if (this.#due.size === 0 || this.isSilent) return
    this.#isHurried = true
    if (!this.#isSending) this.#sendIn(this.#pauseMs())
  }

  /** Sends at once, however short ago the last message went: the caller waits for it. */
  flushNow(): void {
    this.#sentMs = Number.NEGATIVE_INFINITY
    this.flushSoon()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #soon(progress: SiteProgress): void {
    this.#due.add(progress)
    // A silent member is retried at its own time.
    if (!this.#isSending && this.#timer === undefined) this.#sendIn(this.#terms.shipMs)
  }

  /** Unless an earlier send is scheduled. */
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
    for (const progress of this.#due) if (progress.isCopying && !progress.isPutOff) return true
    return false
  }

  /** Changes first; copies with the room that is left. */
  async #gather(): Promise<SiteBatch[]> {
    const batches: SiteBatch[] = []
    let bytes = 0
    const add = (siteBatch: SiteBatch): void => {
      batches.push(siteBatch)
      for (const [name, value] of siteBatch.entries) bytes += name.length + bytesOf(value)
    }
    const hasRoom = (): boolean => bytes < messageBytes && batches.length < sitesMax
    for (const progress of [...this.#due]) {
      if (!hasRoom()) break
      if (!progress.isCopying) add(progress.changes())
    }
    for (const progress of [...this.#due]) {
      if (!hasRoom()) break
      if (!progress.isCopying) continue
      const { frontier, random } = this.#needs
      add(await progress.part(frontier, newCopyNumber(random), messageBytes))
    }
    return batches
  }

  async #ship(batches: SiteBatch[]): Promise<void> {
    const jobs = this.#jobsOf(batches)
    const question = siteQuestion.encode({ kind: 'ship', shipment: { jobs, batches } })
    this.#needs.onSent(question.length)
    const answers = siteBatchAnswers.decode(await this.#needs.ask(this.#peer, question), batches.length)
    for (const { id } of jobs) this.#told.add(id)
    for (const [index, siteBatch] of batches.entries()) this.#answered(siteBatch, answers[index]!)
  }

  #answered({ site, load }: SiteBatch, answer: SiteBatchAnswer): void {
    const progress = this.#courses.get(site)
    if (progress === undefined) return
    if (answer.kind === 'superseded' || answer.kind === 'later') {
      progress.isPutOff = true
      if (answer.kind === 'superseded') this.#needs.onSuperseded(site, answer.epoch, this.#peer)
      else this.#needs.onUnknownLease(site)
      return
    }
    progress.isPutOff = false
    if (answer.kind === 'behind') {
      this.#told = new Set()
      progress.beginCopy()
      return
    }
    progress.acknowledge(load)
    if (!progress.isDue) this.#due.delete(progress)
    if (progress.acked !== undefined) this.#needs.onAck(site, this.#peer, progress.acked)
  }

  /** Definitions of jobs that the member does not know yet. */
  #jobsOf(batches: readonly SiteBatch[]): JobDefinition[] {
    const { frontier } = this.#needs
    const ids = new Set<string>()
    for (const { entries } of batches) {
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
    this.#needs.onSilent(this.#peer)
    let bytes = 0
    for (const progress of this.#due) bytes += progress.bytes
    if (bytes <= waitingBytesMax) return
    for (const progress of this.#due) progress.beginCopy()
  }
}
