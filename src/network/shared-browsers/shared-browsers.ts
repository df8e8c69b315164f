// Browsers shared between the peers of a network: this peer's lent to others, and others' borrowed.

import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PageBrowser } from '../../platform/network/browser.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { BorrowedBrowsers } from './borrowed-browsers.ts'
import { BrowserLender } from './browser-lender.ts'
import { browserAnswer, browserQuestion } from './browser-messages.ts'

interface Needs {
  /** The service `browsers`. */
  readonly calls: CallService
  readonly clock: Clock
  readonly random: Random
  peers(): readonly PeerId[]
  /** Ours, to lend; undefined while there is none. */
  browser(): PageBrowser | undefined
}

export class SharedBrowsers {
  readonly borrowed: BorrowedBrowsers
  readonly #lender: BrowserLender

  constructor(needs: Needs) {
    const lender = new BrowserLender(needs)
    const borrowed = new BorrowedBrowsers(needs)
    this.#lender = lender
    this.borrowed = borrowed
    needs.calls.answer(async (from, bytes, { signal }) => {
      const question = browserQuestion.decode(bytes)
      if (question.kind === 'offer') return browserAnswer.encode(lender.offer())
      if (question.kind === 'show') return browserAnswer.encode(await lender.show(from, question, signal))
      return browserAnswer.encode(await borrowed.answer(from, question))
    })
  }

  async close(): Promise<void> {
    this.#lender.close()
    await this.borrowed.close()
  }
}
