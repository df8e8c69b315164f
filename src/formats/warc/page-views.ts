// Views of a page: what a browser saw of it, beside what its server sent: pictures, text, and what became of its parts.
//
// In WARC files they are resource records as Browsertrix writes them, whose target is `urn:thumbnail:` and the page's URL. In an index they
// are filed like requests that are no GET (request-query.ts), with a method of our own: so they lie with their page, are taken
// down and copied with it, and are no pages themselves.

import { tryParseUrl, type Url } from '../../model/url/url.ts'
import { fetchedAs, fetchedUrl, indexUrl } from '../http/request-query.ts'

/** `view`: the window as it was. `thumbnail`: the same, small. `text`: what could be read. `pageinfo`: its parts, and how they fared.
 * `corroboration`: what other peers saw (proof/corroboration.ts). */
export type ViewKind = (typeof viewKinds)[number]
export const viewKinds = ['view', 'thumbnail', 'text', 'pageinfo', 'corroboration'] as const

const method = 'VIEW'
const targetPattern = /^urn:(view|thumbnail|text|pageinfo|corroboration):(https?:\/\/.*)$/is

/** The URL that a view is filed under; undefined when the page's is too long for that. */
export function viewUrl(page: Url, kind: ViewKind): Url | undefined {
  const filed = indexUrl(page, `__wb_method=${method}&${kind}`)
  return fetchedAs(filed.href)?.requestBody === kind ? filed : undefined
}

/** undefined for a capture that is no view. */
export function viewOf(href: string): { readonly page: string; readonly kind: ViewKind } | undefined {
  const asked = href.includes(`__wb_method=${method}&`) ? fetchedAs(href) : undefined
  const kind = viewKinds.find((each) => each === asked?.requestBody)
  return asked?.method !== method || kind === undefined ? undefined : { page: asked.url, kind }
}

export function viewTarget(page: string, kind: ViewKind): string {
  return `urn:${kind}:${page}`
}

/** The URL that a record of that target is filed under; undefined when it is no view's. */
export function urlOfViewTarget(target: string): Url | undefined {
  const match = targetPattern.exec(target)
  const page = match && tryParseUrl(match[2]!)
  return page ? viewUrl(page, match[1]!.toLowerCase() as ViewKind) : undefined
}

/** The URL that a record of that target is filed under, a view or not, as revisits name what they repeat; null when it is none. */
export function urlOfTarget(target: string): Url | null {
  return urlOfViewTarget(target) ?? tryParseUrl(target)
}

/** The target of the record of a capture that is filed so. */
export function targetOfFiled(href: string): string {
  const view = viewOf(href)
  return view === undefined ? fetchedUrl(href) : viewTarget(view.page, view.kind)
}
