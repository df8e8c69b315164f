// Link source: which construct a link was found in, and so what kind of link it is.
//
// A source is a number below 128, so that a thread can hand over a page's links as one string and one byte each. The
// numbers are for that passage only: they change between versions and are never stored.

/**
 * - `navigation`: another page, for a reader to go to.
 * - `requisite`: needed for the page to look right. What a requisite requires is required as well.
 * - `frame`: a requisite that is a page itself.
 * - `sitemap`, `feed`: lists of further pages.
 * - `redirect`: where the page sends everyone.
 */
export type LinkKind = 'navigation' | 'requisite' | 'frame' | 'sitemap' | 'feed' | 'redirect'

const kinds = {
  'a href': 'navigation',
  'area href': 'navigation',
  'form action': 'navigation',
  'meta refresh': 'redirect',
  'link page': 'navigation',
  'link stylesheet': 'requisite',
  'link icon': 'requisite',
  'link preload': 'requisite',
  'link manifest': 'requisite',
  'link feed': 'feed',
  'link sitemap': 'sitemap',
  'img src': 'requisite',
  'img srcset': 'requisite',
  'img data-src': 'requisite',
  'source src': 'requisite',
  'source srcset': 'requisite',
  'video src': 'requisite',
  'video poster': 'requisite',
  'audio src': 'requisite',
  'track src': 'requisite',
  'script src': 'requisite',
  'script import': 'requisite',
  'script worker': 'requisite',
  'script fetch': 'requisite',
  'script url': 'requisite',
  'import map': 'requisite',
  'embed src': 'requisite',
  'object data': 'requisite',
  'input src': 'requisite',
  'svg href': 'requisite',
  background: 'requisite',
  'iframe src': 'frame',
  'frame src': 'frame',
  'css url': 'requisite',
  'css import': 'requisite',
  'xml stylesheet': 'requisite',
  'sitemap page': 'navigation',
  'sitemap media': 'navigation',
  'sitemap index': 'sitemap',
  'feed page': 'navigation',
  'feed media': 'navigation',
  'feed next': 'feed',
  'manifest icon': 'requisite',
  'manifest page': 'navigation',
  'playlist entry': 'requisite',
  'Link header page': 'navigation',
  'Link header stylesheet': 'requisite',
  'Link header icon': 'requisite',
  'Link header preload': 'requisite',
  'Link header manifest': 'requisite',
  'Link header feed': 'feed',
  'Link header sitemap': 'sitemap',
  'Location header': 'redirect',
  'Refresh header': 'redirect',
} as const satisfies Record<string, LinkKind>

export type LinkSource = keyof typeof kinds

const sources = Object.keys(kinds) as LinkSource[]
const numbers = new Map(sources.map((source, number) => [source, number]))

/** Where a URL was found in two ways, the stronger one is kept: the first here. */
const strengths: readonly LinkKind[] = ['redirect', 'frame', 'requisite', 'sitemap', 'feed', 'navigation']
const strengthByNumber = Uint8Array.from(sources, (source) => strengths.indexOf(kinds[source]))

/** By their numbers. */
export const linkSources: readonly string[] = sources

export function sourceNumber(source: LinkSource): number {
  return numbers.get(source)!
}

export function sourceOfNumber(number: number): LinkSource {
  return sources[number]!
}

export function kindOfSource(source: LinkSource): LinkKind {
  return kinds[source]
}

export function isStronger(number: number, than: number): boolean {
  return strengthByNumber[number]! < strengthByNumber[than]!
}

/** Whether a page does not look right without it. */
export function isRequisite(kind: LinkKind): boolean {
  return kind === 'requisite' || kind === 'frame'
}
