// Whether pages can be shown: what became of the browser when it was last asked for, and what that means for the crawl.
//
// A crawl goes on without a browser, says so of each page that it would have shown, and asks again with the next. Only where the
// owner has asked for a browser in so many words does the lack of one end the crawl.

import { BrowserError } from '../../platform/network/browser.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'

type Answered<T> =
  | { readonly given: T; readonly missed?: undefined }
  | { readonly given?: undefined; readonly missed: MissedReason }

export class BrowserLack {
  readonly #isRequired: boolean
  #reason: string | undefined

  constructor(isRequired: boolean) {
    this.#isRequired = isRequired
  }

  /** In a sentence; undefined while there is a browser, as far as is known. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** What was asked of the browser, or what is missed for want of one. */
  async without<T>(asked: Promise<T>): Promise<Answered<T>> {
    try {
      const given = await asked
      this.#reason = undefined
      return { given }
    } catch (error) {
      if (this.#isRequired || !(error instanceof BrowserError)) throw error
      this.#reason = error.message
      return { missed: { code: 'no-browser', reason: `not shown in a browser: ${error.message}` } }
    }
  }
}
