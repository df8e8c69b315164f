// Where things are on the archive's own host. Every path starts with a slash and a word of ours, so that no archived URL
// can turn a link into `javascript:` or lead to another host.

import { printTimestamp } from '../../model/timestamp.ts'

export function versionPath(atMs: number, url: string): string {
  return `/web/${printTimestamp(atMs)}/${inPath(url)}`
}

/** A small picture of it. */
export function thumbnailPath(atMs: number, url: string): string {
  return `/thumbnail/${printTimestamp(atMs)}/${inPath(url)}`
}

/** The page itself, for a frame on the replay host. */
export function framedPath(atMs: number, url: string): string {
  return `/web/${printTimestamp(atMs)}mp_/${inPath(url)}`
}

/** The bytes as they came. */
export function originalPath(atMs: number, url: string): string {
  return `/web/${printTimestamp(atMs)}id_/${inPath(url)}`
}

/** All versions, or those of a span: `2020`, `202003`, `2009-2015`. */
export function calendarPath(url: string, span = ''): string {
  return `/web/${span}*/${inPath(url)}`
}

/** All URLs that start like this one. */
export function prefixPath(url: string, span = ''): string {
  return `/web/${span}*/${inPath(url)}*`
}

export function comparePath(leftMs: number, rightMs: number, url: string): string {
  return `/diff/${printTimestamp(leftMs)}/${printTimestamp(rightMs)}/${inPath(url)}`
}

export function sitePath(site: string): string {
  return `/site/${encodeURIComponent(site)}`
}

/** Links from or to a page, or a site. */
export function linksPath(direction: 'from' | 'to', name: string): string {
  return `/links?${direction}=${encodeURIComponent(name)}`
}

/** What is said of it: words, a site, a time, and where to go on. */
export function searchPath(asked: {
  readonly text: string
  readonly site?: string | undefined
  readonly at?: string | undefined
  readonly cursor?: string | undefined
}): string {
  const { text, site = '', at = '', cursor = '' } = asked
  const query = new URLSearchParams({
    q: text,
    ...(site !== '' && { site }),
    ...(at !== '' && { at }),
    ...(cursor !== '' && { cursor }),
  })
  return `/search?${query}`
}

/** How important a site is. */
export function rankPath(site: string): string {
  return `/rank?site=${encodeURIComponent(site)}`
}

/** The list of sites: those with this in their names, behind this one. */
export function sitesPath(containing = '', after?: string): string {
  const query = new URLSearchParams({
    ...(containing !== '' && { q: containing }),
    ...(after !== undefined && { after }),
  })
  return query.size === 0 ? '/sites' : `/sites?${query}`
}

/** The captures as a WACZ file, which other tools read. */
export function downloadPath(selection: 'url' | 'prefix' | 'site', value: string): string {
  return `/api/v1/export?format=wacz&${selection}=${encodeURIComponent(value)}`
}

/** One version of a page with everything it needs. */
export function pageDownloadPath(atMs: number, url: string): string {
  return `/api/v1/export?format=wacz&page=${encodeURIComponent(url)}&at=${printTimestamp(atMs)}`
}

export function watchPath(id: string): string {
  return `/watches/${encodeURIComponent(id)}`
}

/** The form of a new watch, with this page filled in. */
export function watchThisPath(url: string): string {
  return `/watches?url=${encodeURIComponent(url)}`
}

/** What changed, for people. */
export function feedPath(kind: 'url' | 'prefix' | 'site', name: string): string {
  return `/feeds?${kind}=${encodeURIComponent(name)}`
}

/** The same for feed readers. */
export function atomPath(kind: 'url' | 'prefix' | 'site', name: string): string {
  return `/feeds/atom?${kind}=${encodeURIComponent(name)}`
}

export function proofPath(atMs: number, url: string): string {
  return `/api/v1/proof?url=${encodeURIComponent(url)}&at=${printTimestamp(atMs)}`
}

export function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`
}

/** The list behind this cursor, with redirects and errors or without. Only for paths that end after the archived URL, whose own query is not ours. */
export function listPath(
  path: string,
  { after, isAll }: { after?: string | undefined; isAll: boolean },
): string {
  const query = [
    ...(isAll ? ['all=1'] : []),
    ...(after === undefined ? [] : [`after=${encodeURIComponent(after)}`]),
  ]
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** URLs of the store are ASCII; what a browser would take for the end of the path is encoded all the same. */
function inPath(url: string): string {
  return url.replace(/[#\s"<>\\^`{|}]/g, (character) => encodeURIComponent(character))
}
