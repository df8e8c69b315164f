// Site names: which site the entries under a prefix are of.
//
// A prefix tells real sites apart, but a member can name a ring key that no site has and that begins like a real one's (a
// sibling). Only the site's own name has its whole ring key as hash: so whatever is kept under a prefix is of the site that its
// entry 's' names. While none does, nothing there is worth keeping: the name is written before all that is.

import { readableOr } from '../../../formats/wire/message-bytes.ts'
import { parseRingKey, type RingKey } from '../../../model/ring-key.ts'
import type { Url } from '../../../model/url/url.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { prefixOfSite, siteKey, sitePrefix } from './site-keys.ts'

const namesMax = 4_096

export class SiteNames {
  readonly #sites: BufferedTable
  /** By prefix, as text: lanes are looked at again and again. */
  readonly #known = new Map<string, RingKey>()

  constructor(sites: BufferedTable) {
    this.#sites = sites
  }

  /** The site that is named there; undefined while none is. */
  at(prefix: Buffer): RingKey | undefined {
    const text = prefix.toString('latin1')
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const stored = this.#sites.get(siteKey(prefix))
    const [written = ''] = Buffer.from(stored ?? [])
      .toString('latin1')
      .split(' ')
    // Damaged: it is taken over from others anew.
    const site = readableOr(() => parseRingKey(written), undefined)
    if (site === undefined) return undefined
    if (this.#known.size >= namesMax) this.#known.clear()
    this.#known.set(text, site)
    return site
  }

  /** Another site is named where this one's entries would be. */
  isAnothers(site: RingKey): boolean {
    const named = this.at(prefixOfSite(site))
    return named !== undefined && named !== site
  }

  /** Names the site of a URL, if its prefix has no name. */
  note(url: Url): void {
    const prefix = sitePrefix(url)
    if (this.at(prefix) === undefined)
      this.#sites.put(siteKey(prefix), Buffer.from(`${url.ringKey} ${url.site}`, 'latin1'))
  }

  /** Whatever else was there is gone. */
  remove(prefix: Buffer): void {
    this.#known.delete(prefix.toString('latin1'))
    this.#sites.remove(siteKey(prefix))
  }
}
