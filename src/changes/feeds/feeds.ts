// Feeds: the last changes of a page, of the pages below an address, of a site, or of what a watch saw, as Atom.
//
// Of a page they come from its versions in the archive; of prefixes and sites from what the feed book has of the stream, which is
// filled from the log of the last days when a site is first asked for. Bounded: so many entries on a page, so many pages.

import { type AtomEntry, type AtomLink, printAtom } from '../../formats/atom/atom-feed.ts'
import type { ArchivedCapture, CaptureIndex } from '../../model/archive.ts'
import { digestHex, digestOf } from '../../model/digest.ts'
import { firstOf } from '../../model/listed.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { parseUrl, urlFromTyped } from '../../model/url/url.ts'
import { printUuid } from '../../model/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StoredEvent } from '../event-coding.ts'
import { EventFilter } from '../event-filter.ts'
import {
  type Excerpt,
  noExcerpt,
  targetText,
  type WatchSighting,
  type WatchTarget,
  watchTitle,
} from '../watches/page-watch.ts'
import type { StreamPlace } from '../watches/stream-place.ts'
import type { WatchedArchive } from '../watches/version-reader.ts'
import type { WatchedChanges } from '../watches/watch-follower.ts'
import { isOfTarget } from '../watches/watch-index.ts'
import { sightingOf } from '../watches/watch-look.ts'
import { sightingWords } from '../watches/watch-words.ts'
import type { WatchView } from '../watches/watches.ts'
import type { FeedBook } from './feed-book.ts'
import { changesOfVersions } from './version-changes.ts'

export type FeedArchive = WatchedArchive & Pick<CaptureIndex, 'scan'>

interface Needs {
  readonly book: FeedBook
  readonly place: StreamPlace
  readonly map: { transaction<T>(action: () => T): Promise<T> }
  readonly archive: FeedArchive
  readonly changes: WatchedChanges
  readonly clock: Clock
  readonly version: string
  /** Whether something else follows the stream already. */
  isFollowing(): boolean
  whenChanged(): void
  /** What changed, as markup. */
  excerptHtml(excerpt: Excerpt): string
}

export const entriesPerPage = 50
export const pagesMax = 4
const versionsMax = 400
const backfillMs = 7 * 86_400_000
const backfillMsMax = 5_000
/** Others have what comes from now on. */
const fillsWaitingMax = 4
const marginMs = 10_000
const documents = new EventFilter({ documentsOnly: true, cosmetic: false })

export interface FeedAddress {
  /** Where this archive is read. */
  readonly origin: string
  /** Of this feed, without the page. */
  readonly path: string
  /** From 1. */
  readonly page: number
}

export class Feeds {
  readonly #needs: Needs
  #filling: Promise<void> | undefined
  #fillsWaiting = 0
  readonly #stopping = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The last changes, newest first: those that people want to see. */
  async recent(target: WatchTarget): Promise<WatchSighting[]> {
    if (target.kind === 'url') return this.#changesOfPage(target.url)
    const { book, changes, clock, archive } = this.#needs
    const site = target.kind === 'site' ? target.site : parseUrl(target.url).site
    // Strangers may ask for any name: those that nothing is archived of cost nothing.
    if ((await firstOf(archive.scan({ kind: 'site', site }, { limit: 1 }))) === undefined) return []
    const hadNobody = !this.#needs.isFollowing()
    if (await book.ask(site, Math.floor(clock.nowMs()))) await this.#fill(site, hadNobody)
    const found: StoredEvent[] = []
    for (const event of book.events(site))
      if (isOfTarget(target, event) && documents.isWanted(event) && !changes.isHidden(event.url))
        found.push(event)
    return found.map(sightingOf)
  }

  async atom(target: WatchTarget, address: FeedAddress): Promise<string> {
    const name = targetText(target)
    const sightings = await this.recent(target)
    const below = { url: 'Changes of', prefix: 'Changes below', site: 'Changes of' }[target.kind]
    return this.#print(sightings, address, {
      id: idOf(`feed ${target.kind} ${name}`),
      title: `${below} ${name}`,
      alternate: `/feeds?${new URLSearchParams({ [target.kind]: name })}`,
      updatedMs: 0,
      entryId: ({ id }) => `urn:uuid:${printUuid(id)}`,
    })
  }

  watchAtom({ watch, history }: WatchView, address: FeedAddress): string {
    return this.#print(history, address, {
      id: `urn:uuid:${watch.id}`,
      title: watchTitle(watch),
      alternate: `/watches/${watch.id}`,
      updatedMs: watch.createdAtMs,
      entryId: ({ id }) => idOf(`${watch.id} ${printUuid(id)}`),
    })
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#filling
  }

  async #changesOfPage(href: string): Promise<WatchSighting[]> {
    const { archive, changes } = this.#needs
    if (changes.isHidden(href)) return []
    const versions: ArchivedCapture[] = []
    for await (const one of archive.versions(urlFromTyped(href), { reverse: true, limit: versionsMax }))
      versions.push(one)
    return changesOfVersions(versions.reverse()).reverse()
  }

  /** One at a time: it reads the log of all sites. */
  async #fill(site: string, hadNobody: boolean): Promise<void> {
    const { map, place, clock } = this.#needs
    if (hadNobody) {
      const nowMs = Math.floor(clock.nowMs()) - marginMs
      await map.transaction(() => place.moveTo(Math.max(place.cursor ?? 0, nowMs)))
    }
    this.#needs.whenChanged()
    if (this.#fillsWaiting >= fillsWaitingMax) return
    this.#fillsWaiting++
    while (this.#filling !== undefined) await this.#filling
    this.#fillsWaiting--
    this.#filling = this.#readLast(site).finally(() => {
      this.#filling = undefined
    })
    await this.#filling
  }

  async #readLast(site: string): Promise<void> {
    const { changes, clock, map, book } = this.#needs
    const enough = new AbortController()
    const timer = clock.after(backfillMsMax, () => enough.abort())
    const signal = AbortSignal.any([enough.signal, this.#stopping.signal])
    const cursor = Math.max(1, Math.floor(clock.nowMs()) - backfillMs)
    try {
      const stream = changes.stream({ cursor, isFollowing: false, signal })
      // Where the log does not reach back so far, what there is will do.
      for await (const told of stream.told()) {
        const events = told.kind === 'events' ? told.events.filter((event) => event.site === site) : []
        if (events.length > 0)
          await map.transaction(() => {
            for (const event of events) book.put(event)
          })
      }
    } finally {
      timer.cancel()
    }
  }

  #print(
    sightings: readonly WatchSighting[],
    { origin, path, page }: FeedAddress,
    feed: {
      id: string
      title: string
      alternate: string
      updatedMs: number
      entryId(sighting: WatchSighting): string
    },
  ): string {
    const from = (page - 1) * entriesPerPage
    const shown = sightings.slice(from, from + entriesPerPage)
    const address = (number: number) =>
      `${origin}${path}${number === 1 ? '' : `${path.includes('?') ? '&' : '?'}page=${number}`}`
    const link = (rel: string, href: string): AtomLink => ({ rel, href, type: 'application/atom+xml' })
    const isMore = sightings.length > from + entriesPerPage && page < pagesMax
    return printAtom({
      id: feed.id,
      title: feed.title,
      updatedMs: feed.updatedMs,
      links: [
        link('self', address(page)),
        { rel: 'alternate', href: `${origin}${feed.alternate}`, type: 'text/html' },
        ...(page > 1 ? [link('first', address(1)), link('previous', address(page - 1))] : []),
        ...(isMore ? [link('next', address(page + 1))] : []),
      ],
      entries: shown.map((sighting) => this.#entry(sighting, origin, feed.entryId(sighting))),
      generator: { name: 'Polyhistor', version: this.#needs.version },
    })
  }

  #entry(sighting: WatchSighting, origin: string, id: string): AtomEntry {
    const { url, kind, atMs, beforeMs, title, excerpt } = sighting
    const at = printTimestamp(atMs)
    const page = kind === 'gone' ? `${origin}/web/*/${url}` : `${origin}/web/${at}/${url}`
    const diff =
      beforeMs === undefined ? undefined : `${origin}/diff/${printTimestamp(beforeMs)}/${at}/${url}`
    const words = sightingWords(sighting)
    return {
      id,
      title: `${title || url}: ${lowered(words)}`,
      updatedMs: atMs,
      links: [
        { rel: 'alternate', href: diff ?? page, type: 'text/html' },
        { rel: 'related', href: url },
      ],
      summary: words,
      ...(excerpt !== noExcerpt && excerpt.rows.length > 0 && { html: this.#needs.excerptHtml(excerpt) }),
      categories: [kind],
    }
  }
}

function lowered(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}

/** The same for the same name, on every peer. */
function idOf(name: string): string {
  const hex = digestHex(digestOf('sha256', `polyhistor ${name}`))
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
