// XML rules: which elements of sitemaps, feeds and DASH manifests are links.

import type { XmlElement, XmlFormat, XmlRule } from './xml-links.ts'

export const xmlRules: Readonly<Record<XmlFormat, XmlRule>> = {
  sitemap: linkOfSitemap,
  feed: linkOfFeed,
  dash: linkOfDash,
}

function linkOfSitemap({ name, prefix, root, attributes, text }: XmlElement): ReturnType<XmlRule> {
  if (prefix === 'image' || prefix === 'video') {
    return text !== '' && /(?:^|_)loc$/.test(name) ? [text, 'sitemap media'] : undefined
  }
  if (name === 'link') return found(attributes.get('href'), 'sitemap page')
  if (name !== 'loc') return undefined
  return [text, root === 'sitemapindex' ? 'sitemap index' : 'sitemap page']
}

function linkOfFeed({ name, attributes, text }: XmlElement): ReturnType<XmlRule> {
  switch (name) {
    case 'link':
      return attributes.has('href') ? linkOfAtom(attributes) : found(text, 'feed page')
    case 'comments':
      return found(text, 'feed page')
    case 'guid':
      if (attributes.get('ispermalink')?.trim().toLowerCase() === 'false') return undefined
      return /^https?:\/\//i.test(text) ? [text, 'feed page'] : undefined
    case 'enclosure':
    case 'thumbnail':
      return found(attributes.get('url'), 'feed media')
    case 'content':
      // `<content src>` is Atom's, `<media:content url>` that of feeds with media.
      return found(attributes.get('src'), 'feed page') ?? found(attributes.get('url'), 'feed media')
    default:
      return undefined
  }
}

function linkOfAtom(attributes: ReadonlyMap<string, string>): ReturnType<XmlRule> {
  const href = attributes.get('href')
  switch (attributes.get('rel')?.trim().toLowerCase() ?? 'alternate') {
    case 'alternate':
    case 'related':
    case 'replies':
    case 'via':
      return found(href, 'feed page')
    case 'enclosure':
      return found(href, 'feed media')
    case 'first':
    case 'last':
    case 'next':
    case 'next-archive':
    case 'prev':
    case 'previous':
    case 'prev-archive':
      return found(href, 'feed next')
    default:
      // `self`, `hub`, `edit`: for programs.
      return undefined
  }
}

/** Segments that are named; those made from a template with numbers or times are for the player to work out. */
function linkOfDash({ name, attributes, text }: XmlElement): ReturnType<XmlRule> {
  const url =
    name === 'baseurl' ? text : name === 'segmenturl' ? attributes.get('media') : attributes.get('sourceurl')
  if (url === undefined || url === '' || url.endsWith('/')) return undefined
  return [url, 'playlist entry']
}

function found(
  url: string | undefined,
  source: 'sitemap page' | 'feed page' | 'feed media' | 'feed next',
): ReturnType<XmlRule> {
  return url === undefined || url === '' ? undefined : [url, source]
}
