// Page info: the account that a browser's capture gives of a page, as JSON in its view `pageinfo`: title, links, and what became of
// each part that the page asked for.
//
// In the form of Browsertrix (`urls` with a status each); what that does not say is added: whether a part was kept, and if not, why;
// the links after scripts. The same for the same page, in whatever order its parts came: then it is stored once. Others' are read as far
// as they go: what comes with an import may be anybody's.

import type { RenderedLink } from '../../model/rendered-page.ts'

export type PartFate = 'kept' | 'refused' | 'failed'

export interface PartAccount {
  /** The request's method before it, where that is not GET. */
  readonly name: string
  readonly fate: PartFate
  /** 0 when there was no answer. */
  readonly status: number
  /** Why it was not kept: the rule, or the cause. */
  readonly code?: string | undefined
  readonly reason?: string | undefined
  /** What it came by, where that is not HTTP/1.1. */
  readonly protocol?: string | undefined
  /** What its server would also have spoken, HTTP/3 say. */
  readonly offers?: readonly string[] | undefined
}

export interface PageInfo {
  readonly url: string
  readonly title: string
  readonly links: readonly RenderedLink[]
  readonly parts: readonly PartAccount[]
  /** The peer that showed it, where that is another than the one that crawls its site. */
  readonly shownBy?: string | undefined
}

export const pageInfoBytesMax = 8 * 1024 * 1024
const titleCharsMax = 1_000
const linksMax = 10_000
const partsMax = 5_000
const hrefCharsMax = 64 * 1024
const wordsCharsMax = 500
const protocolCharsMax = 32
const offersMax = 8

export function encodePageInfo({ url, title, links, parts, shownBy }: PageInfo): Uint8Array {
  const counts = { kept: 0, refused: 0, failed: 0 }
  const urls: Record<string, object> = {}
  for (const { name, fate, status, code, reason, protocol, offers } of parts.toSorted(byName)) {
    counts[fate]++
    const error = code !== undefined && { error: code, reason }
    urls[name] = { status, outcome: fate, ...error, protocol, offers }
  }
  const told = links.map(({ href, text, isNoFollow }) => ({
    href,
    ...(text !== '' && { text }),
    ...(isNoFollow && { nofollow: true }),
  }))
  return Buffer.from(JSON.stringify({ url, title, urls, counts, links: told, shownBy }))
}

/** undefined when it is none. */
export function decodePageInfo(bytes: Uint8Array): PageInfo | undefined {
  if (bytes.length > pageInfoBytesMax) return undefined
  try {
    const info: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    if (!isObject(info)) return undefined
    const { url, title, urls, links, shownBy } = info
    return {
      url: wordsOf(url, hrefCharsMax),
      title: wordsOf(title, titleCharsMax),
      links: Array.isArray(links) ? links.slice(0, linksMax).flatMap(linkOf) : [],
      parts: isObject(urls) ? Object.entries(urls).slice(0, partsMax).flatMap(partOf) : [],
      ...(typeof shownBy === 'string' && { shownBy: wordsOf(shownBy, wordsCharsMax) }),
    }
  } catch {
    return undefined
  }
}

export function countFates(parts: readonly PartAccount[]): Record<PartFate, number> {
  const counts = { kept: 0, refused: 0, failed: 0 }
  for (const { fate } of parts) counts[fate]++
  return counts
}

function linkOf(link: unknown): RenderedLink[] {
  if (!isObject(link)) return []
  const { href, text, nofollow } = link
  if (typeof href !== 'string' || href.length > hrefCharsMax) return []
  return [{ href, text: wordsOf(text, wordsCharsMax), isNoFollow: nofollow === true }]
}

/** Browsertrix tells of a part that failed by its status alone. */
function partOf([name, part]: [string, unknown]): PartAccount[] {
  if (!isObject(part) || name.length > hrefCharsMax) return []
  const { status, outcome, error, reason, protocol, offers } = part
  const answered = typeof status === 'number' && Number.isInteger(status) && status > 0 ? status : 0
  const fate = isFate(outcome) ? outcome : answered > 0 ? 'kept' : 'failed'
  return [
    {
      name,
      fate,
      status: answered,
      ...(typeof error === 'string' && { code: wordsOf(error, wordsCharsMax) }),
      ...(typeof reason === 'string' && { reason: wordsOf(reason, wordsCharsMax) }),
      ...(typeof protocol === 'string' && { protocol: wordsOf(protocol, protocolCharsMax) }),
      ...(Array.isArray(offers) && { offers: offers.slice(0, offersMax).flatMap(protocolOf) }),
    },
  ]
}

function protocolOf(offer: unknown): string[] {
  return typeof offer === 'string' ? [offer.slice(0, protocolCharsMax)] : []
}

function byName({ name: one }: PartAccount, { name: other }: PartAccount): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function isFate(outcome: unknown): outcome is PartFate {
  return outcome === 'kept' || outcome === 'refused' || outcome === 'failed'
}

function wordsOf(value: unknown, charsMax: number): string {
  return typeof value === 'string' ? value.slice(0, charsMax) : ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
