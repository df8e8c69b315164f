// What was kept last, for the home page: pages only. After a start nothing has happened yet: then it is the seeds of the last
// crawls.
//
// What lies with other peers is asked for all at once; what cannot be had now is left out, for the page only mentions it.

import { PolyhistorError } from '../../errors.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import { type Awaitable, firstOf } from '../../model/listed.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { RecentCapture } from '../../ui/archive.ts'

interface Needs {
  readonly archive: ReadableArchive
  readonly jobs: { list(): Awaitable<readonly { readonly seeds: readonly string[] }[]> }
}

const seedsMax = 50
const seedsPerJobMax = 3

/** Newest first. */
export async function recentCaptures(
  recent: readonly RecentCapture[],
  { archive, jobs }: Needs,
): Promise<RecentCapture[]> {
  const shown = new Map<string, RecentCapture>()
  const show = async (href: string, find: (url: Url) => Awaitable<ArchivedCapture | undefined>) => {
    const url = tryParseUrl(href)
    const capture = url === null ? undefined : await knownNow(() => find(url))
    if (capture !== undefined) shown.set(href, capture)
  }
  await Promise.all(
    recent.map(({ url, capturedAtMs }) =>
      show(url, async (parsed) => {
        const capture = await archive.nearest(parsed, capturedAtMs)
        return capture !== undefined && /html/.test(capture.mime) ? capture : undefined
      }),
    ),
  )
  const seeds = (await jobs.list()).flatMap((job) => job.seeds.slice(0, seedsPerJobMax))
  const others = [...new Set(seeds)].filter((seed) => !shown.has(seed)).slice(0, seedsMax)
  await Promise.all(
    others.map((seed) => show(seed, (url) => firstOf(archive.versions(url, { reverse: true, limit: 1 })))),
  )
  return [...shown.values()].sort((left, right) => right.capturedAtMs - left.capturedAtMs)
}

async function knownNow<T>(find: () => Awaitable<T | undefined>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}
