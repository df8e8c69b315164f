// Content known elsewhere, for a peer with a network: the directory of contents over its ring, its store and its map.
// Others' questions are answered, and the store reads what they keep (content-reader.ts).

import type { RingKey } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import {
  KnownContent,
  type KnownContentOptions,
  type KnownContentStatus,
} from '../../network/content-directory/known-content.ts'
import type { ContentPlaces } from '../../network/content-directory/needs.ts'
import { contentQuestion } from '../../network/content-directory/questions.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { ContentReader } from '../../network/remote-reads/archive/content-reader.ts'
import { ContentView } from '../../network/remote-reads/archive/content-view.ts'
import { NetworkView } from '../../network/remote-reads/network-view.ts'
import { ReadHandler } from '../../network/remote-reads/read-handler.ts'
import type { CallService, CallServices } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Pieces } from '../../platform/network/network.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { urlPrefix } from '../../store/index/capture-key.ts'
import type { Store } from '../../store/store.ts'
import type { ContentsElsewhere } from '../store/store-elsewhere.ts'
import { furtherHolders } from './network-reading.ts'
import { RecentHolders } from './recent-holders.ts'

interface KnownContentParts {
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
  const handler = new ReadHandler({ view: new ContentView(store), clock })
  const service = services.service('content')
  const known = new KnownContent(
    {
      keyValue,
      clock,
      places: contentPlaces(places, holders),
      calls: service,
      own: store.elsewhere,
      needs: store.elsewhere.references,
      read: (from, bytes) => handler.answer(from, bytes),
    },
    options,
  )
  service.answer(known.answer)
  const view = new NetworkView(
    {
      clock,
      calls: readCalls(service, places, handler),
      holders: (key) => holders.of(key),
      further: (key) => furtherHolders(places, key),
      reportWrong: (peer, { cursor }) =>
        log.warn({ peer, digest: cursor }, 'A peer gave wrong bytes of a content'),
    },
    { cacheBytes },
  )
  store.elsewhere.reach(new ContentReader({ known, view, placeOf: (url) => placeOf(places, url) }))
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

/** Questions of the view go by the service for contents; our own are answered here. */
function readCalls(
  service: CallService,
  { self }: RingPlaces,
  handler: ReadHandler,
): Pick<CallService, 'call'> {
  return {
    call: (peer, pieces, options) => {
      const bytes = whole(pieces)
      if (peer === self) return handler.answer(self, bytes)
      return service.call(peer, contentQuestion.encode({ kind: 'read', bytes }), options)
    },
  }
}

function whole(bytes: Pieces): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
}
