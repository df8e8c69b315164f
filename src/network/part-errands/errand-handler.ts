// Fetches parts of pages for other peers: of the sites that this peer crawls, at their pace, like any other request of it.
//
// A capture counts as crawled only when it comes from the peer that holds its site's lease (admission.ts): so a peer that shows a page
// does not fetch what lies on other sites, it has it fetched. Each asker has a few errands under way at once, and all together not many
// more; beyond that they are refused, never queued.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import { AnsweringTurns } from '../../platform/calls/answering-turns.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import {
  type ErrandAnswer,
  type ErrandQuestion,
  errandAnswer,
  errandQuestion,
  printableWords,
} from './errand-messages.ts'

/** What became of it at its server. */
export type ErrandOutcome =
  | { readonly kind: 'kept'; readonly capturedAtMs: number }
  | { readonly kind: 'missed'; readonly code: string; readonly reason: string }

export interface ErrandNeeds {
  readonly calls: CallService
  /** Resolves when the site is crawled here; rejects with an error that passes when it is not to be. */
  waitUntilReady(site: RingKey): Promise<void>
  /** Of a site that the ring gives to us: who crawls it instead. */
  placedAt?(site: RingKey): PeerId | undefined
  /** Asks the server, in its turn, and keeps the answer. */
  fetch(url: Url, question: ErrandQuestion, signal: AbortSignal): Promise<ErrandOutcome>
}

const turns = { ofAll: 256, ofEach: 32 }
/** For an errand that is passed on: as long as its asker waits. */
const relayedMsMax = 120_000

export class ErrandHandler {
  readonly #needs: ErrandNeeds
  readonly #turns = new AnsweringTurns(turns, 'errand-busy', 'too many parts are being fetched')
  readonly #stop = new AbortController()

  constructor(needs: ErrandNeeds) {
    this.#needs = needs
    needs.calls.answer(async (from, bytes) => {
      const answer = await this.run(from, errandQuestion.decode(bytes))
      return errandAnswer.encode(answer)
    })
  }

  close(): void {
    this.#stop.abort(new Error('the peer stops'))
  }

  /** Also for ourselves, of a site that we own and do not crawl yet. */
  async run(from: PeerId, question: ErrandQuestion): Promise<ErrandAnswer> {
    const url = tryParseUrl(question.url)
    if (url === null) return missed('bad-url', 'it is no URL')
    try {
      return await this.#turns.run(from, async () => {
        const leader = this.#needs.placedAt?.(url.ringKey)
        if (leader !== undefined && leader !== from) return this.#relay(leader, question)
        await this.#needs.waitUntilReady(url.ringKey)
        const outcome = await this.#needs.fetch(url, question, this.#stop.signal)
        return outcome.kind === 'kept' ? outcome : missed(outcome.code, outcome.reason)
      })
    } catch (error) {
      if (!(error instanceof PolyhistorError) && !this.#stop.signal.aborted) throw error
      if (error instanceof PolyhistorError && error.code === 'errand-busy')
        return missed('busy', error.message)
      return missed('not-here', 'its site is not crawled here')
    }
  }

  /** To the member that crawls the site for us. */
  async #relay(leader: PeerId, question: ErrandQuestion): Promise<ErrandAnswer> {
    const options = { deadlineMs: relayedMsMax, signal: this.#stop.signal }
    return errandAnswer.decode(await this.#needs.calls.call(leader, errandQuestion.encode(question), options))
  }
}

function missed(code: string, reason: string): ErrandAnswer {
  return { kind: 'missed', code: printableWords(code, 64), reason: printableWords(reason, 500) }
}
