// The archive of a running peer, as the API asks for it: what is read, the store and the crawler behind one desk.

import type { ArchivedCapture } from '../api/archive.ts'
import type { ArchiveDesk, ExportWish, TakedownTarget } from '../api/v1/archive-desk.ts'
import type { AddressRange } from '../crawl/address/address-range.ts'
import type { Crawler } from '../crawler.ts'
import { explainWith } from '../explain-url.ts'
import type { Url } from '../record/url.ts'
import type { Spool } from '../store/spool.ts'
import type { Store } from '../store/store.ts'
import type { ReadableArchive } from './shelf/readable-archive.ts'
import { spooled } from './spooled.ts'

export class PeerArchive implements ArchiveDesk {
  readonly #archive: ReadableArchive
  readonly #store: Store
  readonly #takedowns: Pick<Store, 'takedown'>
  readonly #crawler: Crawler
  readonly #downloads: Spool
  readonly #allowed: readonly AddressRange[]

  /** `downloads`: for files that are made before they are sent. */
  constructor(
    needs: {
      archive: ReadableArchive
      store: Store
      /** The network's, where there is one. */
      takedowns?: Pick<Store, 'takedown'> | undefined
      crawler: Crawler
      downloads: Spool
    },
    allowed: readonly AddressRange[],
  ) {
    this.#archive = needs.archive
    this.#takedowns = needs.takedowns ?? needs.store
    this.#downloads = needs.downloads
    this.#store = needs.store
    this.#crawler = needs.crawler
    this.#allowed = allowed
  }

  read(capture: ArchivedCapture) {
    return this.#archive.read(capture)
  }

  export(wish: ExportWish & { readonly signal: AbortSignal }) {
    return this.#archive.export(wish)
  }

  exportFile(wish: ExportWish) {
    return spooled(this.#downloads, this.#archive.export(wish).chunks)
  }

  takedowns() {
    return this.#store.takedowns()
  }

  takedown(target: TakedownTarget, reason: string) {
    return this.#takedowns.takedown(target, reason)
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
