// Screening of newcomers, wired: what this peer says of those who keep a spare copy near it, and, while it is on probation itself, its word
// to those who are to challenge it. See network/screening/.

import { PolyhistorError } from '../../errors.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { isAtLeast } from '../../network/membership/role.ts'
import type { ProbationWatch } from '../../network/screening/probation-watch.ts'
import { type Vouches, vouchersMin } from '../../network/screening/vouches.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { RingPeer } from '../ring/ring-peer.ts'

interface Needs {
  readonly ring: RingPeer
  readonly places: Pick<RingPlaces, 'lookup'>
  readonly vouches: Vouches
  readonly watch: ProbationWatch
  /** Tells a peer that we keep a spare copy. */
  tellSpare(peer: PeerId): Promise<void>
  /** Whether this peer has places has changed; it had them before, or gets them now. */
  whenPlacesChange(hasPlaces: boolean): void
  readonly clock: Clock
  readonly log: Log
}

export interface OpenScreening {
  /** What its owner should know of a peer on probation; undefined for one that has places. */
  sentence(): string | undefined
  close(): Promise<void>
}

const tellMs = 300_000
const tellFirstMs = 15_000

export function openScreening(needs: Needs): OpenScreening {
  const { ring, vouches, watch, clock, log } = needs
  const self = ring.peer
  watch.open(vouches)
  let hasPlaces = !ring.isSpare
  const unlisten = vouches.onChange(() => {
    if (!ring.isSpare === hasPlaces) return
    hasPlaces = !ring.isSpare
    log.info({}, hasPlaces ? 'This peer has proved itself, and gets its places' : 'This peer is on probation')
    needs.whenPlacesChange(hasPlaces)
  })
  let foundAtMs = clock.monotonicMs()
  const telling = new PeriodicTask(
    needs,
    tellMs,
    async () => {
      const probationMs = ring.members.probationMs(self)
      if (vouches.isSuspended && isAnyTrustedThere(ring)) vouches.suspend(false)
      if (probationMs === undefined || vouches.isSuspended || !ring.isSpare) return
      const found = await tellKeepers(needs)
      if (found) foundAtMs = clock.monotonicMs()
      // Nobody who has places is left.
      else if (clock.monotonicMs() - foundAtMs > probationMs) vouches.suspend(true)
    },
    { firstMs: tellFirstMs },
  )
  return {
    sentence: () =>
      ring.isSpare
        ? `This peer is on probation: it keeps a spare copy and has no place on the ring. ${vouches.vouchersOf(self).length} of ${vouchersMin} members vouch for it so far.`
        : undefined,
    close: async () => {
      unlisten()
      await telling.close()
    },
  }
}

/** One who was never on probation is connected: the network is not abandoned. */
function isAnyTrustedThere(ring: RingPeer): boolean {
  const { members } = ring
  return members.peers().some((peer) => {
    const isTrusted = peer !== ring.peer && members.probationMs(peer) === undefined
    return isTrusted && isAtLeast(members.roleOf(peer), 'member') && ring.addressOf(peer) !== undefined
  })
}

/** Those who keep what lies where our first place would be. False when nobody of them answers. */
async function tellKeepers({ ring, places, tellSpare }: Needs): Promise<boolean> {
  const place = ring.firstPlaceOf(ring.peer)
  if (place === undefined) return false
  try {
    const { replicas } = await places.lookup(place)
    const told = await Promise.allSettled(replicas.map(({ peer }) => tellSpare(peer)))
    return told.some(({ status }) => status === 'fulfilled')
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return false
  }
}
