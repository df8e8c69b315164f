// Which pages have a small picture, taken when a browser showed them; also those that only other peers keep.
//
// A list asks for all of its pages at once, a few at a time; whoever answers late, or not at all, has none in it (PageArchive.viewTimes).

import { viewUrl } from '../formats/warc/page-views.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import type { PageArchive, Version } from './archive.ts'

/** Of one URL, looked at for one list. */
const picturesMax = 500
/** Asked for at a time. */
const width = 16

type Views = Pick<PageArchive, 'viewTimes'>
type Shown = Pick<Version, 'url' | 'capturedAtMs'>

/** When pictures of the page were taken, which is when it was captured. */
export async function thumbnailTimes(
  archive: Views,
  url: Url,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlySet<number>> {
  const filed = viewUrl(url, 'thumbnail')
  if (filed === undefined) return new Set()
  return new Set(await archive.viewTimes(filed, { fromMs, toMs: toMs + 1, limit: picturesMax }))
}

/** Each with whether it has one. `apartMsMax`: where the times of captures are not known exactly. */
export async function withThumbnails<T>(
  archive: Views,
  items: readonly T[],
  shownOf: (item: T) => Shown | undefined,
  apartMsMax = 0,
): Promise<(T & { hasThumbnail: boolean })[]> {
  const done: (T & { hasThumbnail: boolean })[] = []
  for (let start = 0; start < items.length; start += width) {
    const some = items.slice(start, start + width)
    const told = await Promise.all(some.map((item) => hasThumbnail(archive, shownOf(item), apartMsMax)))
    done.push(...some.map((item, index) => ({ ...item, hasThumbnail: told[index]! })))
  }
  return done
}

async function hasThumbnail(archive: Views, shown: Shown | undefined, apartMsMax: number): Promise<boolean> {
  const url = shown === undefined ? null : tryParseUrl(shown.url)
  if (shown === undefined || url === null) return false
  const { capturedAtMs } = shown
  const span = { fromMs: Math.max(0, capturedAtMs - apartMsMax), toMs: capturedAtMs + apartMsMax }
  return (await thumbnailTimes(archive, url, span)).size > 0
}
