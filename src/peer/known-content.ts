// Content known elsewhere, for a peer with a network: the directory of contents over its ring, its store and its map.
//
// What is read of others comes by digest from those who keep the site that it was first seen with: as the directory says, or, when
// that does not know, as the capture's own record says.

import { PolyhistorError } from '../errors.ts'
import { NetworkShelf } from '../reading/network-shelf.ts'
import { ReadingError } from '../reading/reading-error.ts'
import type { LocalShelf, Reading, ShelfCapture } from '../reading/shelf.ts'
import { ShelfDesk } from '../reading/shelf-desk.ts'
import { type Digest, digestHex, parseDigest } from '../record/digest.ts'
import type { RingKey } from '../record/ring-key.ts'
import { parseUrl, tryParseUrl } from '../record/url.ts'
import {
  KnownContent,
  type KnownContentOptions,
  type KnownContentStatus,
} from '../replica/known-content/known-content.ts'
import { KnownContentError } from '../replica/known-content/known-content-error.ts'
import type { ContentPlaces } from '../replica/known-content/needs.ts'
import { writeContentQuestion } from '../replica/known-content/questions.ts'
import type { Store } from '../store/store.ts'
import type { ContentsElsewhere } from '../store-archive.ts'
import type { CallService, CallServices } from '../world/call-services.ts'
import type { Clock } from '../world/clock.ts'
import type { KeyValue } from '../world/key-value.ts'
import type { Log } from '../world/log.ts'
import type { Pieces } from '../world/network.ts'
import { RecentHolders } from './recent-holders.ts'
import type { RingPlaces } from './ring-places.ts'

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
      further: (key) => places.fullSet(key),
      reportWrong: (peer, { cursor }) =>
        log.warn({ peer, digest: cursor }, 'A peer gave wrong bytes of a content'),
    },
    { cacheBytes },
  )
  const reader = new ContentReader({ known, shelf })
  store.elsewhere.reach({ content: (...wanted) => reader.content(...wanted) })
  return {
    find: (content) => known.find(content),
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
    placeOf: (url) => parseUrl(url).ringKey,
    onChange: (listener) => places.onChange(listener),
  }
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

/** The store's contents, by digest. Only what is here: nobody is sent on. */
class ContentShelf implements LocalShelf {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): [] {
    return []
  }

  isComplete(): boolean {
    return false
  }

  async records(): Promise<never> {
    throw new ReadingError('reading-unavailable', 'Contents have no records')
  }

  async read(cursor: string): Promise<Reading> {
    const digest = parseDigest(`sha256:${cursor}`)
    if (!this.#store.elsewhere.has(digest))
      throw new ReadingError('reading-unavailable', 'That content is not kept here')
    return { head: undefined, sizeBytes: 0, payload: () => this.#store.get({ digest, overflow: 0 }) }
  }
}

class ContentReader {
  readonly #known: KnownContent
  readonly #shelf: NetworkShelf

  constructor(needs: { known: KnownContent; shelf: NetworkShelf }) {
    this.#known = needs.known
    this.#shelf = needs.shelf
  }

  /** undefined when those who should have it say that they have not. */
  async content(
    digest: Digest,
    sizeBytes: number,
    refersTo: string | undefined,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const listed = await this.#listed(digest)
    const urls = new Set(
      [listed.url, refersTo].filter((url) => url !== undefined && tryParseUrl(url) !== null),
    )
    let failure = listed.failure
    for (const url of urls) {
      try {
        return (await this.#shelf.read(contentAsCapture(url!, digest, sizeBytes))).payload()
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        failure ??= error
      }
    }
    const places = [...urls].map((url) => ({ digest, place: tryParseUrl(url!)!.ringKey as RingKey }))
    const safeties = await this.#known.check(places)
    if (listed.failure === undefined && safeties.every((safety) => safety === 'lost')) return undefined
    throw new KnownContentError('content-unreachable', 'those who should have it could not be asked', failure)
  }

  async #listed(digest: Digest): Promise<{ url?: string | undefined; failure?: PolyhistorError }> {
    try {
      return { url: (await this.#known.whereIs(digest))?.url }
    } catch (error) {
      if (error instanceof PolyhistorError) return { failure: error }
      throw error
    }
  }
}

/** The shelf reads captures: this one is nothing but its payload. */
function contentAsCapture(url: string, digest: Digest, payloadBytes: number): ShelfCapture {
  const name = digestHex(digest)
  return {
    url,
    surt: '',
    capturedAtMs: 0,
    status: 0,
    mime: '',
    kind: 'plain',
    content: { digest, overflow: 0 },
    payloadBytes,
    storedBytes: 0,
    recordId: name,
    cursor: name,
  }
}
