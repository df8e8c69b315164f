// Even places of a home's peer, wired to ring, copies and calls; see network/even-places/.

import { EvenPlaces, type PlacesView } from '../../network/even-places/even-places.ts'
import { HeldBytes } from '../../network/even-places/held-bytes.ts'
import { type PlaceTerms, placeTermsDefault } from '../../network/even-places/place-terms.ts'
import { Rest } from '../../network/even-places/rest.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import type { Platform } from '../platform.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { OpenCaptureCopies } from './capture-copies.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'random'>
  readonly store: Store
  readonly ring: RingPeer
  readonly places: RingPlaces
  readonly copies: OpenCaptureCopies
  readonly log: Log
  isShortOfRoom(): boolean
}

export interface OpenEvenPlaces {
  readonly view: PlacesView
  close(): Promise<void>
}

/** Answers others from now on. `terms`: undefined for a peer that keeps the places it has. */
export function openEvenPlaces(
  { platform, store, ring, places, copies, log, isShortOfRoom }: Needs,
  { replicas, terms }: { readonly replicas: number; readonly terms: Partial<PlaceTerms> | undefined },
): OpenEvenPlaces {
  const { clock, random } = platform
  const { taken } = ring
  const { self } = places
  const sizeOf = (key: Uint8Array): number | undefined => {
    const cursor = store.roster.cursorOf(key)
    return cursor === undefined ? undefined : store.offer(cursor, { mayBeHidden: true })?.sizeBytes
  }
  const held = new HeldBytes({ places, sums: copies.sums, clock, sizeOf })
  const rest = new Rest(
    {
      ...{ self, clock, replicas, places },
      placesTaken: () => taken.indexes.length,
      lacking: () => copies.status().lacking,
      covers: (arc) => copies.covers(arc),
    },
    terms?.calmMs ?? placeTermsDefault.calmMs,
  )
  const evenPlaces = new EvenPlaces(
    {
      ...{ self, clock, random, log, taken, replicas, isShortOfRoom },
      calls: ring.services.service('places'),
      placeAt: (index) => ring.ring.placeAt(index),
      positions: () => places.positions(),
      isSettled: () => rest.isSettled(),
      heldBytes: (after, upTo) => held.on(after, upTo),
      handOver: (peer, arc, signal) => copies.handOverArc(peer, arc, signal),
    },
    terms,
  )
  // In open networks places come from addresses, and only who stands at one can prove that.
  if (terms !== undefined && ring.network.kind === 'invited') evenPlaces.start()
  return {
    get view() {
      return evenPlaces.view
    },
    close: async () => {
      await evenPlaces.close()
      rest.close()
    },
  }
}
