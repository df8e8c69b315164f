// SURT ranges: which stretches of a sorted index hold the pages of a prefix, a host or a domain.
//
// A range is half open, `from` <= key < `to`, compared bytewise. After a host's labels a key goes on with `)`
// or, at a port of its own, with `:`; a subdomain's with `,`. In ASCII `)` < `,` < `-` < `:` and a `-` goes on
// with the label, so a domain takes two ranges: one up to `-`, one for its ports. Keys of IPv6 addresses have
// colons of their own: there the second range holds neighbours too, and the reader must compare hosts.

import { surtAuthority, surtOf, withoutBrackets } from './surt.ts'

export interface SurtRange {
  readonly from: string
  readonly to: string
}

/** All keys that start with the key of this URL, cut anywhere: `http://example.com/a` finds `/about` too. */
export function surtPrefixRange(urlPrefix: string): SurtRange {
  const key = surtOf(urlPrefix)
  // A key has no trailing slash, but who asks for `/news/` does not want `/newsletter`.
  return prefixRange(/[^?/]\/$/.test(urlPrefix) && !key.includes('?') && !key.endsWith('/') ? `${key}/` : key)
}

/** One host on every port. `www.example.com` and `example.com` have the same keys, so they are one host here. */
export function surtHostRanges(host: string): readonly SurtRange[] {
  const reversed = surtAuthority(withoutBrackets(host), '')
  return [prefixRange(`${reversed})`), prefixRange(`${reversed}:`)]
}

/** A domain or site with all its subdomains, on every port. */
export function surtDomainRanges(host: string): readonly SurtRange[] {
  const reversed = surtAuthority(withoutBrackets(host), '')
  return [{ from: `${reversed})`, to: `${reversed}-` }, prefixRange(`${reversed}:`)]
}

export function isWithin(ranges: readonly SurtRange[], surt: string): boolean {
  return ranges.some(({ from, to }) => from <= surt && surt < to)
}

function prefixRange(prefix: string): SurtRange {
  const last = prefix.length - 1
  return { from: prefix, to: prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1) }
}
