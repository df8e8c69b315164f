// Header links: what the HTTP headers of a response point to. Relative ones are resolved against the URL that was
// asked for, whatever base the document chooses for itself.

import { tryParseLink, type Url } from '../../model/url/url.ts'
import { urlOfRefresh } from './html/refresh.ts'
import { isNoFollow, targetOfRelation } from './html/relation.ts'
import type { LinkCollector } from './link-collector.ts'
import { parseLinkHeader } from './link-header.ts'
import type { LinkSource } from './link-source.ts'

export type Header = readonly [name: string, value: string]

export function collectHeaderLinks(headers: Iterable<Header>, own: Url, links: LinkCollector): void {
  for (const [name, value] of headers) {
    switch (name.toLowerCase()) {
      case 'location':
        add(value, 'Location header')
        break
      case 'refresh':
        add(urlOfRefresh(value), 'Refresh header')
        break
      case 'link':
        for (const { url, rel, type } of parseLinkHeader(value)) {
          const target = targetOfRelation(rel, type)
          if (target !== undefined) add(url, `Link header ${target}`, isNoFollow(rel))
        }
    }
  }

  function add(written: string | undefined, source: LinkSource, noFollow = false): void {
    const url = written === undefined ? null : tryParseLink(utf8OfHeader(written), own)
    if (url !== null) links.add(url.href, source, noFollow)
  }
}

/** Headers are kept as byte strings, and servers that do not encode a URL send it in UTF-8. */
function utf8OfHeader(value: string): string {
  return /^[\x00-\x7f]*$|[^\x00-\xff]/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8')
}
