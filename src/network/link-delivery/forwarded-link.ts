// Forwarded link: a URL that a page of one peer's site leads to, for the peer that owns the URL's site.
//
// It says all that the other's frontier must know to treat the URL as if it had been found there. Where it was found is not
// said: that would cost a tenth of the link and more, and the page is in the archive with all its links (docs/decisions/0041).
// A *mention* does say it: it is for the link graph of the URL's site, and asks nobody to fetch anything (docs/decisions/0075).

import type { LinkMention } from '../../model/page-link.ts'
import type { Url } from '../../model/url/url.ts'

/** In the order in which they are coded: never change it, only add. */
export const linkKinds = ['seed', 'navigation', 'requisite', 'sitemap', 'redirect', 'mention'] as const
type LinkKind = (typeof linkKinds)[number]

/** What is said of a URL besides its name. Many links of a batch have the same. */
export interface LinkFacts {
  readonly kind: LinkKind
  readonly jobId: string
  /** Navigation steps from a seed. */
  readonly depth: number
  /** From 0 to 1, in hundredths. */
  readonly priority?: number | undefined
  readonly requisiteHops?: number | undefined
  readonly redirects?: number | undefined
}

export interface ForwardedLink extends LinkFacts {
  readonly url: Url
  /** Of those of that kind. */
  readonly mention?: LinkMention | undefined
}

/** The same as text, as it waits and travels. */
export interface LinkText extends LinkFacts {
  readonly href: string
  readonly mention?: LinkMention | undefined
}

/** Mentions are of no job. */
export const mentionFacts: LinkFacts = { kind: 'mention', jobId: '-', depth: 0 }

/** How much of a batch it takes, in characters. */
export function linkChars({ href, mention }: LinkText): number {
  return href.length + (mention === undefined ? 0 : mention.page.length + mention.text.length)
}

export function asText({ url, ...rest }: ForwardedLink): LinkText {
  return { ...rest, href: url.href }
}
