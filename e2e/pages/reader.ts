// A reader with a real browser, who writes down what should not happen: errors in scripts, breaches of the policy, and
// requests to anywhere but the archive's two hosts.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../chromium.ts'

export interface Visit {
  readonly page: Page
  /** A line each. */
  readonly complaints: string[]
}

/** What hostile pages complain of in their sandbox is as it should be; so is a page that says 404. */
const asItShouldBe = /frame with origin "null"|"default-src 'unsafe-inline'"|Failed to load resource/

const lookMs = 50
/** A busy machine takes many times as long as a quiet one. */
const patienceMs = 240_000

/** Waits until it is so. Pages allow no script of the test's own to wait in them. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Never came true: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

export class Reader {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Reader> {
    const executablePath = await chromiumExecutable()
    return new Reader(await chromium.launch({ executablePath, args: ['--no-sandbox'] }))
  }

  close(): Promise<void> {
    return this.#browser.close()
  }

  /** With a browser state of its own, gone when the work is done. */
  async visit<T>(work: (visit: Visit) => Promise<T>, options: BrowserContextOptions = {}): Promise<T> {
    const size = { viewport: { width: 1100, height: 760 }, locale: 'en-GB' }
    const context = await this.#browser.newContext({ ...size, ...options })
    context.setDefaultTimeout(patienceMs)
    const complaints: string[] = []
    const complain = (text: string): void => {
      if (!asItShouldBe.test(text)) complaints.push(text)
    }
    try {
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => complain(message))
      page.on('console', (message) => message.type() === 'error' && complain(message.text()))
      context.on('request', (request) => {
        const { hostname } = new URL(request.url())
        if (!/^(?:replay\.)?localhost$/.test(hostname)) complaints.push(`request to ${request.url()}`)
      })
      return await work({ page, complaints })
    } finally {
      await context.close()
    }
  }
}
