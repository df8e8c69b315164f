// Site keys: how the frontier's entries are keyed, so that all of a site lies together, in the order of the ring.
//
//   site  's'                                the site's name and full ring key
//   site  'c' hash                           what the last event of a URL said of it
//   site  'e'                                the head of its log of events
//   site  'e' sequence                       an event: see changes/event-keys.ts
//   site  'h' authority                      the host's pace, address and notes
//   site  'k' job                            how many URLs are known
//   site  'k' job bucket                     some of the known URLs: see known-set.ts
//   site  'l' job authority                  a lane: one job's queue for one host
//   site  'm'                                which parts of its pages differ at every visit: see changes/noise-memory.ts
//   site  'm' hash                           which parts of a page do
//   site  'n' name                           notes of others (robots.txt), as they like
//   site  'p'                                how its recrawls are planned
//   site  'q' job authority NUL rank         some queued URLs: see lane-queue.ts
//   site  't' job shape                      how many URLs of one shape there are
//   site  'v' hash                           when a URL was visited and is due again
//
// `site` is the first 8 of its ring key's 20 bytes: as good as all of them to tell sites apart, and 12 bytes less per known URL.
// Ring keys that others name need not be of any site: site-names.ts tells whose the entries are. `job` is a number of this
// frontier's own.

import { type RingKey, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { Url } from '../../../model/url/url.ts'
import { type UrlHash, urlHashBytes } from '../known/url-hash.ts'

export const sitePrefixBytes = 8
export const jobNumberBytes = 3
export const rankBytes = 8
export const jobNumberMax = 2 ** (8 * jobNumberBytes) - 1

export const entryKinds = {
  site: 's',
  state: 'c',
  event: 'e',
  host: 'h',
  known: 'k',
  lane: 'l',
  memory: 'm',
  note: 'n',
  plan: 'p',
  queued: 'q',
  shape: 't',
  visit: 'v',
} as const
export type EntryKind = keyof typeof entryKinds

const kindOfCode = new Map(
  Object.entries(entryKinds).map(([kind, code]) => [code.charCodeAt(0), kind as EntryKind]),
)
const kindsWithJob: ReadonlySet<EntryKind> = new Set(['known', 'lane', 'queued', 'shape'])

const jobLetters: ReadonlySet<string> = new Set([...kindsWithJob].map((kind) => entryKinds[kind]))

export function isKindWithJob(letter: string): boolean {
  return jobLetters.has(letter)
}

export function lettersWithJob(): string[] {
  return [...jobLetters]
}

/** What all entries of a job on a site start with, one prefix for each kind of entry. */
export function jobPrefixes(site: Buffer, job: number): Buffer[] {
  return [...kindsWithJob].map((kind) => keyOf(site, kind, job, ''))
}

/** By host: finding a host's site and hashing its name takes longer than all else about a key, and a crawl asks many times
 * for few hosts. */
const prefixes = new Map<string, Buffer>()
const prefixesMax = 4_096

/** Shared by all who ask: not to be written to. */
export function sitePrefix(url: Url): Buffer {
  const known = prefixes.get(url.host)
  if (known !== undefined) return known
  const prefix = ownBuffer(ringKeyToBytes(url.ringKey).subarray(0, sitePrefixBytes))
  if (prefixes.size >= prefixesMax) prefixes.clear()
  prefixes.set(url.host, prefix)
  return prefix
}

/** What the entries of the site with this ring key start with, if there is such a site. */
export function prefixOfSite(site: RingKey): Buffer {
  return Buffer.from(site.slice(0, 2 * sitePrefixBytes), 'hex')
}

/** A copy in memory of its own, for what is kept for long: a few bytes of Buffer's pool would keep all 64 KiB of it. */
export function ownBuffer(bytes: Uint8Array): Buffer {
  const own = Buffer.alloc(bytes.length)
  own.set(bytes)
  return own
}

/** All hosts of a site start with it. */
export function hostPrefix(site: Buffer): Buffer {
  return keyOf(site, 'host', undefined, '')
}

/** All lanes of a site start with it. */
export function lanePrefix(site: Buffer): Buffer {
  return keyOf(site, 'lane', undefined, '')
}

export function siteKey(site: Buffer): Buffer {
  return keyOf(site, 'site', undefined, '')
}

export function hostKey(site: Buffer, authority: string): Buffer {
  return keyOf(site, 'host', undefined, authority)
}

export function planKey(site: Buffer): Buffer {
  return keyOf(site, 'plan', undefined, '')
}

export function siteMemoryKey(site: Buffer): Buffer {
  return keyOf(site, 'memory', undefined, '')
}

export function noteKey(site: Buffer, name: string): Buffer {
  return keyOf(site, 'note', undefined, name)
}

export function laneKey(site: Buffer, job: number, authority: string): Buffer {
  return keyOf(site, 'lane', job, authority)
}

/** All queued URLs of a lane start with it. */
export function queuePrefix(site: Buffer, job: number, authority: string): Buffer {
  return keyOf(site, 'queued', job, `${authority}\0`)
}

export function knownPrefix(site: Buffer, job: number): Buffer {
  return keyOf(site, 'known', job, '')
}

export function hashedKey(site: Buffer, kind: 'shape', job: number, hash: UrlHash): Buffer {
  const start = sitePrefixBytes + 1 + jobNumberBytes
  const key = Buffer.allocUnsafe(start + urlHashBytes)
  key.set(site)
  key[sitePrefixBytes] = entryKinds[kind].charCodeAt(0)
  key.writeUIntBE(job, sitePrefixBytes + 1, jobNumberBytes)
  hash.writeTo(key, start)
  return key
}

export function hashedVisitKey(site: Buffer, hash: UrlHash): Buffer {
  return hashedUrlKey(site, 'visit', hash)
}

export function hashedStateKey(site: Buffer, hash: UrlHash): Buffer {
  return hashedUrlKey(site, 'state', hash)
}

export function hashedMemoryKey(site: Buffer, hash: UrlHash): Buffer {
  return hashedUrlKey(site, 'memory', hash)
}

function hashedUrlKey(site: Buffer, kind: 'visit' | 'state' | 'memory', hash: UrlHash): Buffer {
  const key = Buffer.alloc(sitePrefixBytes + 1 + urlHashBytes)
  key.set(site)
  key[sitePrefixBytes] = entryKinds[kind].charCodeAt(0)
  hash.writeTo(key, sitePrefixBytes + 1)
  return key
}

interface EntryName {
  kind: EntryKind
  job: number | undefined
  /** What follows kind and job. */
  rest: Buffer
}

export function parseEntryKey(key: Buffer): EntryName | undefined {
  const kind = kindOfCode.get(key[sitePrefixBytes]!)
  if (kind === undefined) return undefined
  const start = sitePrefixBytes + 1
  if (!kindsWithJob.has(kind)) return { kind, job: undefined, rest: key.subarray(start) }
  return { kind, job: key.readUIntBE(start, jobNumberBytes), rest: key.subarray(start + jobNumberBytes) }
}

/** A key behind all that start with this prefix. A site of another peer's making can have a ring key that is all 0xff: its entries go
 * on with a letter, so another 0xff is behind them. */
export function afterPrefix(prefix: Buffer): Buffer {
  let end = prefix.length
  while (end > 0 && prefix[end - 1] === 0xff) end--
  if (end === 0) return Buffer.concat([prefix, Buffer.from([0xff])])
  const bound = Buffer.from(prefix.subarray(0, end))
  bound[end - 1]!++
  return bound
}

function keyOf(site: Buffer, kind: EntryKind, job: number | undefined, rest: string): Buffer {
  const start = sitePrefixBytes + 1
  const restStart = job === undefined ? start : start + jobNumberBytes
  const key = Buffer.allocUnsafe(restStart + rest.length)
  key.set(site)
  key[sitePrefixBytes] = entryKinds[kind].charCodeAt(0)
  if (job !== undefined) key.writeUIntBE(job, start, jobNumberBytes)
  key.write(rest, restStart, 'latin1')
  return key
}
