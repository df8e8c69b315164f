// The real window in which the owner logs in: a Chromium with the session of a profile, whose only way out is the guarded tunnel.

import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { BrowserError } from '../../network/browser.ts'
import { type BrowserSession, readSession } from '../../network/browser-session.ts'
import {
  type ProfileWindow,
  type ProfileWindowOptions,
  type WindowInput,
  windowSize,
} from '../../network/profile-window.ts'
import { browserExecutable } from './executable.ts'
import { GuardedTunnel } from './guarded-tunnel.ts'

/** How often a window on the screen is asked what it has: once it is closed it tells nothing any more. */
const lookMs = 1_000
const askMsMax = 10_000
const arguments_ = [
  '--disable-quic',
  '--disable-background-networking',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
]

export async function openProfileWindow(options: ProfileWindowOptions): Promise<ProfileWindow> {
  const executablePath = await browserExecutable(options)
  const tunnel = new GuardedTunnel(options.allow)
  const port = await tunnel.listen()
  try {
    const { chromium } = await import('playwright-core')
    const browser = await chromium.launch({
      executablePath,
      headless: !options.isVisible,
      chromiumSandbox: process.getuid?.() !== 0,
      proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>', ...tunnel.credentials },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: arguments_,
    })
    return await RealProfileWindow.open(browser, tunnel, options).catch(async (error: unknown) => {
      await browser.close()
      throw error
    })
  } catch (error) {
    await tunnel.close()
    if (error instanceof BrowserError) throw error
    const [why] = String(error instanceof Error ? error.message : error).split('\n')
    throw new BrowserError('browser-not-started', `The browser could not be started: ${why}`, error)
  }
}

class RealProfileWindow implements ProfileWindow {
  readonly #browser: Browser
  readonly #context: BrowserContext
  readonly #tunnel: GuardedTunnel
  readonly #pages: Page[] = []
  readonly #followers = new Set<(picture: string, url: string) => void>()
  #timer: NodeJS.Timeout | undefined
  #last: BrowserSession
  #cast: CDPSession | undefined
  #picture: string | undefined
  readonly ended: Promise<BrowserSession>

  static async open(
    browser: Browser,
    tunnel: GuardedTunnel,
    { session, isVisible, url }: ProfileWindowOptions,
  ): Promise<RealProfileWindow> {
    const context = await browser.newContext({
      storageState: session,
      viewport: isVisible ? null : windowSize,
      acceptDownloads: false,
    })
    const window = new RealProfileWindow(browser, context, tunnel, session)
    if (isVisible) window.#lookNowAndThen()
    const page = await context.newPage()
    // A page that cannot be reached says so in the window.
    await page.goto(url, { waitUntil: 'commit' }).catch(() => {})
    return window
  }

  private constructor(
    browser: Browser,
    context: BrowserContext,
    tunnel: GuardedTunnel,
    session: BrowserSession,
  ) {
    this.#browser = browser
    this.#context = context
    this.#tunnel = tunnel
    this.#last = session
    const { promise, resolve } = Promise.withResolvers<void>()
    browser.once('disconnected', () => resolve())
    context.on('page', (page) => {
      this.#pages.push(page)
      void this.#castFrom(page)
      page.once('close', () => {
        this.#pages.splice(this.#pages.indexOf(page), 1)
        const next = this.#pages.at(-1)
        // Who closes the last page has closed the window.
        if (next === undefined) resolve()
        else void this.#castFrom(next)
      })
    })
    this.ended = promise.then(() => this.#last)
  }

  #lookNowAndThen(): void {
    let isLooking = false
    this.#timer = setInterval(() => {
      if (isLooking) return
      isLooking = true
      void this.session()
        .catch(() => {})
        .finally(() => (isLooking = false))
    }, lookMs)
  }

  async session(): Promise<BrowserSession> {
    const state = await within(this.#context.storageState({ indexedDB: true }), askMsMax)
    this.#last = readSession(JSON.stringify(state))
    return this.#last
  }

  follow(show: (picture: string, url: string) => void): () => void {
    this.#followers.add(show)
    if (this.#picture !== undefined) show(this.#picture, this.#pages.at(-1)?.url() ?? '')
    return () => void this.#followers.delete(show)
  }

  async input(event: WindowInput): Promise<void> {
    const page = this.#pages.at(-1)
    if (page === undefined) return
    if (event.kind === 'move') await page.mouse.move(event.x, event.y)
    else if (event.kind === 'down' || event.kind === 'up') {
      await page.mouse.move(event.x, event.y)
      await page.mouse[event.kind]({ button: event.button })
    } else if (event.kind === 'wheel') await page.mouse.wheel(0, event.deltaY)
    else if (event.kind === 'text') await page.keyboard.insertText(event.text)
    else if (event.kind === 'press')
      await page.keyboard.press(event.keys).catch(() => {}) // No such key.
    else if (event.kind === 'back') await page.goBack({ waitUntil: 'commit' }).catch(() => {})
    else if (event.kind === 'go') await page.goto(event.url, { waitUntil: 'commit' }).catch(() => {})
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#followers.clear()
    await within(this.#browser.close(), askMsMax).catch(() => {})
    await this.#tunnel.close()
  }

  /** The newest page is the one that is looked at: a popup in which to log in, say. */
  async #castFrom(page: Page): Promise<void> {
    try {
      await this.#cast?.detach().catch(() => {})
      const cast = await this.#context.newCDPSession(page)
      this.#cast = cast
      cast.on('Page.screencastFrame', ({ data, sessionId }) => {
        this.#picture = data
        for (const show of this.#followers) show(data, page.url())
        cast.send('Page.screencastFrameAck', { sessionId }).catch(() => {})
      })
      const { width: maxWidth, height: maxHeight } = windowSize
      await cast.send('Page.startScreencast', { format: 'jpeg', quality: 70, maxWidth, maxHeight })
    } catch {
      // The page is gone, and another one is cast instead.
    }
  }
}

async function within<T>(work: Promise<T>, timeMsMax: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the browser does not answer')), timeMsMax)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
