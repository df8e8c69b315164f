// Link: one of a document's links, taken out of the compact form in which threads hand them over.

import { type PageLinks, pageLinks } from '../../graph/packed-links.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { ExtractedLinks } from './extract-links.ts'
import { noFollowBit } from './link-collector.ts'
import { kindOfSource, type LinkKind, type LinkSource, linkSources, sourceOfNumber } from './link-source.ts'

export class Link {
  /** In normal form, so that those seen before can be sorted out without parsing. */
  readonly href: string
  /** The element and attribute, or header, that it was found in. */
  readonly via: LinkSource
  /** `rel=nofollow`: the page does not vouch for it. */
  readonly isNoFollow: boolean
  /** Of what a script imports: the document that both belong to. */
  readonly documentHref: string | undefined
  #url: Url | undefined

  constructor(href: string, mark: number, documentHref?: string) {
    this.href = href
    this.via = sourceOfNumber(mark & ~noFollowBit)
    this.isNoFollow = (mark & noFollowBit) !== 0
    this.documentHref = this.via === 'script import' ? documentHref : undefined
  }

  get kind(): LinkKind {
    return kindOfSource(this.via)
  }

  get url(): Url {
    return (this.#url ??= parseUrl(this.href))
  }
}

export function linksOf({
  hrefs,
  marks,
  documentHref,
}: Pick<ExtractedLinks, 'hrefs' | 'marks' | 'documentHref'>): Link[] {
  if (marks.length === 0) return []
  return hrefs.split('\n').map((href, i) => new Link(href, marks[i]!, documentHref))
}

/** All of them, followed or not, as the link graph takes them. */
export function pageLinksOf(
  extracted: Pick<ExtractedLinks, 'hrefs' | 'texts' | 'marks' | 'targets'>,
): PageLinks {
  const { hrefs, texts, marks, targets } = extracted
  return pageLinks({ hrefs, texts, marks, relations: linkSources, targets })
}
