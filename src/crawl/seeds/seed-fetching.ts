// Seed fetching: a list of seeds that lies on the web, with the sitemaps that it names.
//
// Asked for by name by whoever starts the crawl, so robots.txt is not asked; the address guard is. A sitemap index is followed one
// step, so many sitemaps at most, with a pause between two.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import type { Url } from '../../model/url/url.ts'
import { tryParseLink } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { fetchFollowing } from '../fetch/following.ts'
import { fetchLimits } from '../fetch/limits.ts'
import type { Fetched } from '../fetch/outcome.ts'
import { readSeedList, type SeedList, SeedsMalformed, seedFileBytesMax, seedsMax } from './seed-list.ts'

/** Of one index. */
const sitemapsMax = 100
const pauseMs = 1_000
const limits = { ...fetchLimits, bodyBytesMax: seedFileBytesMax, totalMsMax: 120_000 }

export class SeedFetching {
  readonly #fetcher: Fetcher
  readonly #clock: Clock

  constructor(needs: { fetcher: Fetcher; clock: Clock }) {
    this.#fetcher = needs.fetcher
    this.#clock = needs.clock
  }

  /** Throws SeedsMalformed for what cannot be had or read. */
  async fetch(url: Url, signal?: AbortSignal): Promise<SeedList> {
    return this.complete(await this.#one(url, signal), url.href, signal)
  }

  /** With the URLs of the sitemaps that it names. */
  async complete(list: SeedList, from: string, signal?: AbortSignal): Promise<SeedList> {
    if (list.sitemaps.length === 0) return list
    const urls = new Set(list.urls)
    let skipped = list.skipped + Math.max(0, list.sitemaps.length - sitemapsMax)
    for (const href of list.sitemaps.slice(0, sitemapsMax)) {
      await this.#clock.sleep(pauseMs, signal)
      const part = await this.#sitemap(href, signal)
      skipped += part?.skipped ?? 1
      for (const found of part?.urls ?? []) if (urls.size < seedsMax) urls.add(found)
    }
    if (urls.size === 0) throw new SeedsMalformed(`None of the sitemaps that ${from} names could be read.`)
    return { ...list, urls: [...urls], skipped }
  }

  /** undefined for one that is none: the others may be. */
  async #sitemap(href: string, signal: AbortSignal | undefined): Promise<SeedList | undefined> {
    const url = tryParseLink(href)
    try {
      return url === null ? undefined : await this.#one(url, signal)
    } catch (error) {
      if (error instanceof SeedsMalformed) return undefined
      throw error
    }
  }

  async #one(url: Url, signal: AbortSignal | undefined): Promise<SeedList> {
    const { last, hops } = await fetchFollowing((next) => this.#fetcher.fetch(next, { limits, signal }), url)
    for (const hop of hops) await hop.discard()
    if (last.kind === 'failed') throw new SeedsMalformed(`${url.href} cannot be read: ${last.reason}`)
    try {
      if (last.status !== 200) throw new SeedsMalformed(`${url.href} cannot be read: status ${last.status}`)
      return readSeedList(await bodyOf(last), last.capture.url.href)
    } finally {
      await last.discard()
    }
  }
}

async function bodyOf(fetched: Fetched): Promise<Uint8Array> {
  const decoded = await decodeContent(
    fetched.body(),
    fetched.headers.get('Content-Encoding'),
    seedFileBytesMax,
  )
  if (decoded.end === 'cut') throw new SeedsMalformed('The list of seeds is too large.')
  return decoded.bytes
}
