// Site gate: which sites are this frontier's to add to and to ask, where several frontiers share the work.
//
// Without a keeper all are: there is only this frontier. With one, what lies under a prefix without a name is nobody's.

import { PolyhistorError } from '../../../errors.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { Url } from '../../../model/url/url.ts'
import type { SiteNames } from './site-names.ts'

export interface SiteKeeper {
  /** All that is known of the site is here, and grows here. */
  isOpen(site: RingKey): boolean
  /** And nobody else asks it now. */
  canCrawl(site: RingKey): boolean
}

class SiteElsewhere extends PolyhistorError {
  constructor(url: Url) {
    super('site-elsewhere', `${url.site} is crawled by another peer, or not taken over yet`, {
      retry: 'later',
    })
  }
}

export class SiteGate {
  readonly #names: SiteNames
  keeper: SiteKeeper | undefined

  constructor(names: SiteNames) {
    this.#names = names
  }

  get isShared(): boolean {
    return this.keeper !== undefined
  }

  isOpen(site: RingKey): boolean {
    return this.keeper?.isOpen(site) ?? true
  }

  canCrawl(site: RingKey): boolean {
    return this.keeper?.canCrawl(site) ?? true
  }

  /** The same for the site whose entries start like this. */
  isOpenAt(prefix: Buffer): boolean {
    if (this.keeper === undefined) return true
    const site = this.#names.at(prefix)
    return site !== undefined && this.keeper.isOpen(site)
  }

  canCrawlAt(prefix: Buffer): boolean {
    if (this.keeper === undefined) return true
    const site = this.#names.at(prefix)
    return site !== undefined && this.keeper.canCrawl(site)
  }

  /** What is queued elsewhere would be lost. */
  check(url: Url): void {
    if (!this.isOpen(url.ringKey)) throw new SiteElsewhere(url)
  }
}
