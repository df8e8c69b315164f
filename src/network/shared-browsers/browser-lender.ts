// Shows pages for other peers that have no browser. All that such a page asks for is asked of the peer that wants it shown: that one
// decides, fetches and keeps; this peer's own network is not touched.
//
// Bounded: so many pages at once, one for each peer; each within its time, and ended when its peer gives up or is gone. Nothing of it is
// kept here.

import { PolyhistorError } from '../../errors.ts'
import { FieldList } from '../../formats/http/field-list.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import { BrowserError, type PageBrowser, type PageToShow } from '../../platform/network/browser.ts'
import type { PeerId } from '../../platform/network/network.ts'
import {
  type BrowserAnswer,
  browserAnswer,
  browserQuestion,
  partQuestion,
  refusal,
  type ShowQuestion,
  shownAnswer,
} from './browser-messages.ts'

interface Needs {
  readonly calls: Pick<CallService, 'call'>
  /** undefined while there is none to lend. */
  browser(): PageBrowser | undefined
}

const pagesMax = 2
const timeMsMax = 10 * 60_000
const idleMsMax = 10_000
const linksMax = 10_000
const textCharsMax = 1_000_000

export class BrowserLender {
  readonly #needs: Needs
  readonly #guests = new Set<PeerId>()
  readonly #stop = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  close(): void {
    this.#stop.abort(new Error('the peer stops'))
  }

  offer(): BrowserAnswer {
    const isReady = this.#needs.browser() !== undefined && !this.#stop.signal.aborted
    return { kind: 'offered', isReady, free: isReady ? Math.max(0, pagesMax - this.#guests.size) : 0 }
  }

  async show(from: PeerId, question: ShowQuestion, asked: AbortSignal): Promise<BrowserAnswer> {
    const browser = this.#needs.browser()
    if (browser === undefined) return refusal('no-browser', 'This peer has no browser.')
    if (this.#guests.size >= pagesMax || this.#guests.has(from))
      return refusal('busy', 'This peer shows other pages now.')
    this.#guests.add(from)
    const lost = new AbortController()
    const signal = AbortSignal.any([asked, lost.signal, this.#stop.signal])
    try {
      const answer = this.#answerOf(from, question, () => lost.abort(new Error('the peer is gone')))
      const shown = await browser.show({ href: question.href, limits: limitsOf(question), answer }, signal)
      return browserAnswer.decode(browserAnswer.encode(shownAnswer(shown)))
    } catch (error) {
      if (!signal.aborted && !(error instanceof BrowserError)) throw error
      return refusal('no-browser', error instanceof Error ? error.message : 'It was broken off.')
    } finally {
      this.#guests.delete(from)
    }
  }

  #answerOf(from: PeerId, { id, timeMs }: ShowQuestion, whenLost: () => void): PageToShow['answer'] {
    let count = 0
    return async (request, send, ended) => {
      const question = partQuestion(id, ++count, request)
      if (question === undefined) return
      const { number } = question
      const ask = async (asked: typeof question | { kind: 'more'; id: Uint8Array; number: number }) => {
        const options = { deadlineMs: Math.min(timeMs, timeMsMax), signal: ended, channel: 'bulk' } as const
        return browserAnswer.decode(
          await this.#needs.calls.call(from, browserQuestion.encode(asked), options),
        )
      }
      try {
        const first = await ask(question)
        if (first.kind !== 'response') return
        const { status, headers, bodyBytes, bytes, isLast } = first
        const body = isLast ? bytes : pieces(bytes, () => ask({ kind: 'more', id, number }))
        await send({
          ...{ status, bodyBytes, body },
          headers: new FieldList(headers.map(({ name, value }) => [name, value] as const)),
        })
      } catch (error) {
        // A page whose parts cannot be asked for any more is worth nothing.
        if (!ended.aborted && error instanceof PolyhistorError) whenLost()
        else if (!ended.aborted) throw error
      }
    }
  }
}

async function* pieces(first: Uint8Array, next: () => Promise<BrowserAnswer>): AsyncGenerator<Uint8Array> {
  yield first
  for (;;) {
    const piece = await next()
    if (piece.kind !== 'piece')
      throw new PolyhistorError('part-broken-off', 'A part of a page was broken off')
    yield piece.bytes
    if (piece.isLast) return
  }
}

function limitsOf({ timeMs, idleMs, behaviourMs, scrolls }: ShowQuestion): PageToShow['limits'] {
  return {
    timeMsMax: Math.min(timeMs, timeMsMax),
    idleMs: Math.min(idleMs, idleMsMax),
    behaviourMsMax: Math.min(behaviourMs, timeMsMax),
    scrollsMax: scrolls,
    linksMax,
    textCharsMax,
  }
}
