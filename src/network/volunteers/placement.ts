// Placement: who is near which server, as this peer has seen it, for the choice of who fetches.
//
// Known are only times: this peer's own, and those of volunteers as far as their turn-around bears them out (turn-arounds.ts). They are
// kept for networks, not for single machines (connect-times.ts), and are forgotten with the process. Where nothing was measured, nothing
// is said, and whoever waits for longest is chosen as ever.

import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { ConnectTimes, type TimeEstimate } from './connect-times.ts'
import { type BundleTimes, TurnArounds } from './turn-arounds.ts'
import type { WaitingVolunteer } from './waiting-asks.ts'

/** What speaks against each that could ask a host. */
export interface HostPlacement {
  /** Of this peer itself; undefined: not measured. */
  readonly ownMs: number | undefined
  costMsOf(volunteer: WaitingVolunteer): number
  /** Whether hardly anybody is nearer. */
  isNear(volunteer: WaitingVolunteer): boolean
  /** Whether that is measured. True where nothing is known of the host: then nothing is to be found out either. */
  isSureOf(volunteer: WaitingVolunteer): boolean
}

const hostsMax = 10_000
const ownName = 'this peer'
const nearFactor = 1.5
const nearMs = 20
const doubtedMs = 1_000

export class Placement {
  readonly #times = new ConnectTimes()
  readonly #turnArounds = new TurnArounds()
  /** Where hosts were met last. */
  readonly #addresses = new LruCache<string, string>({ max: hostsMax })

  /** This peer has connected to a host. */
  noteOwn(host: string, address: string, connectMs: number): void {
    this.#addresses.set(host, address)
    this.#times.note(ownName, address, connectMs)
  }

  /** A bundle is back. False: it took longer than the volunteer says. */
  noteBundle(by: WaitingVolunteer, host: string, address: string, times: BundleTimes): boolean {
    const wasDoubted = this.#turnArounds.isDoubted(by.peer)
    const { connectMs, isContradicted } = this.#turnArounds.judge(by.peer, times)
    this.#addresses.set(host, address)
    const name = nameOf(by)
    if (isContradicted && !wasDoubted) this.#times.forget(name)
    if (connectMs !== undefined) this.#times.note(name, address, connectMs)
    // Who says nothing is as near as its answers are fast.
    else if (this.#isSilent(name, address))
      this.#times.note(name, address, times.tookMs / Math.max(1, times.fetches.length))
    return !isContradicted
  }

  /** One that was never measured may be as near as anybody is, unless it was wrong about that before. */
  #guessMsOf({ peer }: WaitingVolunteer): number {
    return this.#turnArounds.isDoubted(peer) ? doubtedMs : this.#times.leastMs
  }

  /** Whether a time is lacking that this peer itself could measure. */
  #isSilent(name: string, address: string): boolean {
    const { of } = this.#times.to(address)
    return of(name) === undefined && of(ownName) !== undefined
  }

  of(host: string): HostPlacement {
    const address = this.#addresses.get(host)
    const times = address === undefined ? undefined : this.#times.to(address)
    const known = new Map<string, TimeEstimate | undefined>()
    const of = (volunteer: WaitingVolunteer) => {
      const name = nameOf(volunteer)
      if (!known.has(name)) known.set(name, times?.of(name))
      return known.get(name)
    }
    const own = times?.of(ownName)
    const msOf = (volunteer: WaitingVolunteer) => of(volunteer)?.ms ?? this.#guessMsOf(volunteer)
    const leastMs = times?.leastMs
    return {
      ownMs: own?.ms,
      costMsOf: (volunteer) => msOf(volunteer) + this.#turnArounds.addedMsOf(volunteer.peer),
      isNear: (volunteer) => leastMs === undefined || msOf(volunteer) <= nearFactor * leastMs + nearMs,
      isSureOf: (volunteer) => own === undefined || (of(volunteer)?.isMeasured ?? false),
    }
  }
}

/** Volunteers of one network are in one place, as far as that is known. */
function nameOf({ peer, prefix }: { readonly peer: PeerId; readonly prefix: string }): string {
  return prefix === '' ? peer : prefix
}
