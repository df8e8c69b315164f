// Where a crawl's seeds come from: a list that was read from a file, or one on the web.

import { join } from 'node:path'
import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import { Fetcher } from '../../crawl/fetch/fetcher.ts'
import { SeedFetching } from '../../crawl/seeds/seed-fetching.ts'
import { readSeedList, type SeedList } from '../../crawl/seeds/seed-list.ts'
import type { Url } from '../../model/url/url.ts'
import { version } from '../../version.ts'
import type { Platform } from '../platform.ts'
import { userAgentOf } from './crawler.ts'

export { type SeedList, seedFileBytesMax } from '../../crawl/seeds/seed-list.ts'

interface SeedOptions {
  /** Of the crawler: for what is too large for memory. */
  readonly folder: string
  readonly allowed: readonly AddressRange[]
  readonly insecure: boolean
}

/** Throws SeedsMalformed. */
export function seedsAt(platform: Platform, url: Url, options: SeedOptions): Promise<SeedList> {
  return withFetching(platform, options, (fetching) => fetching.fetch(url))
}

/** The sitemaps that an index names are fetched. */
export async function seedsIn(
  platform: Platform,
  bytes: Uint8Array,
  options: SeedOptions,
): Promise<SeedList> {
  const list = readSeedList(bytes)
  if (list.sitemaps.length === 0) return list
  return withFetching(platform, options, (fetching) => fetching.complete(list, 'the file'))
}

async function withFetching<T>(
  platform: Platform,
  { folder, allowed, insecure }: SeedOptions,
  work: (fetching: SeedFetching) => Promise<T>,
): Promise<T> {
  const { clock } = platform
  const web = await platform.startWeb({ spoolFolder: join(folder, 'spool') })
  try {
    const fetcher = new Fetcher(
      { web, clock },
      { userAgent: userAgentOf(version), allow: new AddressGuard(allowed), insecure },
    )
    return await work(new SeedFetching({ fetcher, clock }))
  } finally {
    await web.close()
  }
}
