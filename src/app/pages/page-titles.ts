// Titles of archived pages, for lists: found in the first bytes of each, once for each content.
//
// A list does not wait for a page that other peers keep and do not give soon: it is shown without its title.

import { unlessFails } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { type Clock, within } from '../../platform/clock.ts'
import { readTitle } from '../../store/export/page-title.ts'
import type { TitleOf, Version } from '../../ui/archive.ts'

const cacheBytes = 4_000_000
const bytesPerEntry = 200
const waitMs = 500

export function pageTitles({
  archive,
  clock,
}: {
  archive: Pick<ReadableArchive, 'read'>
  clock: Clock
}): TitleOf {
  /** '' for pages without one. */
  const known = new LruCache<string, string>({
    bytesMax: cacheBytes,
    sizeOf: (title) => bytesPerEntry + 2 * title.length,
  })
  return async (version) => {
    const name = nameOf(version)
    const title = known.get(name)
    if (title !== undefined) return title || undefined
    const reading = titleOrNone(archive, version).then((found) => {
      known.set(name, found)
      return found
    })
    return (await within(clock, waitMs, reading)) || undefined
  }
}

function nameOf({ content, cursor }: Version): string {
  if (content === undefined) return cursor
  return `${Buffer.from(content.digest.bytes).toString('base64url')}.${content.overflow}`
}

async function titleOrNone(archive: Pick<ReadableArchive, 'read'>, version: Version): Promise<string> {
  // Taken down since, damaged, or with peers that do not answer: a page without title is a page all the same.
  return (await unlessFails(archive.read(version).then(readTitle))) ?? ''
}
