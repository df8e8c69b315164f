// The archive of a running peer, as the API asks for it: what is read, the store and the crawler behind one desk.

import { isDeepStrictEqual } from 'node:util'
import type { ArchiveService, TakedownTarget } from '../../api/v1/archive/archive-service.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import type { ArchivedCapture, ExportRequest } from '../../model/archive.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { TakedownOutcome } from '../../network/takedowns/network-takedowns.ts'
import type { Spool } from '../../store/spool.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler } from '../crawl/crawler.ts'
import { explainWith } from '../crawl/explain-url.ts'
import { capturesOfPage } from '../pages/page-captures.ts'
import { spooled } from './spooled.ts'

/** Those of the network: said on one peer, carried out on all. */
interface NetworkTakedowns {
  takedown(target: TakedownTarget, reason: string): Promise<TakedownOutcome>
  destroy(target: TakedownTarget, reason: string): Promise<TakedownOutcome>
  /** Takes back what this peer said; what others said stands, unless this is an administrator's. */
  release?(target: TakedownTarget, reason: string): Promise<unknown>
  /** Who has taken it down, in a way that counts; it may not be in force yet. */
  wordsOf?(target: TakedownTarget): readonly unknown[]
}

export class PeerArchive implements ArchiveService {
  readonly #archive: ReadableArchive
  readonly #store: Store
  readonly #takedowns: NetworkTakedowns | undefined
  readonly #crawler: Crawler
  readonly #downloads: Spool
  readonly #allowed: readonly AddressRange[]

  /** `downloads`: for files that are made before they are sent. */
  constructor(
    needs: {
      archive: ReadableArchive
      store: Store
      /** The network's, where there is one. */
      takedowns?: NetworkTakedowns | undefined
      crawler: Crawler
      downloads: Spool
    },
    allowed: readonly AddressRange[],
  ) {
    this.#archive = needs.archive
    this.#takedowns = needs.takedowns
    this.#downloads = needs.downloads
    this.#store = needs.store
    this.#crawler = needs.crawler
    this.#allowed = allowed
  }

  read(capture: ArchivedCapture) {
    return this.#archive.read(capture)
  }

  export(request: ExportRequest & { readonly signal: AbortSignal }) {
    return this.#archive.export(request)
  }

  pageCaptures(url: Url, span: TimeSpan, signal: AbortSignal) {
    return capturesOfPage(this.#archive, url, span, signal)
  }

  exportFile(request: ExportRequest) {
    return spooled(this.#downloads, this.#archive.export(request).chunks)
  }

  takedowns() {
    return this.#store.takedowns()
  }

  async takedown(target: TakedownTarget, reason: string): Promise<TakedownOutcome> {
    if (this.#takedowns !== undefined) return this.#takedowns.takedown(target, reason)
    return { captures: await this.#store.takedown(target, reason), unheard: [] }
  }

  /** The network hides it, and can take that back; only here there is no way back. */
  async destroy(target: TakedownTarget, reason: string) {
    if (this.#takedowns !== undefined) return this.#takedowns.destroy(target, reason)
    const outcome = await this.takedown(target, reason)
    await this.#store.takedown(target, reason, { isNow: true })
    return outcome
  }

  async release(target: TakedownTarget, reason: string) {
    const before = (await this.#store.stat()).hiddenCaptures
    // The store says why, where there is nothing to release.
    const isWaiting = (this.#takedowns?.wordsOf?.(target).length ?? 0) > 0 && !this.#isKnown(target)
    if (this.#takedowns?.release !== undefined && (isWaiting || this.#isReleasable(target)))
      await this.#takedowns.release(target, reason)
    else await this.#store.release(target)
    const { hiddenCaptures } = await this.#store.stat()
    return { captures: Math.max(0, before - hiddenCaptures), isHidden: this.#isReleasable(target) }
  }

  #isKnown(target: TakedownTarget): boolean {
    for (const { target: other } of this.#store.takedowns()) if (isDeepStrictEqual(other, target)) return true
    return false
  }

  #isReleasable(target: TakedownTarget): boolean {
    for (const { target: other, stage } of this.#store.takedowns()) {
      if (isDeepStrictEqual(other, target)) return stage !== 'destroying' && stage !== 'destroyed'
    }
    return false
  }

  async stats() {
    const { volumes, ...stat } = await this.#store.stat()
    const { counts, underWay } = this.#crawler.crawl
    return { ...stat, volumes: volumes.length, crawl: { ...counts, underWay } }
  }

  async volumes() {
    return (await this.#store.stat()).volumes
  }

  explain(url: Url) {
    return explainWith({ crawler: this.#crawler, store: this.#store }, url, this.#allowed)
  }
}
