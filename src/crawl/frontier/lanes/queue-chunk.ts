// Queue chunk: some queued URLs of a lane as they lie on disk together.
//
// Neighbours in a queue are alike: they come from the same page and go to the same host. So scheme and target are written
// as what differs from the URL before, and where it was found only when that changes. A queued URL takes some 40 bytes
// like this, where an entry of the tree each would take 250, on disk and, as the tree is mapped, in memory.
// Three lines for each: kind, place and counts; target; via. URLs have neither line ends nor characters beyond one byte.
// What is taken out is struck out by a line at the end, with its place: a chunk is emptied URL by URL, and writing all of
// the rest anew for each would cost more than all else about a URL.

import { sharedLength } from '../../../model/url/shared-length.ts'
import type { QueueEntry } from './queue-entry.ts'
import { kindLetters, kindOfLetter } from './queue-entry.ts'

export interface ChunkItem {
  /** How much later than the chunk's first it was queued. */
  readonly offset: number
  readonly entry: QueueEntry
}

/** What the next one is written against. */
export interface ChunkEnd {
  readonly target: string
  readonly via: string
}

/** No kind of URL has this letter. */
const strikeMark = '-'
const strikeCode = strikeMark.charCodeAt(0)

export const chunkStart: ChunkEnd = { target: '', via: '' }

export function encodeItem(
  { offset, entry }: ChunkItem,
  origin: Origins,
  before: ChunkEnd,
): [string, ChunkEnd] {
  const target = origin.shorten(entry.href)
  const via = origin.shorten(entry.via)
  const shared = sharedLength(before.target, target)
  const counts = [entry.depth, entry.requisiteHops, entry.redirects, entry.attempt]
  const head = `${kindLetters[entry.kind]}${[offset, ...counts]
    .map(inBase36)
    .join(',')
    .replace(/(,0)+$/, '')}`
  const text = `${head}\n${inBase36(shared)}:${target.slice(shared)}\n${via === before.via ? '=' : via}\n`
  return [text, { target, via }]
}

/** The chunk without the item of this offset; '' when that was its last. */
export function strikeOut(text: string, offset: number): string {
  let left = -1
  for (let at = 0; at < text.length; ) {
    const isStrike = text.charCodeAt(at) === strikeCode
    left += isStrike ? -1 : 1
    for (let lines = isStrike ? 1 : 3; lines > 0; lines--) at = text.indexOf('\n', at) + 1
  }
  return left === 0 ? '' : `${text}${strikeMark}${inBase36(offset)}\n`
}

export function decodeItems(text: string, origin: Origins): ChunkItem[] {
  const lines = text.split('\n')
  const items = new Map<number, ChunkItem>()
  let { target, via } = chunkStart
  for (let line = 0; line + 1 < lines.length; line += 3) {
    const head = lines[line]!
    if (head.startsWith(strikeMark)) {
      items.delete(fromBase36(head.slice(1)))
      line -= 2
      continue
    }
    const numbers = head.slice(1).split(',').map(fromBase36)
    const [offset = 0, depth = 0, requisiteHops = 0, redirects = 0, attempt = 0] = numbers
    const colon = lines[line + 1]!.indexOf(':')
    target = target.slice(0, fromBase36(lines[line + 1]!.slice(0, colon))) + lines[line + 1]!.slice(colon + 1)
    if (lines[line + 2] !== '=') via = lines[line + 2]!
    const entry: QueueEntry = {
      href: origin.lengthen(target),
      kind: kindOfLetter.get(head[0]!)!,
      depth,
      via: origin.lengthen(via),
      requisiteHops,
      redirects,
      attempt,
    }
    items.set(offset, { offset, entry })
  }
  return [...items.values()]
}

/** How much later than the first the last of its items was queued. */
export function lastOffset(text: string): number {
  return decodeItems(text, new Origins('')).at(-1)?.offset ?? 0
}

/** URLs of a lane's own host, with a letter for the scheme in place of the origin. */
export class Origins {
  readonly #http: string
  readonly #https: string

  constructor(authority: string) {
    this.#http = `http://${authority}/`
    this.#https = `https://${authority}/`
  }

  shorten(href: string): string {
    if (href.startsWith(this.#https)) return `S${href.slice(this.#https.length)}`
    return href.startsWith(this.#http) ? `H${href.slice(this.#http.length)}` : href
  }

  /** Others start with a small `h`, or are empty. */
  lengthen(short: string): string {
    if (short.startsWith('S')) return this.#https + short.slice(1)
    return short.startsWith('H') ? this.#http + short.slice(1) : short
  }
}

function inBase36(value: number): string {
  return value.toString(36)
}

function fromBase36(text: string): number {
  return text === '' ? 0 : Number.parseInt(text, 36)
}
