// Mentions as bytes: who links to the targets of a batch, with which words. A section of its own, in the order of the links that
// are mentions.
//
// Each page stands in it once, front-coded against the one before, and each text once: a page tells of several links, and a site
// links with the same words from all its pages. Then columns of numbers. What that is worth: bench/results/exchange.md.
//
// Invariant: what decodes stays within the limits, whatever the bytes are.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { mentionTextBytesMax, relationBytesMax } from '../../../graph/incoming-links.ts'
import type { LinkMention } from '../../../model/page-link.ts'
import { sharedLength } from '../../../model/url/shared-length.ts'
import { linkCharsMax, tryParseLink } from '../../../model/url/url.ts'

const mentionsMax = 65_536
const relationsMax = 64
const charsMax = 8 * 1024 * 1024
const noFollowFlag = 1
const goneFlag = 2

interface Page {
  readonly href: string
  readonly atMs: number
}

export function encodeMentions(mentions: readonly LinkMention[]): Uint8Array {
  const pages = [
    ...new Map(mentions.map(({ page, atMs }) => [`${page} ${atMs}`, { href: page, atMs }])).values(),
  ]
  pages.sort((one, other) => (one.href < other.href ? -1 : one.href > other.href ? 1 : one.atMs - other.atMs))
  const numbers = new Map(pages.map(({ href, atMs }, number) => [`${href} ${atMs}`, number]))
  const texts = [...new Set(mentions.map(({ text }) => text))].sort()
  const textNumbers = new Map(texts.map((text, number) => [text, number]))
  const relations = [...new Set(mentions.map(({ relation }) => relation))]
  const writer = new MessageWriter().number(mentions.length).number(relations.length)
  for (const relation of relations) writer.text(relation)
  writePages(writer.number(pages.length), pages)
  writer.number(texts.length).text(texts.join('\n'))
  for (const { page, atMs } of mentions) writer.number(numbers.get(`${page} ${atMs}`)!)
  for (const { text } of mentions) writer.number(textNumbers.get(text)!)
  for (const { relation } of mentions) writer.number(relations.indexOf(relation))
  for (const { isNoFollow, isGone } of mentions)
    writer.byte((isNoFollow ? noFollowFlag : 0) | (isGone ? goneFlag : 0))
  return writer.finish()
}

export function decodeMentions(bytes: Uint8Array): LinkMention[] {
  const reader = new MessageReader(bytes)
  const count = reader.count()
  if (count > mentionsMax) throw new MessageMalformed('it has too many mentions')
  const relations = Array.from({ length: reader.number(relationsMax) }, () => reader.name(relationBytesMax))
  const pages = readPages(reader)
  const textCount = reader.count()
  const texts = reader.text(charsMax).split('\n')
  if (textCount !== (count === 0 ? 0 : texts.length) || texts.some(isTooLong))
    throw new MessageMalformed('the texts of mentions are missing or too long')
  const column = (length: number): number[] => Array.from({ length: count }, () => reader.index(length))
  const [pageOf, textOf, relationOf] = [column(pages.length), column(texts.length), column(relations.length)]
  return Array.from({ length: count }, (_, i) => {
    const flags = reader.byte()
    const { href, atMs } = pages[pageOf[i]!]!
    return {
      page: href,
      atMs,
      text: texts[textOf[i]!]!,
      relation: relations[relationOf[i]!]!,
      isNoFollow: (flags & noFollowFlag) !== 0,
      isGone: (flags & goneFlag) !== 0,
    }
  })
}

function writePages(writer: MessageWriter, pages: readonly Page[]): void {
  const firstMs = pages.reduce((least, { atMs }) => Math.min(least, atMs), pages[0]?.atMs ?? 0)
  writer.number(firstMs)
  let before = ''
  let rests = ''
  for (const { href, atMs } of pages) {
    const shared = sharedLength(before, href)
    writer.number(shared).number(atMs - firstMs)
    rests += `${href.slice(shared)}\n`
    before = href
  }
  writer.text(rests)
}

function readPages(reader: MessageReader): Page[] {
  const count = reader.count()
  const firstMs = reader.counter()
  const shared: number[] = []
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    shared.push(reader.number(linkCharsMax))
    times.push(firstMs + reader.counter())
  }
  const rests = reader.text(charsMax).split('\n')
  if (rests.length !== count + 1) throw new MessageMalformed('pages are missing')
  let before = ''
  let charsLeft = charsMax
  return shared.map((length, i) => {
    if (length > before.length) throw new MessageMalformed('a page repeats more than there is')
    const href = before.slice(0, length) + rests[i]!
    charsLeft -= href.length
    if (charsLeft < 0 || tryParseLink(href)?.href !== href)
      throw new MessageMalformed('the page of a mention is not written as a URL is')
    before = href
    return { href, atMs: times[i]! }
  })
}

/** What it says of itself is shown to people: control characters stay out. */
function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > mentionTextBytesMax || /\p{Cc}/u.test(text)
}
