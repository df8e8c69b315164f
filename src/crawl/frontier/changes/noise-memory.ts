// Noise memory: what was learned of the parts of pages that differ at every visit, kept with their site, so that it is replicated and
// goes along when the site changes hands. Whether a change is one of such parts only is judged by it.
//
//   site  'm'         of the site: some kilobytes
//   site  'm' hash    of a page that has changed: some hundred bytes
//
// A page's memory is put in the commit that completes the visit. The site's is not: it would be most of what is shipped to other
// peers. It is put when it is the first, then after so many visits or so long, before the site is read to be handed over, and when there
// is no more room for it in memory. What is lost with a process is learned again: until then more is shown than need be.

import {
  type Judgement,
  judge,
  learn,
  learnUnchanged,
} from '../../../changes/page-change/cosmetic/judgement.ts'
import { PageMemory } from '../../../changes/page-change/cosmetic/page-memory.ts'
import { SiteMemory } from '../../../changes/page-change/cosmetic/site-memory.ts'
import type { VersionDifference } from '../../../changes/page-change/page-change.ts'
import type { Url } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import { UrlHash } from '../known/url-hash.ts'
import { hashedMemoryKey, siteMemoryKey, sitePrefix } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'

interface Needs {
  readonly sites: BufferedTable
  readonly clock: Pick<Clock, 'nowMs'>
}

interface HeldSite {
  readonly site: Buffer
  readonly memory: SiteMemory
  /** Visits that taught it something since it was put. */
  unwritten: number
  writtenAtMs: number
}

/** Each some ten to a hundred kilobytes in memory. */
const sitesMax = 128
/** 14 kB at most for so many visits: less than their events. */
const visitsPerWrite = 25
const writeAfterMs = 10 * 60_000

export class NoiseMemory {
  readonly #needs: Needs
  readonly #hash = new UrlHash()
  /** The one used least recently first. */
  readonly #held = new Map<string, HeldSite>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Judges a change by what was learned before it, and learns from it. */
  judge(url: Url, difference: VersionDifference): Judgement {
    const key = this.#keyOf(url)
    const page = PageMemory.fromBytes(this.#needs.sites.get(key))
    const held = this.#hold(sitePrefix(url))
    const judgement = judge(difference, page, held.memory)
    learn(difference, page, held.memory, url.href)
    this.#put(key, page, held)
    return judgement
  }

  /** As `judge`, without learning: for what was not a visit. */
  isNoise(url: Url, difference: VersionDifference): boolean {
    const page = PageMemory.fromBytes(this.#needs.sites.get(this.#keyOf(url)))
    return judge(difference, page, this.#hold(sitePrefix(url)).memory).cosmetic
  }

  /** A visit showed the same as the one before. Of pages that never changed there is nothing to learn. */
  unchanged(url: Url): void {
    const key = this.#keyOf(url)
    const stored = this.#needs.sites.get(key)
    if (stored === undefined) return
    const page = PageMemory.fromBytes(stored)
    const held = this.#hold(sitePrefix(url))
    learnUnchanged(page, held.memory)
    this.#put(key, page, held)
  }

  /** Puts those of sites that are due. */
  write(): void {
    const nowMs = this.#needs.clock.nowMs()
    for (const held of this.#held.values()) {
      const isDue = held.unwritten >= visitsPerWrite || nowMs - held.writtenAtMs >= writeAfterMs
      if (isDue) this.#write(held)
    }
  }

  /** Puts that of the site, due or not. */
  writeSite(site: Buffer): void {
    const held = this.#held.get(site.toString('latin1'))
    if (held !== undefined) this.#write(held)
  }

  /** What is on disk is newer, or it is gone. */
  forgetSite(site: Buffer): void {
    this.#held.delete(site.toString('latin1'))
  }

  #put(key: Buffer, page: PageMemory, held: HeldSite): void {
    held.unwritten++
    this.#needs.sites.put(key, page.toBytes())
  }

  #write(held: HeldSite): void {
    if (held.unwritten === 0) return
    held.unwritten = 0
    held.writtenAtMs = this.#needs.clock.nowMs()
    this.#needs.sites.put(siteMemoryKey(held.site), held.memory.toBytes())
  }

  #hold(site: Buffer): HeldSite {
    const text = site.toString('latin1')
    const held = this.#held.get(text) ?? this.#load(site)
    this.#held.delete(text)
    this.#held.set(text, held)
    if (this.#held.size > sitesMax) {
      const [oldest, leaving] = this.#held.entries().next().value!
      this.#write(leaving)
      this.#held.delete(oldest)
    }
    return held
  }

  #load(site: Buffer): HeldSite {
    const stored = this.#needs.sites.get(siteMemoryKey(site))
    const writtenAtMs = stored === undefined ? Number.NEGATIVE_INFINITY : this.#needs.clock.nowMs()
    return { site, memory: SiteMemory.fromBytes(stored), unwritten: 0, writtenAtMs }
  }

  #keyOf(url: Url): Buffer {
    return hashedMemoryKey(sitePrefix(url), this.#hash.of(url.href, 0))
  }
}
