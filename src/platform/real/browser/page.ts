// One page in the real browser, from its first request to its end, in a context of its own.
//
// Everything that asks the page is bounded by its time: a page whose script never ends answers nothing. Its context is closed in the
// end, and with it all that it opened; if that does not come to an end either, the caller is told.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { PageEnding, PageLimits, PageToShow, ShownPage } from '../../browser.ts'
import type { ProxyCertificate } from './certificate.ts'
import { documentTold, scrollBack, scrollOn, tellDocument } from './page-scripts.ts'
import { PageProxy } from './proxy.ts'

const viewport = { width: 1280, height: 800 }
const closeMsMax = 5_000
/** How long after its time a page has to tell what it shows. */
const tellMsMax = 5_000

interface PageShowing {
  readonly shown: ShownPage
  readonly isClosed: boolean
}

interface Needs {
  readonly browser: Browser
  readonly certificate: ProxyCertificate
}

export async function showPage(
  { browser, certificate }: Needs,
  { href, limits, answer }: PageToShow,
  signal: AbortSignal | undefined,
): Promise<PageShowing> {
  const calm = new Calm(limits.idleMs)
  const proxy: PageProxy = new PageProxy(certificate, answer, () => calm.changed(proxy.underWay))
  const port = await proxy.listen()
  let context: BrowserContext | undefined
  try {
    context = await browser.newContext({
      proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' },
      serviceWorkers: 'block',
      acceptDownloads: false,
      viewport,
    })
    const shown = await shownIn(context, href, limits, calm, signal)
    return { shown, isClosed: await isDone(context.close(), closeMsMax) }
  } catch {
    // The browser died, or the page in a way that playwright reports nowhere else.
    return {
      shown: nothing('crashed'),
      isClosed: context === undefined || (await isDone(context.close(), closeMsMax)),
    }
  } finally {
    calm.end()
    await proxy.close()
  }
}

async function shownIn(
  context: BrowserContext,
  href: string,
  limits: PageLimits,
  calm: Calm,
  signal: AbortSignal | undefined,
): Promise<ShownPage> {
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}))
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const ended = new Promise<PageEnding>((resolve) => {
    page.once('crash', () => resolve('crashed'))
    page.once('close', () => resolve('crashed'))
    context.once('close', () => resolve('crashed'))
    signal?.addEventListener('abort', () => resolve('time'), { once: true })
    if (signal?.aborted) resolve('time')
  })
  const settled = settle(page, href, limits, calm).then(() => 'settled' as const)
  const ending = await within(Promise.race([settled, ended]), limits.timeMsMax, 'time' as const)
  // What is left of it ends with its context.
  settled.catch(() => {})
  if (ending === 'crashed' || signal?.aborted) return nothing(ending)
  const given = await within(
    page.evaluate(tellDocument(limits)).catch(() => undefined),
    tellMsMax,
    undefined,
  )
  const told = documentTold(given, limits)
  return told === undefined ? nothing('time') : { ending, ...told }
}

async function settle(page: Page, href: string, limits: PageLimits, calm: Calm): Promise<void> {
  await page.goto(href, { waitUntil: 'load', timeout: 0 })
  await calm.settled()
  for (let scrolls = 0; scrolls < limits.scrollsMax; scrolls++) {
    // A page that goes elsewhere meanwhile has no end to scroll to.
    if ((await page.evaluate(scrollOn).catch(() => false)) !== true) break
    await calm.settled()
  }
  await page.evaluate(scrollBack).catch(() => {})
}

function nothing(ending: PageEnding): ShownPage {
  return { ending, links: [], text: '' }
}

/** When the page has asked for nothing, and waits for nothing, for a while. */
class Calm {
  readonly #idleMs: number
  #timer: NodeJS.Timeout | undefined
  #underWay = 0
  #waiting: (() => void)[] = []

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  changed(underWay: number): void {
    this.#underWay = underWay
    clearTimeout(this.#timer)
    if (underWay === 0 && this.#waiting.length > 0) this.#timer = setTimeout(() => this.#tell(), this.#idleMs)
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.changed(this.#underWay)
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#waiting = []
  }

  #tell(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

async function within<T, U>(work: Promise<T>, timeMsMax: number, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<U>((resolve) => (timer = setTimeout(() => resolve(otherwise), timeMsMax)))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function isDone(work: Promise<unknown>, timeMsMax: number): Promise<boolean> {
  return within(
    work.then(
      () => true,
      () => true,
    ),
    timeMsMax,
    false,
  )
}
