// Has parts of pages fetched by the peers that crawl their sites.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Url } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import {
  type ErrandAnswer,
  type ErrandQuestion,
  errandAnswer,
  errandQuestion,
  fits,
  headersThatFit,
} from './errand-messages.ts'

interface Needs {
  readonly calls: CallService
  readonly self: PeerId
  ownerOf(site: RingKey): Promise<{ readonly peer: PeerId }>
  /** For sites that are ours. */
  runHere(question: ErrandQuestion): Promise<ErrandAnswer>
}

export interface Errand {
  readonly url: Url
  readonly page: Url
  readonly kind: ErrandQuestion['kind']
  readonly headers: Iterable<readonly [string, string]>
  /** Where it is no plain GET. */
  readonly sent: { readonly method: string; readonly body: Uint8Array | undefined } | undefined
  readonly isStream: boolean
  /** A capture since then will do; undefined: it is to be fetched. */
  readonly sinceMs: number | undefined
}

/** A host is asked at its pace, and others wait there, too. */
const answerMsMax = 120_000

export class Errands {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** undefined when nobody can be asked, or nobody answers. */
  async run(
    { url, page, kind, headers, sent, isStream, sinceMs = 0 }: Errand,
    signal: AbortSignal,
  ): Promise<ErrandAnswer | undefined> {
    const { method = 'GET', body } = sent ?? {}
    const part = { url: url.href, page: page.href, kind, method, body, isStream }
    const question = { ...part, sinceMs: Math.max(0, Math.floor(sinceMs)), headers: headersThatFit(headers) }
    if (!fits(question)) return undefined
    try {
      const { peer } = await this.#needs.ownerOf(url.ringKey)
      if (peer === this.#needs.self) return await this.#needs.runHere(question)
      const options = { deadlineMs: answerMsMax, signal }
      const bytes = await this.#needs.calls.call(peer, errandQuestion.encode(question), options)
      return errandAnswer.decode(bytes)
    } catch (error) {
      if (!(error instanceof PolyhistorError) || signal.aborted) throw error
      return undefined
    }
  }
}
