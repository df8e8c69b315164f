// Link extraction as work for another thread: plain data in and out.

import { parseUrl } from '../../record/url.ts'
import { type ExtractedLinks, extractLinks } from './extract-links.ts'
import type { Header } from './header-links.ts'

export interface LinkWork {
  readonly bytes: Uint8Array
  readonly href: string
  readonly contentType: string | undefined
  readonly headers: readonly Header[]
  readonly agent: string
}

export function work(input: LinkWork): ExtractedLinks {
  return extractLinks({ ...input, url: parseUrl(input.href) })
}
