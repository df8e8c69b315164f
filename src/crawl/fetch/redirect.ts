// Redirects: where a response sends us, and when following has to end.
//
// Every redirect is a capture of its own, and its target a URL like any other: scope, robots and the address guard are
// asked again. Nothing here fetches.

import type { FieldList } from '../../formats/http/field-list.ts'
import { parseLink, type Url, UrlError } from '../../model/url/url.ts'

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** `target` is undefined when Location is missing, no URL, or not http; `reason` says which. */
export type Redirect = { readonly target: Url } | { readonly target: undefined; readonly reason: string }

/** undefined when the response is no redirect. */
export function redirectOf(status: number, headers: FieldList, url: Url): Redirect | undefined {
  if (!redirectStatuses.has(status)) return undefined
  const location = headers.get('Location')
  if (location === undefined) return { target: undefined, reason: 'it has no Location' }
  try {
    return { target: parseLink(utf8Of(location), url) }
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    return { target: undefined, reason: error.message }
  }
}

export type TrailEnd = 'redirect-loop' | 'too-many-redirects'

/** The URLs of one chain of redirects. */
export class RedirectTrail {
  readonly #seen = new Set<string>()
  readonly #redirectsMax: number

  constructor(start: Url, redirectsMax: number) {
    this.#seen.add(start.href)
    this.#redirectsMax = redirectsMax
  }

  get redirects(): number {
    return this.#seen.size - 1
  }

  /** Takes one step, or says why not. */
  step(target: Url): TrailEnd | undefined {
    if (this.#seen.has(target.href)) return 'redirect-loop'
    if (this.redirects >= this.#redirectsMax) return 'too-many-redirects'
    this.#seen.add(target.href)
    return undefined
  }
}

/** Servers write UTF-8 into Location as it is; browsers read it so where it is valid. */
function utf8Of(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? latin1 : text
}
