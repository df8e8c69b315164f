// What peers say to each other about browsers, as bytes. Whoever has a page to show asks for one (`offer`, `show`); whoever shows it
// asks back for everything that the page wants (`part`, and `more` of what does not fit into one answer).
//
// Everything is bounded so that a message fits whatever a page does: what is longer is cut, or does not cross.

import {
  bytes,
  choice,
  counter,
  fixed,
  flag,
  number,
  printable,
  text,
} from '../../formats/wire/message-fields.ts'
import { type In, list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import type { PageRequest, ShownPage } from '../../platform/network/browser.ts'

export const pageIdBytes = 16
export const hrefBytesMax = 64 * 1024
const headersMax = 128
const nameBytesMax = 256
const valueBytesMax = 16 * 1024
/** Of one message, of what a page gets or sends. */
export const pieceBytesMax = 1024 * 1024
const linksMax = 10_000
const linkTextBytesMax = 800
const linksBytesMax = 1024 * 1024
const textBytesMax = 1024 * 1024
const titleBytesMax = 4_000
const pictureBytesMax = 768 * 1024
const shortMsMax = 3_600_000

const fields = list(record({ name: text(nameBytesMax), value: text(valueBytesMax) }), headersMax)

export const browserQuestion = union('question about browsers', {
  offer: {},
  show: {
    id: fixed(pageIdBytes),
    href: text(hrefBytesMax),
    timeMs: number(shortMsMax),
    idleMs: number(shortMsMax),
    behaviourMs: number(shortMsMax),
    scrolls: number(1_000),
  },
  part: {
    id: fixed(pageIdBytes),
    number: counter,
    method: printable(32),
    href: text(hrefBytesMax),
    headers: fields,
    body: optional(bytes(pieceBytesMax)),
    isTooLarge: flag,
  },
  more: { id: fixed(pageIdBytes), number: counter },
})
export type BrowserQuestion = Out<typeof browserQuestion>
export type ShowQuestion = Extract<BrowserQuestion, { kind: 'show' }>
export type PartQuestion = Extract<BrowserQuestion, { kind: 'part' }>

export const browserAnswer = union('answer about browsers', {
  /** `free`: pages that it would show for others now. */
  offered: { isReady: flag, free: number(1_000) },
  refused: { code: printable(64), reason: printable(500) },
  shown: {
    ending: choice(['settled', 'time', 'crashed']),
    title: text(titleBytesMax),
    text: text(textBytesMax),
    links: list(
      record({ href: text(hrefBytesMax), text: text(linkTextBytesMax), isNoFollow: flag }),
      linksMax,
    ),
    view: optional(bytes(pictureBytesMax)),
    thumbnail: optional(bytes(pictureBytesMax)),
  },
  /** Of a part: its head, and as much of its body as fits. */
  response: {
    status: number(999),
    headers: fields,
    bodyBytes: optional(counter),
    bytes: bytes(pieceBytesMax),
    isLast: flag,
  },
  piece: { bytes: bytes(pieceBytesMax), isLast: flag },
  /** The request fails in the browser. */
  nothing: {},
})
export type BrowserAnswer = Out<typeof browserAnswer>

/** What a page asked for, as far as it fits. undefined when its URL does not. */
export function partQuestion(id: Uint8Array, number: number, request: PageRequest): PartQuestion | undefined {
  const { method, href, headers, body } = request
  if (Buffer.byteLength(href) > hrefBytesMax || !/^[\x21-\x7e]{1,32}$/.test(method)) return undefined
  const isTooLarge = (body?.length ?? 0) > pieceBytesMax || body === 'too-large'
  return {
    ...{ kind: 'part', id, number, method, href, isTooLarge },
    headers: fieldsThatFit(headers),
    body: isTooLarge ? undefined : (body as Uint8Array | undefined),
  }
}

export function fieldsThatFit(
  headers: Iterable<readonly [string, string]>,
): { name: string; value: string }[] {
  return [...headers]
    .filter(([name, value]) => fits(name, nameBytesMax) && fits(value, valueBytesMax))
    .slice(0, headersMax)
    .map(([name, value]) => ({ name, value }))
}

/** What was seen of a page, as far as it fits. */
export function shownAnswer(shown: ShownPage): In<typeof browserAnswer> {
  const links: { href: string; text: string; isNoFollow: boolean }[] = []
  let linkBytes = 0
  for (const { href, text: words, isNoFollow } of shown.links.slice(0, linksMax)) {
    linkBytes += Buffer.byteLength(href) + Buffer.byteLength(words)
    if (linkBytes > linksBytesMax) break
    if (fits(href, hrefBytesMax)) links.push({ href, text: cut(words, linkTextBytesMax), isNoFollow })
  }
  return {
    kind: 'shown',
    ending: shown.ending,
    title: cut(shown.title, titleBytesMax),
    text: cut(shown.text, textBytesMax),
    links,
    view: pictureThatFits(shown.view),
    thumbnail: pictureThatFits(shown.thumbnail),
  }
}

export function refusal(code: string, reason: string): BrowserAnswer {
  return { kind: 'refused', code, reason: reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}

/** Pictures are JPEG, whoever says so. */
export function isPicture(picture: Uint8Array | undefined): boolean {
  return picture !== undefined && picture[0] === 0xff && picture[1] === 0xd8 && picture[2] === 0xff
}

function pictureThatFits(picture: Uint8Array | undefined): Uint8Array | undefined {
  return picture && picture.length <= pictureBytesMax ? picture : undefined
}

function fits(words: string, bytesMax: number): boolean {
  return Buffer.byteLength(words) <= bytesMax
}

/** At a character's end. */
function cut(words: string, bytesMax: number): string {
  if (fits(words, bytesMax)) return words.toWellFormed()
  const bytes = Buffer.from(words).subarray(0, bytesMax)
  return bytes.toString('utf8').replace(/\ufffd+$/, '')
}
