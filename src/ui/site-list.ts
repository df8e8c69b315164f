// A page of the list of sites: each with the title of its home page, how many captures it has, and its last visit.
//
// Bounded: captures are counted up to a limit for each site. Beyond it a site has "more", and its last visit is the last among
// those counted and those of its home page. A site whose peers do not answer is listed by its name.

import { PolyhistorError } from '../errors.ts'
import { viewOf } from '../formats/warc/page-views.ts'
import { allOf, firstOf } from '../model/listed.ts'
import { tryParseUrl } from '../model/url/url.ts'
import type { PageArchive, PageSiteNames, SiteNameList, TitleOf, Version } from './archive.ts'
import { outcomeOf } from './version-state.ts'

export interface SiteEntry {
  readonly site: string
  readonly title: string | undefined
  /** undefined where those who keep it do not answer. */
  readonly count: number | undefined
  /** There are more than were counted. */
  readonly isMore: boolean
  readonly lastMs: number | undefined
}

export interface SiteList {
  readonly entries: readonly SiteEntry[]
  /** How many more other peers named of which nothing can be read: it may be on its way, or not be there at all. */
  readonly unreadable: number
  /** The last site of this page, when there are more. */
  readonly next: string | undefined
  /** Of all sites, or of those that were asked for. */
  readonly total: number
  /** There are sites that no list has room for. */
  readonly isMore: boolean
  readonly peers: SiteNameList['peers']
}

interface SiteListRequest {
  /** Only names with this in them. */
  readonly containing?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

interface Needs {
  readonly archive: Pick<PageArchive, 'scan' | 'versions'>
  readonly siteNames: PageSiteNames
  readonly titleOf: TitleOf
  readonly breathe: () => Promise<void>
}

const capturesPerSiteMax = 500
/** Other peers may have to be asked. */
const lookedAtAtOnce = 8

export async function siteListOf(needs: Needs, request: SiteListRequest): Promise<SiteList> {
  const { names, isMore, peers } = await needs.siteNames.all()
  const wanted = (request.containing ?? '').toLowerCase()
  const all = wanted === '' ? names : names.filter((name) => name.includes(wanted))
  const { after } = request
  const rest = after === undefined ? all : all.filter((name) => name > after)
  const shown = rest.slice(0, request.limit)
  const entries: SiteEntry[] = []
  for (let at = 0; at < shown.length; at += lookedAtAtOnce) {
    const some = shown.slice(at, at + lookedAtAtOnce)
    entries.push(...(await Promise.all(some.map((site) => entryOrName(needs, site)))))
    await needs.breathe()
  }
  // That a peer has something of a site is its claim.
  const readable = entries.filter(({ count }) => count !== 0)
  return {
    entries: readable,
    unreadable: entries.length - readable.length,
    next: rest.length > shown.length ? shown.at(-1) : undefined,
    total: all.length,
    isMore,
    peers,
  }
}

async function entryOrName(needs: Needs, site: string): Promise<SiteEntry> {
  try {
    return await entryOf(needs, site)
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return { site, title: undefined, count: undefined, isMore: false, lastMs: undefined }
  }
}

async function entryOf({ archive, titleOf }: Needs, site: string): Promise<SiteEntry> {
  const found = await allOf(archive.scan({ kind: 'site', site }, { limit: capturesPerSiteMax + 1 }))
  const counted = found.slice(0, capturesPerSiteMax).filter(({ url }) => viewOf(url) === undefined)
  const home = await newestOfHome(archive, site)
  const times = [...counted, ...(home === undefined ? [] : [home])].map(({ capturedAtMs }) => capturedAtMs)
  const page = home ?? counted.find((version) => isPage(version))
  return {
    site,
    title: page && (await titleOf(page)),
    count: counted.length,
    isMore: found.length > capturesPerSiteMax,
    lastMs: times.length === 0 ? undefined : Math.max(...times),
  }
}

async function newestOfHome(archive: Needs['archive'], site: string): Promise<Version | undefined> {
  const url = tryParseUrl(`http://${site}/`)
  const newest = url === null ? undefined : await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
  return newest !== undefined && isPage(newest) ? newest : undefined
}

function isPage(version: Pick<Version, 'status' | 'mime'>): boolean {
  return outcomeOf(version) === 'good' && /html/.test(version.mime)
}
