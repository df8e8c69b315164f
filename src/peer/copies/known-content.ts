// Content known elsewhere, for a peer with a network: the directory of contents over its ring, its store and its map.
// Others' questions are answered, and the store reads what they keep (content-reader.ts).

import { NetworkShelf } from '../../reading/network-shelf.ts'
import { ShelfDesk } from '../../reading/shelf-desk.ts'
import type { RingKey } from '../../record/ring-key.ts'
import { parseUrl } from '../../record/url.ts'
import {
  KnownContent,
  type KnownContentOptions,
  type KnownContentStatus,
} from '../../replica/known-content/known-content.ts'
import type { ContentPlaces } from '../../replica/known-content/needs.ts'
import { writeContentQuestion } from '../../replica/known-content/questions.ts'
import { urlPrefix } from '../../store/index/capture-key.ts'
import type { Store } from '../../store/store.ts'
import type { ContentsElsewhere } from '../../store-elsewhere.ts'
import type { CallService, CallServices } from '../../world/call-services.ts'
import type { Clock } from '../../world/clock.ts'
import type { KeyValue } from '../../world/key-value.ts'
import type { Log } from '../../world/log.ts'
import type { Pieces } from '../../world/network.ts'
import type { RingPlaces } from '../ring/ring-places.ts'
import { furtherHolders } from '../shelf/network-reading.ts'
import { RecentHolders } from '../shelf/recent-holders.ts'
import { ContentReader } from './content-reader.ts'
import { ContentShelf } from './content-shelf.ts'

export interface KnownContentParts {
  readonly store: Store
  readonly services: CallServices
  readonly places: RingPlaces
  /** `network/contents`. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly log: Log
}

export interface OpenKnownContent extends ContentsElsewhere {
  status(): KnownContentStatus
  close(): Promise<void>
}

/** For contents that were read lately. */
const cacheBytes = 16 * 1024 * 1024

/** Answers others from now on, and lets the store read what they keep. The map is closed by whoever opened it. */
export function openKnownContent(
  needs: KnownContentParts,
  options: Partial<KnownContentOptions> = {},
): OpenKnownContent {
  const { store, services, places, keyValue, clock, log } = needs
  const holders = new RecentHolders({ clock, places })
  const desk = new ShelfDesk({ shelf: new ContentShelf(store), clock })
  const service = services.service('content')
  const known = new KnownContent(
    {
      keyValue,
      clock,
      places: contentPlaces(places, holders),
      calls: service,
      own: store.elsewhere,
      needs: store.elsewhere.references,
      read: (from, bytes) => desk.answer(from, bytes),
    },
    options,
  )
  service.answer(known.answer)
  const shelf = new NetworkShelf(
    {
      clock,
      calls: shelfCalls(service, places, desk),
      holders: (key) => holders.of(key),
      further: (key) => furtherHolders(places, key),
      reportWrong: (peer, { cursor }) =>
        log.warn({ peer, digest: cursor }, 'A peer gave wrong bytes of a content'),
    },
    { cacheBytes },
  )
  store.elsewhere.reach(new ContentReader({ known, shelf, placeOf: (url) => placeOf(places, url) }))
  return {
    find: (content) => known.find(content),
    isSafe: (content) => known.isSafe(content),
    register: (content) => known.register(content),
    status: () => known.status(),
    close: () => {
      store.elsewhere.reach(undefined)
      return known.close()
    },
  }
}

function contentPlaces(places: RingPlaces, holders: RecentHolders): ContentPlaces {
  const { self } = places
  return {
    self,
    isOwner: (key) => places.isOwner(key),
    likelyOwnerOf: (key) => places.owners.likelyOwnerOf(key),
    keepersOf: async (key) => (await holders.of(key)).peers,
    partnersOf: (key) => (places.replicaSet(key) ?? []).filter((peer) => peer !== self),
    isKeeper: (key) => places.fullSet(key).includes(self),
    placeOf: (url) => placeOf(places, url),
    onChange: (listener) => places.onChange(listener),
  }
}

/** Where the captures of a URL lie: large sites lie at several places. */
function placeOf({ splits }: RingPlaces, url: string): RingKey {
  const { ringKey, surt } = parseUrl(url)
  return splits.placeOf(urlPrefix(ringKey, surt))
}

/** Questions of the shelf go by the service for contents; our own are answered here. */
function shelfCalls(service: CallService, { self }: RingPlaces, desk: ShelfDesk): Pick<CallService, 'call'> {
  return {
    call: (peer, pieces, options) => {
      const bytes = whole(pieces)
      if (peer === self) return desk.answer(self, bytes)
      return service.call(peer, writeContentQuestion({ kind: 'read', bytes }), options)
    },
  }
}

function whole(bytes: Pieces): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
}
