// Relation: what `rel` makes of a link element or a Link header.

type LinkTarget = 'page' | 'stylesheet' | 'icon' | 'preload' | 'manifest' | 'feed' | 'sitemap'

const targets = new Map<string, LinkTarget>([
  ['stylesheet', 'stylesheet'],
  ['icon', 'icon'],
  ['apple-touch-icon', 'icon'],
  ['apple-touch-icon-precomposed', 'icon'],
  ['apple-touch-startup-image', 'icon'],
  ['mask-icon', 'icon'],
  ['fluid-icon', 'icon'],
  ['preload', 'preload'],
  ['modulepreload', 'preload'],
  ['manifest', 'manifest'],
  ['sitemap', 'sitemap'],
  ['feed', 'feed'],
])

const pageRelations =
  'amphtml appendix archives author bookmark canonical chapter contents copyright first glossary help home index last ' +
  'license next prev previous privacy-policy section shortlink start subsection tag terms-of-service toc top up'
for (const word of pageRelations.split(' ')) targets.set(word, 'page')

/** The one that needs the link most, where there are several: `alternate stylesheet` is a stylesheet. */
const order: readonly LinkTarget[] = ['stylesheet', 'icon', 'preload', 'manifest', 'feed', 'sitemap', 'page']

const feedTypes = /^\s*application\/(?:rss|atom|rdf|feed)\+(?:xml|json)\b/i
/** Descriptions of the page for programs, of which a site has as many as pages. */
const programTypes = /^\s*(?:application|text)\/(?:json|xml)\+?(?:oembed)?\s*(?:;|$)/i

/**
 * undefined for relations that lead to nothing worth keeping: `dns-prefetch`, `preconnect`, `pingback`, and those that
 * nobody has heard of.
 */
export function targetOfRelation(rel: string, type: string): LinkTarget | undefined {
  let found: LinkTarget | undefined
  for (const word of rel.toLowerCase().split(/\s+/)) {
    const target = word === 'alternate' ? targetOfAlternate(type) : targets.get(word)
    if (target === undefined) continue
    if (found === undefined || order.indexOf(target) < order.indexOf(found)) found = target
  }
  return found
}

function targetOfAlternate(type: string): LinkTarget | undefined {
  if (feedTypes.test(type)) return 'feed'
  return programTypes.test(type) ? undefined : 'page'
}

export function isNoFollow(rel: string): boolean {
  return /(?:^|\s)nofollow(?:\s|$)/i.test(rel)
}
