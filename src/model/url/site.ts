// Site: the part of the web that one peer crawls and keeps together.
//
// A site is a registrable domain by the public suffix list, private part included: `www.example.co.uk` is of
// `example.co.uk`, `alice.github.io` is a site apart from `bob.github.io`. A host with no registrable domain is
// its own site: public suffixes (`github.io`), IP literals, `localhost`, names of one label. Under a top-level
// name that the list does not know the last two labels are the site (`a.nas.lan` is of `nas.lan`), by the list's
// own default rule; that holds for `.localhost` as well.
//
// Every peer must come to the same site, or a page has two owners: the list is the one that tldts carries, and a
// newer list moves the sites it changes.

import { getDomain, getPublicSuffix } from './public-suffixes.ts'

/** A lower-case ASCII host name, or an IP literal as in a URL (`[::1]` with brackets). */
export type SiteKey = string & { readonly __brand: 'SiteKey' }

const suffixRules = {
  allowPrivateDomains: true,
  // Hosts come from url.ts, parsed and checked: doing it again would cost a third of the time.
  extractHostname: false,
  validateHostname: false,
} as const

/** The site of a host as `Url.host` gives it. */
export function siteOf(host: string): SiteKey {
  return (getDomain(host, suffixRules) ?? host) as SiteKey
}

/** Whether this name is no site but a domain of many: a public suffix (`gov.uk`, `github.io`, `uk`), or one of whose names each is
 * a suffix by a wildcard of the list (`kawasaki.jp`). */
export function hasSitesUnder(host: string): boolean {
  const below = `a.${host}`
  return getPublicSuffix(host, suffixRules) === host || getPublicSuffix(below, suffixRules) === below
}
