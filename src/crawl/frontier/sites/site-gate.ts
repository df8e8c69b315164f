// Site gate: which sites are this frontier's to add to and to ask, where several frontiers share the work.
//
// Without a keeper all are: there is only this frontier.

import { PolyhistorError } from '../../../errors.ts'
import type { Url } from '../../../model/url/url.ts'

/** Sites by the first bytes of their ring keys: see site-keys.ts. */
export interface SiteKeeper {
  /** All that is known of the site is here, and grows here. */
  isOpen(site: Buffer): boolean
  /** And nobody else asks it now. */
  canCrawl(site: Buffer): boolean
}

class SiteElsewhere extends PolyhistorError {
  constructor(url: Url) {
    super('site-elsewhere', `${url.site} is crawled by another peer, or not taken over yet`, {
      retry: 'later',
    })
  }
}

export class SiteGate {
  keeper: SiteKeeper | undefined

  get isShared(): boolean {
    return this.keeper !== undefined
  }

  isOpen(site: Buffer): boolean {
    return this.keeper?.isOpen(site) ?? true
  }

  canCrawl(site: Buffer): boolean {
    return this.keeper?.canCrawl(site) ?? true
  }

  /** What is queued elsewhere would be lost. */
  check(site: Buffer, url: Url): void {
    if (!this.isOpen(site)) throw new SiteElsewhere(url)
  }
}
