// Trap watch: counts the URLs of each shape on a site, and tells when there are too many to be true.
//
// Counts are kept with the site, per job. Only new URLs are counted, so there is one look on disk for each, at most.

import type { Url } from '../../../model/url/url.ts'
import { UrlHash } from '../known/url-hash.ts'
import { hashedKey, sitePrefix } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { sessionFree } from './session-free.ts'
import type { TrapRules } from './trap-rules.ts'
import { trapSign } from './trap-signs.ts'
import { shapeOf, type UrlShape } from './url-shape.ts'

interface ShapeCounts {
  urls: number
  fetched: number
  repeated: number
}

export class TrapWatch {
  readonly #table: BufferedTable
  readonly #rules: TrapRules
  readonly #hash = new UrlHash()

  constructor(table: BufferedTable, rules: TrapRules) {
    this.#table = table
    this.#rules = rules
  }

  /** Why this new URL is not worth fetching; undefined when it is, and then it is counted. `isKnown` says of a text
   * whether it was taken on in the URL's stead. */
  refusal(
    url: Url,
    job: number,
    depth: number,
    nowMs: number,
    isKnown: (text: string) => boolean,
  ): string | undefined {
    const shape = shapeOf(url)
    const sign = trapSign(url, shape, depth, nowMs, this.#rules)
    if (sign !== undefined) return sign
    const free = sessionFree(url.href)
    if (free !== undefined && isKnown(free)) return 'session id: the same page is known under another one'
    return shape.isCounting ? this.#count(url, job, shape) : undefined
  }

  /** A URL was fetched. */
  fetched(url: Url, job: number, isRepeated: boolean): void {
    const { isCounting, text } = shapeOf(url)
    if (!isCounting) return
    const key = this.#keyOf(url, job, text)
    const counts = this.#read(key)
    counts.fetched++
    if (isRepeated) counts.repeated++
    this.#write(key, counts)
  }

  #count(url: Url, job: number, { text, isDated, path, query }: UrlShape): string | undefined {
    const key = this.#keyOf(url, job, text)
    const counts = this.#read(key)
    const { repeatedCountMin, repeatedShareMax, datedPerShapeMax, urlsPerShapeMax } = this.#rules
    if (counts.fetched >= repeatedCountMin && counts.repeated >= repeatedShareMax * counts.fetched) {
      return `pages like ${text} repeat themselves`
    }
    const max = isDated ? datedPerShapeMax : urlsPerShapeMax
    if (counts.urls >= max) return `more than ${max} URLs like ${text}`
    const overflow = query === '' ? undefined : this.#countQuery(url, job, path)
    if (overflow !== undefined) return overflow
    counts.urls++
    this.#write(key, counts)
    return undefined
  }

  #countQuery(url: Url, job: number, path: string): string | undefined {
    const key = this.#keyOf(url, job, `${url.authority}${path}?`)
    const counts = this.#read(key)
    if (counts.urls >= this.#rules.queriesPerPathMax) {
      return `more than ${this.#rules.queriesPerPathMax} queries of ${path}`
    }
    counts.urls++
    this.#write(key, counts)
    return undefined
  }

  #keyOf(url: Url, job: number, text: string): Buffer {
    return hashedKey(sitePrefix(url), 'shape', job, this.#hash.of(text, 0))
  }

  #read(key: Buffer): ShapeCounts {
    const stored = this.#table.get(key)
    if (stored === undefined) return { urls: 0, fetched: 0, repeated: 0 }
    const bytes = Buffer.from(stored)
    return { urls: bytes.readUInt32BE(0), fetched: bytes.readUInt32BE(4), repeated: bytes.readUInt32BE(8) }
  }

  #write(key: Buffer, { urls, fetched, repeated }: ShapeCounts): void {
    const bytes = Buffer.allocUnsafe(12)
    bytes.writeUInt32BE(urls, 0)
    bytes.writeUInt32BE(fetched, 4)
    bytes.writeUInt32BE(repeated, 8)
    this.#table.put(key, bytes)
  }
}
