// Page record: the links of a page through its versions, as blocks of links that came and went together.
//
// Invariants: blocks that are open (no `goneMs`) hold the links of the newest version, each once. A block that is closed is never
// changed; when there is too much of them the oldest go. So a page that changes a little each day costs a little each day.

import { MessageReader, MessageWriter } from '../formats/wire/message-bytes.ts'
import type { LinkFound, PageLink } from '../model/page-link.ts'
import { linkCharsMax } from '../model/url/url.ts'
import { pageNumberMax } from './link-postings.ts'
import { linksOfList, type PageLinks, packLinks, unpackLinks } from './packed-links.ts'

interface LinkBlock {
  readonly sinceMs: number
  /** Of those that are gone: when they were there last, and when they first were not. */
  readonly lastMs?: number | undefined
  readonly goneMs?: number | undefined
  readonly packed: Uint8Array
}

export interface PageRecord {
  readonly href: string
  /** The graph's own for this page. */
  readonly number: number
  readonly firstMs: number
  /** When the newest version was seen first. */
  readonly lastMs: number
  readonly blocks: readonly LinkBlock[]
}

export interface LinkChanges {
  readonly added: readonly LinkFound[]
  readonly removed: readonly LinkFound[]
}

const version = 1
const closedBlocksMax = 64
const closedBytesMax = 64 * 1024
const blocksMax = 1_000
const blockBytesMax = 4 * 1024 * 1024

export function newRecord(href: string, number: number, atMs: number, links: PageLinks): PageRecord {
  const packed = packLinks(links, href)
  return { href, number, firstMs: atMs, lastMs: atMs, blocks: [{ sinceMs: atMs, packed }] }
}

/** The same page with a newer version. `seenMs`: when the version before was seen last. */
export function withVersion(
  record: PageRecord,
  links: readonly LinkFound[],
  atMs: number,
  seenMs: number,
): { record: PageRecord; changes: LinkChanges } {
  const { href } = record
  const now = new Map(links.map((link) => [nameOf(link), link]))
  const open: LinkBlock[] = []
  const closed = record.blocks.filter(({ goneMs }) => goneMs !== undefined)
  const removed: LinkFound[] = []
  for (const block of record.blocks) {
    const { sinceMs, goneMs, packed } = block
    if (goneMs !== undefined) continue
    const kept: LinkFound[] = []
    const gone: LinkFound[] = []
    for (const link of unpackLinks(packed, href)) (now.delete(nameOf(link)) ? kept : gone).push(link)
    removed.push(...gone)
    // Most blocks stay whole, and are not packed again.
    if (kept.length > 0) open.push(gone.length === 0 ? block : blockOf(sinceMs, kept, href))
    if (gone.length > 0)
      closed.push({ ...blockOf(sinceMs, gone, href), lastMs: Math.max(sinceMs, seenMs), goneMs: atMs })
  }
  const added = [...now.values()]
  if (added.length > 0) open.push(blockOf(atMs, added, href))
  const blocks = [...newestOf(closed), ...open]
  return { record: { ...record, lastMs: atMs, blocks }, changes: { added, removed } }
}

/** `seenMs`: when the newest version was seen last. */
export function* linksIn({ href, blocks }: PageRecord, seenMs: number): Generator<PageLink> {
  for (const { sinceMs, lastMs, goneMs, packed } of blocks) {
    const times = {
      firstSeenMs: sinceMs,
      lastSeenMs: lastMs ?? Math.max(sinceMs, seenMs),
      ...(goneMs !== undefined && { goneMs }),
    }
    for (const { href: to, ...link } of unpackLinks(packed, href)) yield { from: href, to, ...link, ...times }
  }
}

export function encodeRecord({ href, number, firstMs, lastMs, blocks }: PageRecord): Uint8Array {
  const writer = new MessageWriter().byte(version).text(href).number(number).number(firstMs)
  writer.number(lastMs - firstMs).number(blocks.length)
  for (const { sinceMs, lastMs: last, goneMs, packed } of blocks) {
    writer.number(sinceMs).number(goneMs === undefined ? 0 : goneMs - sinceMs)
    if (goneMs !== undefined) writer.number((last ?? sinceMs) - sinceMs)
    writer.bytes(packed)
  }
  return writer.finish()
}

export function decodeRecord(bytes: Uint8Array): PageRecord {
  const reader = new MessageReader(bytes)
  reader.byte()
  const href = reader.text(linkCharsMax)
  const number = reader.number(pageNumberMax)
  const firstMs = reader.number()
  const lastMs = firstMs + reader.number()
  const blocks = Array.from({ length: reader.number(blocksMax) }, (): LinkBlock => {
    const sinceMs = reader.number()
    const goneAfterMs = reader.number()
    if (goneAfterMs === 0) return { sinceMs, packed: new Uint8Array(reader.bytes(blockBytesMax)) }
    const block = { sinceMs, goneMs: sinceMs + goneAfterMs, lastMs: sinceMs + reader.number() }
    return { ...block, packed: new Uint8Array(reader.bytes(blockBytesMax)) }
  })
  return { href, number, firstMs, lastMs, blocks }
}

function nameOf({ href, relation, isNoFollow, text }: LinkFound): string {
  return `${href}\n${relation}\n${isNoFollow ? 1 : 0}\n${text}`
}

function blockOf(sinceMs: number, links: readonly LinkFound[], href: string): LinkBlock {
  return { sinceMs, packed: packLinks(linksOfList(links), href) }
}

function newestOf(closed: readonly LinkBlock[]): LinkBlock[] {
  let bytesLeft = closedBytesMax
  const kept: LinkBlock[] = []
  for (const block of closed.toSorted((one, other) => other.goneMs! - one.goneMs!)) {
    bytesLeft -= block.packed.length
    if (bytesLeft < 0 || kept.length === closedBlocksMax) break
    kept.push(block)
  }
  return kept.reverse()
}
