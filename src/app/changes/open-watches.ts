// The watches of a home, with those who are told of what they see: followed by its running peer; without one, kept for the next.

import { join } from 'node:path'
import { FeedBook, feedTables } from '../../changes/feeds/feed-book.ts'
import { type FeedArchive, Feeds } from '../../changes/feeds/feeds.ts'
import { placeTables, StreamPlace } from '../../changes/watches/stream-place.ts'
import { VersionReader, type WatchedArchive } from '../../changes/watches/version-reader.ts'
import { WatchBook, watchTables } from '../../changes/watches/watch-book.ts'
import { type WatchedChanges, WatchFollower } from '../../changes/watches/watch-follower.ts'
import { WatchIndex } from '../../changes/watches/watch-index.ts'
import { WatchLook } from '../../changes/watches/watch-look.ts'
import { type WatchRules, WatchVisits } from '../../changes/watches/watch-visits.ts'
import { Watches } from '../../changes/watches/watches.ts'
import { WebhookBook, webhookTables } from '../../changes/webhooks/webhook-book.ts'
import { WebhookSender } from '../../changes/webhooks/webhook-sender.ts'
import { Webhooks } from '../../changes/webhooks/webhooks.ts'
import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import type { JobService } from '../../model/jobs/job-service.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { Store } from '../../store/store.ts'
import { excerptMarkup } from '../../ui/screens/versions/inline-difference.ts'
import { version } from '../../version.ts'
import { userAgentOf } from '../crawl/crawler.ts'
import type { Platform } from '../platform.ts'
import { realPlatform, realReadingPlatform } from '../real-platform.ts'
import { lookWorkers } from '../threads/page-workers.ts'

type WatchPlatform = Pick<Platform, 'clock' | 'random' | 'keyValues' | 'threads'>

interface Needs {
  readonly platform: WatchPlatform & Pick<Platform, 'startWeb' | 'disk' | 'files'>
  readonly log: Log
  readonly archive: FeedArchive
  readonly changes: WatchedChanges
  readonly rules: WatchRules
  readonly jobs: Pick<JobService, 'start'>
}

export interface OpenWatches {
  readonly watches: Watches
  readonly webhooks: Webhooks
  readonly feeds: Feeds
  /** `origin`: where this archive is read. */
  start(origin: string): void
  close(): Promise<void>
}

const tables = [...watchTables, ...placeTables, ...webhookTables, ...feedTables]
/** What could not be carried out, because rules were full or a disk in trouble, is tried again. */
const againMs = 3_600_000

export async function openWatches(
  needs: Needs,
  home: string,
  allowed: readonly AddressRange[],
): Promise<OpenWatches> {
  const { platform, log, archive, changes, rules, jobs } = needs
  const { clock } = platform
  const folder = join(home, 'watches')
  const map = await openMap(platform, folder)
  await protect(platform, folder)
  const parts = partsOf(platform, map, archive)
  const { book, place, feedBook, webhookBook, index, look, reader } = parts
  const guard = new AddressGuard(allowed)
  const web = await platform.startWeb({ spoolFolder: join(folder, 'spool') })
  const userAgent = userAgentOf(version)
  const sender = new WebhookSender({ ...platform, book: webhookBook, web, allow: guard, userAgent })
  const follower = new WatchFollower({
    ...{ changes, book, index, place, look, clock, log },
    webhooks: webhookBook,
    feeds: feedBook,
    whenEnqueued: () => sender.wake(),
  })
  const visits = new WatchVisits({ book, rules, jobs, reader })
  const whenChanged = () => follower.wake()
  const watches = new Watches({ ...platform, book, index, place, look, feeds: feedBook, visits, whenChanged })
  const webhooks = new Webhooks({
    ...platform,
    book: webhookBook,
    refusalOfHost: (host) => guard.refusalOfHost(host),
    isWatch: (id) => book.find(id) !== undefined,
    wake: (id) => sender.forgive(id),
  })
  const feeds = new Feeds({
    ...{ book: feedBook, place, map, archive, changes, clock, version, whenChanged },
    isFollowing: () => book.size + feedBook.size > 0,
    excerptHtml: excerptMarkup,
  })
  let ensuring: PeriodicTask | undefined
  return {
    watches,
    webhooks,
    feeds,
    start: (origin) => {
      follower.start(origin)
      sender.wake()
      ensuring = new PeriodicTask(platform, againMs, () => visits.ensureAll(), { firstMs: 0 })
    },
    close: async () => {
      await ensuring?.close()
      await feeds.close()
      await follower.close()
      await sender.close()
      await web.close()
      await parts.close()
    },
  }
}

/** Without a running peer: what is said is kept for the next. */
export async function withWatches<T>(
  home: string,
  store: Store,
  work: (parts: { watches: Watches; webhooks: Webhooks }) => Promise<T>,
): Promise<T> {
  const platform = store.isReadOnly ? realReadingPlatform() : realPlatform()
  const map = await openMap(platform, join(home, 'watches'))
  const { book, place, feedBook, webhookBook, index, look, close } = partsOf(
    platform,
    map,
    storeArchive(store),
  )
  try {
    const watches = new Watches({ ...platform, book, index, place, look, feeds: feedBook })
    const webhooks = new Webhooks({
      ...platform,
      book: webhookBook,
      // What its peer may ask is known when that runs.
      refusalOfHost: () => undefined,
      isWatch: (id) => book.find(id) !== undefined,
    })
    return await work({ watches, webhooks })
  } finally {
    await close()
  }
}

/** Secrets are in it. */
async function protect({ disk, files }: Pick<Platform, 'disk' | 'files'>, folder: string): Promise<void> {
  if ((await disk.stat(folder)) === undefined) return
  for (const name of await disk.list(folder))
    if (name.endsWith('.mdb')) await files.protect(join(folder, name))
}

function openMap({ keyValues }: Pick<Platform, 'keyValues'>, folder: string): Promise<KeyValue> {
  return keyValues.open(folder, { tables })
}

function partsOf(platform: WatchPlatform, map: KeyValue, archive: WatchedArchive) {
  const workers = platform.threads.pages(1)
  const reader = new VersionReader({ archive })
  return {
    book: new WatchBook(map),
    place: new StreamPlace(map),
    feedBook: new FeedBook(map),
    webhookBook: new WebhookBook(map),
    index: new WatchIndex(),
    reader,
    look: new WatchLook({ reader, workers: lookWorkers(workers), clock: platform.clock }),
    close: async () => {
      await workers.close()
      await map.close()
    },
  }
}
