// The real browser: a Chromium that is started when the first page is to be shown, and again when it has died.
//
// Few pages at once: each takes a process of its own, and memory of which this program sees nothing.

import type { Browser, BrowserType } from 'playwright-core'
import { BrowserError, type PageBrowser, type PageToShow, type ShownPage } from '../../browser.ts'
import { makeProxyCertificate } from './certificate.ts'
import { browserExecutable } from './executable.ts'
import { showPage } from './page.ts'

interface BrowserOptions {
  /** Of a browser of the machine's own; '' to look for one. */
  readonly path: string
  readonly pagesMax: number
  /** For the scripts of each page: one that takes more crashes, alone. */
  readonly heapMegabytesMax: number
}

const defaults = { pagesMax: 2, heapMegabytesMax: 512 }
const startMsMax = 60_000
const closeMsMax = 5_000

export class RealBrowser implements PageBrowser {
  readonly #options: BrowserOptions
  readonly #certificate = makeProxyCertificate()
  #starting: Promise<Browser> | undefined
  #shown = 0
  readonly #waiting: (() => void)[] = []

  constructor(options: Pick<BrowserOptions, 'path'> & Partial<BrowserOptions>) {
    this.#options = { ...defaults, ...options }
  }

  async show(page: PageToShow, signal?: AbortSignal): Promise<ShownPage> {
    await this.#enter()
    try {
      signal?.throwIfAborted()
      const browser = await this.#running()
      const { shown, isClosed } = await showPage({ browser, certificate: this.#certificate }, page, signal)
      // A page that cannot be closed would go on without end.
      if (!isClosed) await this.close()
      signal?.throwIfAborted()
      return shown
    } finally {
      this.#leave()
    }
  }

  async close(): Promise<void> {
    const starting = this.#starting
    this.#starting = undefined
    const browser = await starting?.catch(() => undefined)
    if (browser !== undefined) await closed(browser)
  }

  async #enter(): Promise<void> {
    if (this.#shown >= this.#options.pagesMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#shown++
  }

  /** The place goes to the next in line. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#shown--
    else next()
  }

  #running(): Promise<Browser> {
    const starting = this.#starting ?? this.#start()
    this.#starting = starting
    return starting
  }

  async #start(): Promise<Browser> {
    try {
      const executablePath = await browserExecutable(this.#options.path)
      const browser = await (await driver()).launch({
        executablePath,
        // The operating system lets root have no sandbox.
        chromiumSandbox: process.getuid?.() !== 0,
        timeout: startMsMax,
        // Contexts have proxies of their own; what belongs to none finds nobody here.
        proxy: { server: 'http://127.0.0.1:9', bypass: '<-loopback>' },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        args: argumentsFor(this.#certificate.keyHash, this.#options.heapMegabytesMax),
      })
      browser.once('disconnected', () => (this.#starting = undefined))
      return browser
    } catch (error) {
      this.#starting = undefined
      if (error instanceof BrowserError) throw error
      const [why] = String(error instanceof Error ? error.message : error).split('\n')
      throw new BrowserError('browser-not-started', `The browser could not be started: ${why}`, error)
    }
  }
}

/** Loaded when a page is to be shown: most who archive need no browser. */
async function driver(): Promise<BrowserType> {
  try {
    return (await import('playwright-core')).chromium
  } catch (error) {
    const advice = 'To show pages in a browser add the npm package playwright-core.'
    throw new BrowserError('browser-missing', advice, error)
  }
}

function argumentsFor(keyHash: string, heapMegabytesMax: number): string[] {
  return [
    `--ignore-certificate-errors-spki-list=${keyHash}`,
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1',
    '--disable-quic',
    '--dns-prefetch-disable',
    '--disable-background-networking',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disk-cache-size=1',
    '--mute-audio',
    `--js-flags=--max-old-space-size=${heapMegabytesMax}`,
  ]
}

/** In time, one way or the other: playwright kills the process when it does not close by itself. */
async function closed(browser: Browser): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMsMax)))
  await Promise.race([browser.close().catch(() => {}), late])
  clearTimeout(timer)
}
