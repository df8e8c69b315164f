// Atom feeds (RFC 4287): data in, XML out.
//
// Texts are escaped, and what XML 1.0 cannot hold is replaced: titles and words come from pages of anybody. Feeds of the same entries are
// the same bytes, whenever they are made: `updated` is that of the newest entry.

export interface AtomLink {
  readonly rel: string
  readonly href: string
  readonly type?: string | undefined
}

export interface AtomEntry {
  /** An IRI that stays. */
  readonly id: string
  readonly title: string
  readonly updatedMs: number
  readonly links: readonly AtomLink[]
  readonly summary?: string | undefined
  /** Markup of ours, escaped as it is put in. */
  readonly html?: string | undefined
  readonly categories?: readonly string[] | undefined
}

export interface AtomFeed {
  readonly id: string
  readonly title: string
  /** Where there are no entries. */
  readonly updatedMs: number
  readonly links: readonly AtomLink[]
  readonly entries: readonly AtomEntry[]
  readonly generator: { readonly name: string; readonly version: string }
}

export const atomType = 'application/atom+xml; charset=utf-8'

export function printAtom(feed: AtomFeed): string {
  const { id, title, links, entries, generator } = feed
  const updatedMs =
    entries.length === 0 ? feed.updatedMs : Math.max(...entries.map((entry) => entry.updatedMs))
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(id)}</id>
<title>${escaped(title)}</title>
<updated>${time(updatedMs)}</updated>
<author><name>${escaped(generator.name)}</name></author>
<generator version="${escaped(generator.version)}">${escaped(generator.name)}</generator>
${links.map(linkXml).join('')}${entries.map(entryXml).join('')}</feed>
`
}

function entryXml({ id, title, updatedMs, links, summary, html, categories = [] }: AtomEntry): string {
  return `<entry>
<id>${escaped(id)}</id>
<title>${escaped(title)}</title>
<updated>${time(updatedMs)}</updated>
${links.map(linkXml).join('')}${categories.map((term) => `<category term="${escaped(term)}"/>\n`).join('')}${
  summary === undefined ? '' : `<summary>${escaped(summary)}</summary>\n`
}${html === undefined ? '' : `<content type="html">${escaped(html)}</content>\n`}</entry>
`
}

function linkXml({ rel, href, type }: AtomLink): string {
  const typed = type === undefined ? '' : ` type="${escaped(type)}"`
  return `<link rel="${escaped(rel)}" href="${escaped(href)}"${typed}/>\n`
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => replacements[character]!)
}
