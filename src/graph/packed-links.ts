// Packed links: those of one version of a page, as extraction hands them over and as the graph keeps them.
//
// What is dear of a new page is done in the thread that reads it: the keys of its targets. The main thread only writes down lines; those
// of the page's own origin without it. Compressed are only long ones: the time of a crawl is dearer than half a kilobyte.
//
// Invariant: what decodes stays within the limits, whatever the bytes are.

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MessageMalformed, MessageReader, MessageWriter } from '../formats/wire/message-bytes.ts'
import type { LinkFound } from '../model/page-link.ts'
import { zstdOptions } from '../platform/compressor.ts'

/** A page's links in the form in which extraction hands them over: one href and one text per line. */
export interface PageLinks {
  readonly hrefs: string
  /** '' when none has any. */
  readonly texts: string
  /** For each the place of its relation in `relations`, and noFollowFlag. */
  readonly marks: Uint8Array
  readonly relations: readonly string[]
  /** See target-key.ts; made when they are needed where nobody has made them. */
  readonly targets?: Uint32Array | undefined
}

/** Of one page: what is beyond is not kept. */
export const linksPerPageMax = 10_000
const bytesMax = 8 * 1024 * 1024
const textCharsMax = 200
const relationsMax = 128
/** In a mark, as extraction has it. */
const noFollowFlag = 0x80
/** Longer ones are compressed. */
const plainBytesMax = 8 * 1024
const plain = 0
const zstd = 1
const options = zstdOptions(1)

/** Those that are kept of so many. */
export function pageLinks(links: PageLinks): PageLinks {
  const { hrefs, texts, marks, relations } = links
  if (marks.length <= linksPerPageMax) return links
  const cut = (text: string): string => text.split('\n').slice(0, linksPerPageMax).join('\n')
  return { hrefs: cut(hrefs), texts: cut(texts), marks: marks.slice(0, linksPerPageMax), relations }
}

export function linksOfList(links: readonly LinkFound[]): PageLinks {
  const relations = [...new Set(links.map(({ relation }) => relation))].slice(0, relationsMax)
  const marks = links.map(
    ({ relation, isNoFollow }) => Math.max(0, relations.indexOf(relation)) | (isNoFollow ? noFollowFlag : 0),
  )
  return pageLinks({
    hrefs: links.map(({ href }) => href).join('\n'),
    texts: links.some(({ text }) => text !== '') ? links.map(({ text }) => text).join('\n') : '',
    relations,
    marks: Uint8Array.from(marks),
  })
}

export function listOfLinks({ hrefs, texts, marks, relations }: PageLinks): LinkFound[] {
  if (marks.length === 0) return []
  const written = texts.split('\n')
  return hrefs.split('\n').map((href, i) => ({
    href,
    relation: relations[marks[i]! & ~noFollowFlag]!,
    isNoFollow: (marks[i]! & noFollowFlag) !== 0,
    text: written[i] ?? '',
  }))
}

/** `pageHref`: of the page that they are on. */
export function packLinks({ hrefs, texts, marks, relations }: PageLinks, pageHref: string): Uint8Array {
  const writer = new MessageWriter().expect(hrefs.length + texts.length + marks.length + 64)
  writeMarks(writer.byte(plain).number(marks.length), marks, relations)
  const origin = originOf(pageHref)
  writer.text(`\n${hrefs}`.replaceAll(`\n${origin}/`, '\n/').slice(1)).text(texts)
  const bytes = writer.finish()
  if (bytes.length <= plainBytesMax) return bytes
  return Buffer.concat([Buffer.from([zstd]), zstdCompressSync(bytes.subarray(1), options)])
}

export function unpackLinks(bytes: Uint8Array, pageHref: string): LinkFound[] {
  const reader = new MessageReader(unzipped(bytes))
  const count = reader.number(linksPerPageMax)
  const relations = Array.from({ length: reader.number(relationsMax) }, () => reader.text(textCharsMax))
  const marks = reader.copy(count)
  const hrefs = reader.text(bytesMax)
  const texts = reader.text(bytesMax)
  if (count === 0) return []
  const origin = originOf(pageHref)
  const absolute = `\n${hrefs}`.replaceAll('\n/', `\n${origin}/`).slice(1)
  const links = listOfLinks({ hrefs: absolute, texts, marks, relations })
  if (links.length !== count || links.some(({ relation }) => relation === undefined))
    throw new MessageMalformed('links of a page are missing')
  return links
}

/** Only those relations that there are. */
function writeMarks(writer: MessageWriter, marks: Uint8Array, relations: readonly string[]): void {
  const used: number[] = []
  const written = new Uint8Array(marks.length)
  // Not by Uint8Array.from, which makes an iterator and calls for each.
  for (let at = 0; at < marks.length; at++) {
    const mark = marks[at]!
    const place = mark & ~noFollowFlag
    let number = used.indexOf(place)
    if (number === -1) number = used.push(place) - 1
    written[at] = number | (mark & noFollowFlag)
  }
  writer.number(used.length)
  for (const place of used) writer.text(relations[place]!)
  writer.fixed(written)
}

function originOf(href: string): string {
  const end = href.indexOf('/', 8)
  return end === -1 ? href : href.slice(0, end)
}

function unzipped(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== zstd) return bytes.subarray(1)
  try {
    return zstdDecompressSync(bytes.subarray(1), { maxOutputLength: bytesMax })
  } catch (error) {
    throw new MessageMalformed('it cannot be unpacked', error)
  }
}
