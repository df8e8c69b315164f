// Near misses: what somebody may have meant who asked for an address that is not archived.
//
// Bounded: site names come from a list that is kept anyway; of the folder that the address lies in, the first pages are looked at.
// Guesses are left out where other peers would have to be asked that do not answer.

import { distance } from 'fastest-levenshtein'
import { PolyhistorError } from '../errors.ts'
import type { Url } from '../model/url/url.ts'
import type { PageArchive, PageSiteNames } from './archive.ts'
import { urlListOf } from './url-list.ts'

/** What a page can say that has nothing to show. */
interface Guesses {
  readonly nearMisses: readonly NearMiss[]
  /** Something of the site is archived. */
  readonly isSiteKnown: boolean
}

export interface NearMiss {
  readonly url: string
  readonly lastMs: number | undefined
}

interface Needs {
  readonly archive: Pick<PageArchive, 'scan' | 'versions' | 'viewTimes'>
  readonly siteNames: PageSiteNames
  readonly breathe: () => Promise<void>
}

const missesMax = 5
const partCharsMin = 3
const looked = { urls: 100, capturesPerUrl: 1, visits: 300, captures: 600 }

export async function guessesFor(needs: Needs, url: Url): Promise<Guesses> {
  try {
    const { names, isMore } = await needs.siteNames.all()
    const isListed = names.includes(url.site)
    const nearMisses = isListed ? await pagesLike(needs, url) : sitesLike(url, names)
    return { nearMisses, isSiteKnown: isListed || isMore }
  } catch (error) {
    if (error instanceof PolyhistorError) return { nearMisses: [], isSiteKnown: false }
    throw error
  }
}

function sitesLike(url: Url, names: readonly string[]): NearMiss[] {
  const alike = [...namesWith(url.site, names), ...nearest(url.site, names, (name) => name)]
  return [...new Set(alike)]
    .slice(0, missesMax)
    .map((name) => ({ url: `http://${name}/`, lastMs: undefined }))
}

/** Who typed only a part of a name. */
function namesWith(part: string, names: readonly string[]): string[] {
  if (part.length < partCharsMin) return []
  return names.filter((name) => name.includes(part)).slice(0, missesMax)
}

/** Others of the same folder; where there is none, of the host. */
async function pagesLike(needs: Needs, url: Url): Promise<NearMiss[]> {
  for (const folder of new Set([new URL('.', url.href).href, new URL('/', url.href).href])) {
    const { entries } = await urlListOf(needs, { kind: 'prefix', url: folder }, { kind: 'pages' }, looked)
    const misses = nearest(pathOf(url.href), entries, (entry) => pathOf(entry.url))
    if (misses.length > 0) return misses.map(({ url: href, lastMs }) => ({ url: href, lastMs }))
  }
  return []
}

/** The host is the same: with it, all that is short would be alike below a long name. */
function pathOf(href: string): string {
  return href.replace(/^https?:\/\/[^/]*/, '').toLowerCase()
}

/** The nearest first; none that is another word altogether. */
function nearest<T>(word: string, known: readonly T[], nameOf: (one: T) => string): T[] {
  const apartMax = Math.max(2, Math.floor(word.length * 0.3))
  return known
    .filter((one) => Math.abs(nameOf(one).length - word.length) <= apartMax)
    .map((one) => ({ one, apart: distance(word, nameOf(one)) }))
    .filter(({ apart }) => apart <= apartMax)
    .sort((left, right) => left.apart - right.apart)
    .slice(0, missesMax)
    .map(({ one }) => one)
}
