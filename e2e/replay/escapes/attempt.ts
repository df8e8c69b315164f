// Lets a page try to escape, and gathers the traces that it leaves if it succeeds.

import type { BrowserContext, Frame, Page } from 'playwright-core'
import type { TestBrowser } from '../browser.ts'
import type { Witness } from '../witness.ts'
import type { Escape, Surroundings } from './escape.ts'

export interface Witnesses {
  /** The live web. */
  readonly live: Witness
  /** In the place of the archive, while there is none. */
  readonly stub: Witness
}

export interface Visit {
  readonly url: string
  /** Opened before, and left open. */
  readonly firstUrl?: string | undefined
  /** Where the window and its frames may be. */
  readonly mayBeAt: (url: string) => boolean
  /** Waits for as long as it takes to be sure. */
  readonly untilTried: (page: Page, traces: () => Promise<string[]>) => Promise<void>
}

export class Attempts {
  readonly #browser: TestBrowser
  readonly #witnesses: Witnesses
  readonly #around: Surroundings
  /** One for each lane: what a page loads again and again is in its cache. */
  readonly #contexts: Promise<BrowserContext>[] = []

  constructor(needs: { browser: TestBrowser; witnesses: Witnesses }, around: Surroundings) {
    this.#browser = needs.browser
    this.#witnesses = needs.witnesses
    this.#around = around
  }

  /** Nothing, if the escape failed. In a lane, one follows the other. */
  async make(way: Escape, visit: Visit, lane: number): Promise<string[]> {
    this.#contexts[lane] ??= this.#browser.context()
    const context = await this.#contexts[lane]
    try {
      return await this.#makeIn(context, way, visit)
    } finally {
      context.removeAllListeners('page')
      const closing = Promise.all(context.pages().map((page) => page.close().then(() => true)))
      // A page that hangs stays behind with its context.
      if ((await within(closing)) === undefined) delete this.#contexts[lane]
    }
  }

  async #makeIn(context: BrowserContext, way: Escape, visit: Visit): Promise<string[]> {
    if (visit.firstUrl !== undefined) await open(await context.newPage(), visit.firstUrl)
    const page = await context.newPage()
    const downloads: string[] = []
    // Chromium's renderer may end at once where it refuses a connection: that, too, is no way out.
    page.on('crash', () => page.close())
    page.on('download', (download) => downloads.push(`download ${download.suggestedFilename()}`))
    const others: string[] = []
    context.on('page', (other) => {
      others.push(other.url())
      other.on('framenavigated', (frame) => others.push(frame.url()))
    })
    const traces = async () => [
      ...this.#arrivals(way),
      ...downloads,
      ...others.filter((url) => !visit.mayBeAt(url)).map((url) => `window ${url}`),
      ...(page.isClosed() ? [] : await tracesIn(page, visit.mayBeAt)),
      ...context.serviceWorkers().map((worker) => `service worker ${worker.url()}`),
    ]
    await open(page, visit.url)
    if (way.isClicked === true) await click(page)
    await visit.untilTried(page, traces)
    return traces()
  }

  #arrivals({ name }: Escape): string[] {
    const { live, stub } = this.#witnesses
    const own = new RegExp(`caught(/|%2F)${name}(?![\\w-])`, 'i')
    const port = this.#around.datagramPort(name)
    const connectionPort = this.#around.connectionPort(name)
    return [
      ...[...live.requests, ...stub.requests].filter((request) => own.test(request)),
      ...(live.datagramPorts.has(port) ? [`datagram to ${port}`] : []),
      ...(live.connectionPorts.has(connectionPort) ? [`connection to ${connectionPort}`] : []),
    ]
  }
}

/** Some never come to their end. */
const loadMsMax = 30_000

async function open(page: Page, url: string): Promise<void> {
  // A page that navigates away at once interrupts its own loading.
  await page.goto(url, { waitUntil: 'load', timeout: loadMsMax }).catch(() => {})
}

async function click(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    const element = await frame.$('#go').catch(() => null)
    if (element !== null) return element.click({ timeout: 3_000 }).catch(() => {})
  }
}

async function tracesIn(page: Page, mayBeAt: (url: string) => boolean): Promise<string[]> {
  const urls = page.frames().map((frame) => frame.url())
  const found = await Promise.all(page.frames().map((frame) => attribute(frame, 'data-found')))
  return [
    ...urls.filter((url) => !mayBeAt(url)).map((url) => `at ${url}`),
    ...found.filter((text) => text !== null).map((text) => `found ${text}`),
  ]
}

/** Of the frame's root element; null also for a frame that is just going. */
export async function attribute(frame: Frame, name: string): Promise<string | null> {
  const script = `document.documentElement && document.documentElement.getAttribute('${name}')`
  return ((await within(frame.evaluate(script).catch(() => null))) ?? null) as string | null
}

const answerMsMax = 3_000

/** undefined when it takes too long: some escapes keep their page so busy that it answers nobody. */
async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, answerMsMax, undefined)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
