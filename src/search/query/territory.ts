// Territory: the part of the ring whose pages a question is about. Peers keep more than one part each, and every part several times:
// a question to many peers says which of its pages each is asked for, so that none is counted twice.
//
// A page lies where its site does, except for sites that are divided among several places: there its address decides
// (docs/decisions/0028). Addresses of documents are read once for each.

import { LruCache } from '../../model/lru-cache.ts'
import { type RingKey, ringKeyOfSite } from '../../model/ring-key.ts'
import type { SiteKey } from '../../model/url/site.ts'
import { tryParseLink } from '../../model/url/url.ts'
import { urlPrefix } from '../../store/index/capture-key.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Segment } from '../index/segment.ts'

/** Places after the one, up to the other. From a place round to itself is the whole ring. */
export interface SearchArc {
  readonly after: RingKey
  readonly upTo: RingKey
}

/** A site that lies at several places: from each key on, at that place. */
export interface DividedSite {
  readonly site: RingKey
  readonly parts: readonly { readonly from: Uint8Array; readonly place: RingKey }[]
}

export interface Territory {
  readonly arcs: readonly SearchArc[]
  readonly divided: readonly DividedSite[]
}

export function isOnArc({ after, upTo }: SearchArc, place: RingKey): boolean {
  if (after === upTo) return true
  return after < upTo ? after < place && place <= upTo : after < place || place <= upTo
}

/** Where the captures of a URL lie. */
export function placeOfUrl(
  { ringKey, surt }: { readonly ringKey: RingKey; readonly surt: string },
  divided: readonly DividedSite[],
): RingKey {
  const site = divided.find((each) => each.site === ringKey)
  if (site === undefined) return ringKey
  const key = urlPrefix(ringKey, surt)
  return site.parts.findLast(({ from }) => Buffer.compare(from, key) <= 0)?.place ?? ringKey
}

export function isInTerritory({ arcs, divided }: Territory, href: string): boolean {
  const url = tryParseLink(href)
  if (url === null) return false
  const place = placeOfUrl(url, divided)
  return arcs.some((arc) => isOnArc(arc, place))
}

/** Names a territory: the same for the same one. */
export function nameOfTerritory({ arcs, divided }: Territory): string {
  const places = divided.flatMap(({ site, parts }) => [site, ...parts.map(({ place }) => place)])
  return [...arcs.map(({ after, upTo }) => after + upTo), '', ...places].join(' ')
}

const [outside, inside] = [0, 1]

export class TerritoryMarks {
  readonly #index: SearchIndex
  readonly #territory: Territory
  readonly #marks = new WeakMap<Segment, Uint8Array>()

  constructor(index: SearchIndex, territory: Territory) {
    this.#index = index
    this.#territory = territory
  }

  /** For each document of a segment whether it lies there. */
  of(segment: Segment): Uint8Array {
    let marks = this.#marks.get(segment)
    if (marks === undefined) this.#marks.set(segment, (marks = this.#marksOf(segment)))
    return marks
  }

  #marksOf({ columns }: Segment): Uint8Array {
    const { arcs, divided } = this.#territory
    const bySite = columns.siteNames.map((name) => {
      const key = ringKeyOfSite(name as SiteKey)
      if (divided.some(({ site }) => site === key)) return 'by page'
      return arcs.some((arc) => isOnArc(arc, key)) ? inside : outside
    })
    const marks = new Uint8Array(columns.count)
    for (let index = 0; index < columns.count; index++) {
      const mark = bySite[columns.sites[index]!]!
      marks[index] = mark === 'by page' ? this.#markOf(columns.ids[index]!) : mark
    }
    return marks
  }

  #markOf(document: number): number {
    const text = this.#index.textOf(document)
    return text !== undefined && isInTerritory(this.#territory, text.href) ? inside : outside
  }
}

/** Marks of the territories that were asked for lately. */
export class TerritoryCache {
  readonly #index: SearchIndex
  readonly #known: LruCache<string, TerritoryMarks>

  constructor(index: SearchIndex, territoriesMax: number) {
    this.#index = index
    this.#known = new LruCache({ max: territoriesMax })
  }

  of(territory: Territory): TerritoryMarks {
    const name = nameOfTerritory(territory)
    let marks = this.#known.get(name)
    if (marks === undefined) this.#known.set(name, (marks = new TerritoryMarks(this.#index, territory)))
    return marks
  }
}
