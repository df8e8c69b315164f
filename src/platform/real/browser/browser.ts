// The real browser: a Chromium that is started when the first page is to be shown, and again when it has died.
//
// Few pages at once: each takes a process of its own, and memory of which this program sees nothing. A browser that dies again and again
// is started ever later; one that cannot be started is not tried again for a while, and who asks meanwhile hears why at once. One that
// has nothing to show for a while is closed: peers run for years, and most of them show few pages.

import { setTimeout } from 'node:timers/promises'
import { backOffMs } from '../../../model/back-off.ts'
import { BrowserError, type PageBrowser, type PageToShow, type ShownPage } from '../../network/browser.ts'
import type { BrowserSession } from '../../network/browser-session.ts'
import { makeProxyCertificate } from './certificate.ts'
import { browserExecutable } from './executable.ts'
import { type Launched, launch } from './launch.ts'
import { removeLeftovers } from './leftovers.ts'
import { MemoryWatch } from './memory-watch.ts'
import { showPage } from './page.ts'

export interface BrowserOptions {
  /** Of a browser of the machine's own; '' to look for one. */
  readonly path: string
  /** A folder of our own, for profiles: what is left in it from an earlier run is removed. */
  readonly folder: string
  /** Where a browser is fetched to when the machine has none. */
  readonly fetchFolder: string
  /** A word to the owner. */
  readonly tell: (sentence: string) => void
  /** What pages find; none keeps what they leave. */
  readonly session?: BrowserSession | undefined
  readonly pagesMax: number
  /** For the scripts of each page. */
  readonly heapMegabytesMax: number
  /** For each page in all. */
  readonly pageMegabytesMax: number
  /** With nothing to show it stays open this long: it takes some 200 MB, and a second or two to start. */
  readonly idleMsMax: number
  /** After it died, or could not be started. */
  readonly backOff: { readonly firstMs: number; readonly longestMs: number }
}

const defaults = {
  tell: () => {},
  pagesMax: 2,
  heapMegabytesMax: 512,
  pageMegabytesMax: 1_536,
  idleMsMax: 5 * 60_000,
  backOff: { firstMs: 1_000, longestMs: 5 * 60_000 },
}
/** A browser that died is waited for so long at most. */
const waitMsMax = 10_000
/** To find a browser that is there, and to unpack it. */
const lookMsMax = 30_000

export class RealBrowser implements PageBrowser {
  readonly #options: BrowserOptions
  readonly #certificate = makeProxyCertificate()
  #executable: Promise<string> | undefined
  #isTidy: Promise<void> | undefined
  #starting: Promise<Launched> | undefined
  #shown = 0
  readonly #waiting: (() => void)[] = []
  #idle: NodeJS.Timeout | undefined
  /** Deaths and failed starts since a page was last shown to its end. */
  #failures = 0
  #startAtMs = 0
  #lastError: BrowserError | undefined

  constructor(options: Pick<BrowserOptions, 'path' | 'folder' | 'fetchFolder'> & Partial<BrowserOptions>) {
    this.#options = { ...defaults, ...options }
  }

  async ready(): Promise<void> {
    await this.#found()
  }

  async show(page: PageToShow, signal?: AbortSignal): Promise<ShownPage> {
    await this.#enter()
    try {
      signal?.throwIfAborted()
      const { browser } = await this.#running(signal)
      const { shown, isClosed } = await showPage(
        { browser, certificate: this.#certificate, session: this.#options.session },
        page,
        signal,
      )
      // A page that cannot be closed would go on without end.
      if (!isClosed) await this.close()
      else if (shown.ending !== 'crashed') this.#failures = 0
      signal?.throwIfAborted()
      return shown
    } finally {
      this.#leave()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const starting = this.#starting
    this.#starting = undefined
    const launched = await starting?.catch(() => undefined)
    await launched?.close()
  }

  async #enter(): Promise<void> {
    clearTimeout(this.#idle)
    if (this.#shown >= this.#options.pagesMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#shown++
  }

  /** The place goes to the next in line. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#shown--
    else next()
    if (this.#shown > 0) return
    this.#idle = globalThis.setTimeout(() => void this.close(), this.#options.idleMsMax)
    this.#idle.unref()
  }

  async #running(signal: AbortSignal | undefined): Promise<Launched> {
    const waitMs = this.#starting === undefined ? this.#startAtMs - performance.now() : 0
    if (waitMs > 0 && this.#lastError !== undefined) throw this.#lastError
    if (waitMs > waitMsMax) throw diesAgainAndAgain(waitMs)
    if (waitMs > 0) await pause(waitMs, signal)
    const starting = this.#starting ?? this.#start()
    this.#starting = starting
    return starting
  }

  async #start(): Promise<Launched> {
    const { folder, heapMegabytesMax, pageMegabytesMax } = this.#options
    try {
      const executablePath = await this.#foundSoon()
      this.#isTidy ??= removeLeftovers(folder)
      await this.#isTidy
      const { keyHash } = this.#certificate
      const launched = await launch({ executablePath, folder, keyHash, heapMegabytesMax })
      const watch = new MemoryWatch(launched.browser, pageMegabytesMax * 1024 * 1024)
      watch.start()
      launched.browser.once('disconnected', () => {
        watch.end()
        void this.#died(launched)
      })
      this.#lastError = undefined
      return launched
    } catch (error) {
      this.#starting = undefined
      this.#lastError = browserErrorOf(error)
      this.#failed()
      throw this.#lastError
    }
  }

  #found(): Promise<string> {
    const found = (this.#executable ??= browserExecutable(this.#options))
    // It may be installed meanwhile.
    found.catch(() => {
      if (this.#executable === found) this.#executable = undefined
    })
    return found
  }

  /** Pages do not wait while one is being fetched. */
  async #foundSoon(): Promise<string> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = globalThis.setTimeout(() => reject(stillFetching()), lookMsMax)
    })
    try {
      return await Promise.race([this.#found(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Also when we closed it: then another has its place already, or none. */
  async #died(launched: Launched): Promise<void> {
    if ((await this.#starting?.catch(() => undefined)) !== launched) return
    this.#starting = undefined
    this.#failed()
    // Its profile, and processes of it that did not notice.
    await launched.close()
  }

  #failed(): void {
    this.#startAtMs = performance.now() + backOffMs(this.#options.backOff, ++this.#failures)
  }
}

function browserErrorOf(error: unknown): BrowserError {
  if (error instanceof BrowserError) return error
  const [why] = String(error instanceof Error ? error.message : error).split('\n')
  return new BrowserError('browser-not-started', `The browser could not be started: ${why}`, error)
}

function stillFetching(): BrowserError {
  return new BrowserError('browser-missing', 'There is no browser on this machine yet: one is being fetched.')
}

function diesAgainAndAgain(waitMs: number): BrowserError {
  const words = `The browser has died again and again; it is started anew in ${Math.ceil(waitMs / 1000)} s`
  return new BrowserError('browser-not-started', words)
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Rejects with an error of its own when it is aborted; what counts is the reason.
  await setTimeout(ms, undefined, { signal }).catch(() => {})
  signal?.throwIfAborted()
}
