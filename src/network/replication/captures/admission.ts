// Admission: which captures that another peer sends are kept here, and as what.
//
// The store checks bytes. Here it is decided whether a capture is plausible by its time and its sender, judged by its own
// records, never by what the sender says of them.
// - No capture is from the future, by what the clocks of the network allow; a crawled one is not older than the web.
// - A capture counts as crawled when it comes from a peer that may have kept its site at that time, by its place on the ring, or
//   that holds the site's lease by our own records. From any other peer it counts as imported by that peer, and is refused while
//   it is fresh: its crawler sends it, too, and a ring that is changing settles soon.
// - The lease holder is trusted that a fresh capture was the first of its second: nobody else crawls the site. All else is
//   second-hand.
// Refusals only delay: the sender keeps its copy and tries again. Signatures are the store's to check (store/capture-signing.ts).

import { PolyhistorError } from '../../../errors.ts'
import { LruCache } from '../../../model/lru-cache.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Admitted, AdmittedCapture } from '../../../store/copying/copying.ts'
import { CopiesError } from './copies-error.ts'
import { type CopyPlaces, placeOf } from './places.ts'

export interface AdmissionOptions {
  /** By so much a capture's time may be ahead of our clock. */
  aheadMsMax: number
  /** Crawled captures are not older. */
  earliestMs: number
  /** Who holds a site's lease, and could not keep the site by its place, brings captures that are not older. */
  leaseMsMax: number
  /** Only those who may keep a site bring captures of it that are not older. */
  freshMs: number
}

const [minuteMs, dayMs] = [60_000, 86_400_000]

const admissionDefault: AdmissionOptions = {
  aheadMsMax: 10 * minuteMs,
  // The first proposal of the web.
  earliestMs: Date.UTC(1989, 2, 12),
  leaseMsMax: 7 * dayMs,
  freshMs: 60 * minuteMs,
}

export interface AdmissionNeeds {
  places: CopyPlaces
  clock: Clock
  /** Whether the peer holds the site's lease, or decides who does, by what we know as a member. */
  hasLease?(peer: PeerId, site: RingKey): boolean
  /** Whether the peer holds the site's lease now, by what we know as a member: nobody else crawls it. */
  crawls?(peer: PeerId, site: RingKey): boolean
  /** How far the clocks of most neighbours are ahead of ours. */
  clockOffsetMs?(): number
}

/** A wrong clock of ours is made up for so far; beyond that its owner is told, and has to set it. */
const offsetMsMax = dayMs
const foundMs = 10_000
const foundMax = 1_024
/** For one message of a sender. */
const lookupsMax = 64

/** Throws when it is not to be kept. `isFirst`: whoever sends it says that it was the first of its second. */
export type Admit = (capture: AdmittedCapture, isFirst: boolean) => Admitted

export class Admission {
  readonly #needs: AdmissionNeeds
  readonly #options: AdmissionOptions
  /** By site: whom the ring named when it was asked. */
  readonly #found = new LruCache<string, { peers: readonly PeerId[]; atMs: number }>({ max: foundMax })
  #refused = 0

  constructor(needs: AdmissionNeeds, options: Partial<AdmissionOptions> = {}) {
    this.#needs = needs
    this.#options = { ...admissionDefault, ...options }
  }

  /** Captures refused so far. */
  get refused(): number {
    return this.#refused
  }

  /** For what we fetch from a peer that is to keep it: only the time is judged. */
  readonly fetched: Admit = (capture) =>
    this.#counted(() => ({ importedBy: this.#checkTime(capture), heardAtMs: this.#needs.clock.nowMs() }))

  /** For what a peer gives. Those are refused that it may not keep as far as we know. */
  givenBy(sender: PeerId): Admit {
    return (capture, isFirst) =>
      this.#counted(() => {
        const importedBy = this.#checkTime(capture)
        if (importedBy !== sender && !this.#mayBring(sender, capture))
          throw refusal(`${sender} is none of those that may bring captures of this site.`)
        return { importedBy, heardAtMs: this.#heardAtMs(sender, capture, isFirst) }
      })
  }

  /** For what was refused, after the ring was asked about it (`ask`). */
  broughtBy(sender: PeerId): Admit {
    return (capture, isFirst) => {
      const importedBy = this.#checkTime(capture)
      const heardAtMs = this.#heardAtMs(sender, capture, isFirst)
      if (this.#mayBring(sender, capture)) return { importedBy, heardAtMs }
      if (this.#isFresh(capture) || !this.#isFoundLately(capture.ringKey))
        throw refusal(`${sender} is none of those that may bring captures of this site.`)
      return { importedBy: sender, heardAtMs }
    }
  }

  /** Whether a capture with this time is refused everywhere: no use to offer it. */
  isAhead(capturedAtMs: number): boolean {
    return capturedAtMs > this.#latestMs
  }

  /** Asks the ring who keeps the sites of these captures: our view of it may be old, or end before there. */
  async ask(keys: readonly Uint8Array[]): Promise<void> {
    const sites = new Set(keys.map((key) => ringKeyFromBytes(key.subarray(0, ringKeyBytes))))
    const unknown = [...sites].filter((site) => !this.#isFoundLately(site)).slice(0, lookupsMax)
    await Promise.all(unknown.map((site) => this.#find(site)))
  }

  get #latestMs(): number {
    const { clock, clockOffsetMs } = this.#needs
    const offsetMs = Math.min(offsetMsMax, Math.max(0, clockOffsetMs?.() ?? 0))
    return clock.nowMs() + offsetMs + this.#options.aheadMsMax
  }

  #heardAtMs(sender: PeerId, capture: AdmittedCapture, isFirst: boolean): number | undefined {
    const isFirstHand = isFirst && this.#isFresh(capture) && this.#needs.crawls?.(sender, capture.ringKey)
    return isFirstHand ? undefined : this.#needs.clock.nowMs()
  }

  #isFresh({ capturedAtMs }: AdmittedCapture): boolean {
    return capturedAtMs > this.#needs.clock.nowMs() - this.#options.freshMs
  }

  #counted(judge: () => Admitted): Admitted {
    try {
      return judge()
    } catch (error) {
      this.#refused++
      throw error
    }
  }

  #checkTime({ capturedAtMs, importedBy }: AdmittedCapture): string | undefined {
    if (capturedAtMs > this.#latestMs) throw refusal('It says that it was captured in the future.')
    if (importedBy === undefined && capturedAtMs < this.#options.earliestMs)
      throw refusal('It says that it was crawled before there was a web.')
    return importedBy
  }

  #mayBring(sender: PeerId, { ringKey, surt, capturedAtMs }: AdmittedCapture): boolean {
    const key = Buffer.concat([ringKeyToBytes(ringKey), Buffer.from(surt)])
    if (this.#keeps(sender, ringKey, key, capturedAtMs)) return true
    if (this.#isFoundLately(ringKey) && this.#found.get(ringKey)!.peers.includes(sender)) return true
    const isRecent = capturedAtMs >= this.#needs.clock.nowMs() - this.#options.leaseMsMax
    return isRecent && (this.#needs.hasLease?.(sender, ringKey) ?? false)
  }

  /** By its place. Where a site is split, what is at one of its places now may have been at any other before. */
  #keeps(sender: PeerId, site: RingKey, key: Uint8Array, atMs: number): boolean {
    const { places } = this.#needs
    if (places.mayHaveKept(sender, site, atMs)) return true
    if (!places.splits?.isSplitWithin(site, site)) return false
    const parts = [placeOf(places, key), ...places.splits.placesNear(site, 1)]
    return parts.some((place) => places.mayHaveKept(sender, place, atMs))
  }

  #isFoundLately(site: RingKey): boolean {
    const found = this.#found.get(site)
    return found !== undefined && this.#needs.clock.monotonicMs() - found.atMs < foundMs
  }

  async #find(site: RingKey): Promise<void> {
    const { places, clock } = this.#needs
    try {
      const peers = (await places.lookup(site)).replicas.map(({ peer }) => peer)
      this.#found.set(site, { peers, atMs: clock.monotonicMs() })
    } catch (error) {
      // Nobody is found now: the sender tries again.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }
}

function refusal(message: string): PolyhistorError {
  return new CopiesError('copies-not-plausible', message)
}
