// Notes: what others keep with a site (robots.txt of an origin), under names of theirs. They go where the site goes.

import type { RingKey } from '../../../model/ring-key.ts'
import type { Url } from '../../../model/url/url.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import { afterPrefix, noteKey, sitePrefix } from './site-keys.ts'
import { prefixOf } from './site-log.ts'

export class SiteNotes {
  readonly #tables: FrontierTables

  constructor(tables: FrontierTables) {
    this.#tables = tables
  }

  /** What others keep with a site (robots.txt of an origin), under a name of theirs. */
  get(url: Url, name: string): Uint8Array | undefined {
    return this.#tables.sites.get(noteKey(sitePrefix(url), name))
  }

  /** The same for all whose names start like this, by name. */
  *startingWith(site: RingKey, start: string): Generator<[name: string, bytes: Uint8Array]> {
    const prefix = noteKey(Buffer.from(prefixOf(site), 'latin1'), start)
    const nameAt = prefix.length - start.length
    for (const [key, value] of this.#tables.sites.range(prefix, afterPrefix(prefix)))
      yield [key.toString('latin1', nameAt), value]
  }

  put(url: Url, name: string, bytes: Uint8Array | undefined): void {
    const { sites, names, door, buffer } = this.#tables
    const key = noteKey(sitePrefix(url), name)
    if (bytes === undefined) sites.remove(key)
    else {
      // Without a name it would not be brought in anywhere.
      if (door.isOpen(url.ringKey)) names.note(url)
      sites.put(key, bytes)
    }
    buffer.checkpoint()
  }
}
