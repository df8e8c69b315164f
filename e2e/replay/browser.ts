// A real browser for the tests, with its own account of everything that it does on the network.
//
// None of the arguments that @sparticuz/chromium proposes are taken: they switch the same-origin policy off, which is what
// is tested here.
// Names outside of `localhost` all lead to one address, so that what tries to leave arrives somewhere and is seen; and
// the browser keeps a net log, in which also that is found which never reached a socket.

import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../chromium.ts'
import { type NetLog, readNetLog } from './net-log.ts'

/** The size in which pages are shown and compared. */
export const viewSize = { width: 640, height: 480 }
/** A busy machine takes many times as long as a quiet one. */
const waitMsMax = 240_000

let launches = 0

export class TestBrowser {
  readonly #browser: Browser
  readonly #netLogFile: string
  #isClosed = false

  private constructor(browser: Browser, netLogFile: string) {
    this.#browser = browser
    this.#netLogFile = netLogFile
  }

  /** All names but those below localhost lead to `elsewhere`, an `address:port`. */
  static async start(elsewhere: string): Promise<TestBrowser> {
    const netLogFile = join(tmpdir(), `polyhistor-net-log-${process.pid}-${++launches}.json`)
    const browser = await chromium.launch({
      executablePath: await chromiumExecutable(),
      args: [
        '--no-sandbox', // Of the operating system: containers and root have none. The web's rules all hold.
        '--allow-loopback-in-peer-connection',
        '--font-render-hinting=none',
        '--disable-lcd-text',
        '--force-color-profile=srgb',
        `--log-net-log=${netLogFile}`,
        '--net-log-capture-mode=Everything',
        `--host-resolver-rules=MAP * ${elsewhere},EXCLUDE localhost,EXCLUDE *.localhost,EXCLUDE 127.0.0.1,EXCLUDE 127.0.0.2`,
      ],
    })
    return new TestBrowser(browser, netLogFile)
  }

  async context(viewport = viewSize): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ viewport, deviceScaleFactor: 1, locale: 'en-US' })
    context.setDefaultTimeout(waitMsMax)
    return context
  }

  /** A page in a context of its own, gone when the work is done. */
  async visit<T>(work: (page: Page) => Promise<T>, viewport = viewSize): Promise<T> {
    const context = await this.context(viewport)
    try {
      return await work(await context.newPage())
    } finally {
      await context.close()
    }
  }

  /** Ends the browser; only then is its net log whole. */
  async stop(): Promise<NetLog> {
    await this.#close()
    try {
      return await readNetLog(this.#netLogFile)
    } finally {
      await rm(this.#netLogFile, { force: true })
    }
  }

  /** For the end of a test file, whether it went well or not. */
  async dispose(): Promise<void> {
    await this.#close()
    await rm(this.#netLogFile, { force: true })
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#browser.close()
  }
}
