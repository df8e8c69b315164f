// Whether an entry of a site that another frontier hands over can be one: what this frontier could not read later is left out, for it
// would fail at every look, and at every start.
//
// An entry may still be untrue: whoever crawled the site before is believed about what is queued and known.

import { decodeEvent } from '../../../changes/event-coding.ts'
import { PageMemory } from '../../../changes/page-change/cosmetic/page-memory.ts'
import { SiteMemory } from '../../../changes/page-change/cosmetic/site-memory.ts'
import { pageStateCoding } from '../../../changes/page-state.ts'
import { type RingKey, ringKeyOfSite } from '../../../model/ring-key.ts'
import type { SiteKey } from '../../../model/url/site.ts'
import { tryParseUrl } from '../../../model/url/url.ts'
import { decodeVisitEntry } from '../../recrawl/visit-entry.ts'
import { eventHead } from '../changes/change-log.ts'
import { isEventName } from '../changes/event-keys.ts'
import { urlHashBytes } from '../known/url-hash.ts'
import { chunkText } from '../lanes/packed-chunk.ts'
import { decodeItems, Origins } from '../lanes/queue-chunk.ts'
import { kindIn, restOf } from './entry-names.ts'
import { rankBytes } from './site-keys.ts'

const shapeBytes = 12
/** Of times and counts: what is written in six bytes, and room to add to it. */
const numberMax = 2 ** 47
const listMax = 256
const textMax = 1_000

export function isReadableEntry(site: RingKey, name: string, value: Uint8Array): boolean {
  const rest = restOf(name)
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
  switch (kindIn(name)) {
    case undefined:
      return false
    case 'site':
      return rest === '' && isSite(site, text)
    case 'host':
      return isAuthority(site, rest) && isPlainJson(text)
    case 'lane':
      return isAuthority(site, rest) && laneCounts(text).every((count) => isCount(count))
    case 'queued':
      return isQueue(site, rest, text)
    case 'visit':
      return rest.length === urlHashBytes && isVisit(site, value)
    case 'state':
      return (
        rest.length === urlHashBytes && unlessUnreadable(() => pageStateCoding.decode(value)) !== undefined
      )
    case 'event':
      return isEventName(rest) ? isEvent(site, rest, value) : rest === '' && isEventHead(value)
    case 'memory':
      return isMemory(rest, value)
    case 'shape':
      return rest.length === urlHashBytes && value.length === shapeBytes
    case 'plan':
      return rest === '' && isPlainJson(text)
    // Whoever wrote a note reads it with care; of hashes of URLs any bytes will do.
    case 'note':
    case 'known':
      return true
  }
}

function isSite(site: RingKey, text: string): boolean {
  const [key, name, ...more] = text.split(' ')
  return key === site && more.length === 0 && ringKeyOfSite(name as SiteKey) === site
}

function isAuthority(site: RingKey, authority: string): boolean {
  const url = tryParseUrl(`http://${authority}/`)
  return url !== null && url.ringKey === site && url.authority === authority
}

function isQueue(site: RingKey, rest: string, text: string): boolean {
  const authority = rest.slice(0, -rankBytes - 1)
  if (rest[authority.length] !== '\0' || !isAuthority(site, authority)) return false
  const items = unlessUnreadable(() => decodeItems(chunkText(text), new Origins(authority)))
  return items !== undefined && items.length > 0 && items.every((item) => isQueued(site, item))
}

function isQueued(site: RingKey, { offset, entry }: ReturnType<typeof decodeItems>[number]): boolean {
  const { href, kind, depth, requisiteHops, redirects, attempt, via } = entry
  return (
    kind !== undefined &&
    [offset, depth, requisiteHops, redirects, attempt].every((number) => isCount(number, 2 ** 32)) &&
    isOf(site, href) &&
    (via === '' || tryParseUrl(via) !== null)
  )
}

function isVisit(site: RingKey, value: Uint8Array): boolean {
  const visit = unlessUnreadable(() => decodeVisitEntry(value))
  if (visit?.queue === undefined) return false
  const { visitedAtMs = 0, dueAtMs, intervalMs = 0 } = visit.page
  return [visit.atMs, visitedAtMs, dueAtMs, intervalMs].every((ms) => isCount(ms)) && isOf(site, visit.href)
}

function isEvent(site: RingKey, rest: string, value: Uint8Array): boolean {
  const event = unlessUnreadable(() => decodeEvent(value))
  if (event === undefined || Buffer.from(rest, 'latin1').readUIntBE(0, rest.length) !== event.sequence)
    return false
  const url = tryParseUrl(event.url)
  return url?.ringKey === site && url.site === event.site && isCount(event.stamp) && isCount(event.atMs)
}

function isMemory(rest: string, value: Uint8Array): boolean {
  if (rest === '') return SiteMemory.isReadable(value)
  return rest.length === urlHashBytes && PageMemory.isReadable(value)
}

function isEventHead(value: Uint8Array): boolean {
  const head = unlessUnreadable(() => eventHead.decode(value))
  return head !== undefined && isCount(head.stamp) && isCount(head.sequence) && isCount(head.droppedUpTo)
}

/** How many URLs were taken on and wait; when its turn is, each frontier decides for itself. */
function laneCounts(text: string): number[] {
  return text.split(' ').slice(0, 2).map(Number)
}

function isOf(site: RingKey, href: string): boolean {
  return tryParseUrl(href)?.ringKey === site
}

function isCount(number: number, max = numberMax): boolean {
  return Number.isInteger(number) && number >= 0 && number <= max
}

/** An object of numbers, lists of numbers and short texts, as paces and plans are. */
function isPlainJson(text: string): boolean {
  const value = unlessUnreadable(() => JSON.parse(text) as unknown)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(
    (field: unknown) =>
      isPlain(field) || (Array.isArray(field) && field.length <= listMax && field.every(isNumber)),
  )
}

function isPlain(field: unknown): boolean {
  return (
    isNumber(field) ||
    field === null ||
    typeof field === 'boolean' ||
    (typeof field === 'string' && field.length <= textMax)
  )
}

function isNumber(field: unknown): boolean {
  return typeof field === 'number' && Math.abs(field) <= numberMax
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    // Bytes of strangers: whatever goes wrong in reading them, they are no entry.
    return undefined
  }
}
