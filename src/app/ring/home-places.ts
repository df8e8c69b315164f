// The ring places of a home: absent peers are stored, so that they are known after a restart.

import { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { Log } from '../../platform/log.ts'
import type { Platform } from '../platform.ts'
import { MembershipFiles } from './membership-files.ts'
import type { RingPeer } from './ring-peer.ts'

export interface HomePlacesOptions {
  readonly home: string
  readonly copies: number
  /** How long a vanished peer is waited for at least. */
  readonly patienceMs: number
}

/** From the shortest patience to the longest: 12 hours to 14 days. */
const patienceStretch = 28
const rareMs = 3 * 365 * 24 * 3_600_000

export async function openHomePlaces(
  { platform, ring, log }: { platform: Platform; ring: RingPeer; log: Log },
  { home, copies, patienceMs }: HomePlacesOptions,
): Promise<RingPlaces> {
  const files = new MembershipFiles(home, platform)
  let keeping: Promise<void> = Promise.resolve()
  return new RingPlaces(
    {
      ring: ring.ring,
      clock: platform.clock,
      learn: (peer, addresses) => ring.learn(peer, addresses),
      isSpare: () => ring.isSpare,
      keep: (remembered) => {
        keeping = keeping
          .then(() => files.keepPresence(remembered))
          .catch((error) => log.error({ err: error }, 'Who is missed could not be written down'))
      },
    },
    {
      kind: ring.network.kind,
      replicas: copies,
      patience: { patienceMsMin: patienceMs, patienceMsMax: patienceStretch * patienceMs, rareMs },
      remembered: await files.presence(),
    },
  )
}
