// Elsewhere lookup: whether a payload that is to be stored is kept by other peers already.
//
// A payload that is here may be asked about, too: if it came with another site, the peers that get copies of this capture need not
// have it.

import { WarcDamage } from '../../formats/warc/damage.ts'
import { urlOfTarget } from '../../formats/warc/page-views.ts'
import type { Url } from '../../model/url/url.ts'
import type { EarlierCapture, KeepOptions } from '../capture.ts'
import type { ContentKey } from '../contents/content-key.ts'
import type { PayloadFacts } from '../contents/content-matcher.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { contentUri } from '../records/record-builder.ts'
import type { RecordNaming } from '../records/record-naming.ts'
import { StoreError } from '../store-error.ts'
import type { Takedowns } from '../takedowns/takedowns.ts'

interface Needs {
  index: StoreIndex
  naming: RecordNaming
  takedowns: Takedowns
}

export class ElsewhereLookup {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The capture to name for it. */
  async find(facts: PayloadFacts, options: KeepOptions): Promise<EarlierCapture | undefined> {
    if (options.elsewhere === undefined || (options.mode ?? 'regular') !== 'regular') return undefined
    const { payloadDigest: digest, payloadBytes: sizeBytes } = facts
    const found = await options.elsewhere({ digest, sizeBytes })
    if (found === undefined || !this.#needs.takedowns.hidesUrl(found.url)) return found
    // What was taken down is not named any more.
    return { url: contentUri({ digest, overflow: 0 }), capturedAtMs: found.capturedAtMs }
  }

  /** The same for a content that is here. */
  async findFor(
    content: ContentKey,
    url: Url,
    facts: PayloadFacts,
    options: KeepOptions,
  ): Promise<EarlierCapture | undefined> {
    return (await this.#isOfSite(content, url)) ? undefined : this.find(facts, options)
  }

  async #isOfSite(content: ContentKey, { ringKey }: Url): Promise<boolean> {
    const entry = this.#needs.index.content(content)
    if (entry === undefined) return true
    try {
      const { targetUri } = await this.#needs.naming.of(entry.location)
      return urlOfTarget(targetUri)?.ringKey === ringKey
    } catch (error) {
      // Moved or damaged meanwhile: whoever keeps the capture finds out, and decides anew.
      if (error instanceof WarcDamage || error instanceof StoreError) return true
      throw error
    }
  }
}
