// Link extraction as work for another thread: plain data in and out.

import { codingsOf } from '../../formats/content-coding/codings.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseUrl } from '../../model/url/url.ts'
import { decodedBytesMax } from '../fetch/limits.ts'
import { type ExtractedLinks, extractLinks } from './extract-links.ts'
import type { Header } from './header-links.ts'

export interface LinkWork {
  readonly href: string
  /** The body begins at headBytes. */
  readonly bytes: Uint8Array
  readonly headBytes: number
  readonly contentType: string | undefined
  /** What is to be undone first. */
  readonly contentEncoding: string | undefined
  readonly headers: readonly Header[]
  readonly agent: string
  /** What asked for it. */
  readonly documentHref?: string | undefined
  /** They are for the link graph, too. */
  readonly isGraphed?: boolean | undefined
}

export async function findLinks(input: LinkWork): Promise<ExtractedLinks> {
  const { href, headBytes, contentEncoding, contentType, headers, agent, documentHref } = input
  const body = input.bytes.subarray(headBytes)
  const isPlain = codingsOf(contentEncoding).length === 0
  const bytes = isPlain ? body : (await decodeContent(body, contentEncoding, decodedBytesMax)).bytes
  return extractLinks({ bytes, url: parseUrl(href), contentType, headers, agent, documentHref })
}
