// One page in the real browser, from its first request to its end, in a context of its own.
//
// Everything that asks the page is bounded by its time: a page whose script never ends answers nothing. Its context is closed in the
// end, and with it all that it opened; if that does not come to an end either, the caller is told.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { PageEnding, PageLimits, PageToShow, ShownPage } from '../../network/browser.ts'
import type { BrowserSession } from '../../network/browser-session.ts'
import { behave } from './behaviours.ts'
import { Calm } from './calm.ts'
import type { ProxyCertificate } from './certificate.ts'
import { markNavigations } from './navigations.ts'
import { takePictures, windowSize } from './page-pictures.ts'
import { documentTold, tellDocument } from './page-scripts.ts'
import { PendingWork } from './pending-work.ts'
import { PageProxy } from './proxy.ts'

const pictureMsMax = 10_000
const closeMsMax = 5_000
/** A page that has asked for nothing for so long, and has not loaded, never will. */
const stuckMs = 5_000
const enterMsMax = 10_000
const openMsMax = 20_000
/** Between two steps of what a reader would do: a page that loads something asks for it at once. */
const stepIdleMs = 150
/** How long after its time a page has to tell what it shows. */
const tellMsMax = 5_000

interface PageShowing {
  readonly shown: ShownPage
  readonly isClosed: boolean
}

interface Needs {
  readonly browser: Browser
  readonly certificate: ProxyCertificate
  readonly session?: BrowserSession | undefined
}

export async function showPage(
  { browser, certificate, session }: Needs,
  { href, limits, answer }: PageToShow,
  signal: AbortSignal | undefined,
): Promise<PageShowing> {
  const calm = new Calm(limits.idleMs)
  const proxy: PageProxy = new PageProxy(certificate, answer, () => calm.changed(proxy.underWay))
  const port = await proxy.listen()
  const opening = openPage(browser, port, proxy.credentials, session)
  try {
    const opened = await within(opening, openMsMax, undefined)
    // A browser that hangs opens nothing, and would not close it either.
    if (opened === undefined) return { shown: nothing('crashed'), isClosed: false }
    const { context, page } = opened
    const shown = await shownIn(context, page, href, limits, calm, signal).catch(() => nothing('crashed'))
    return { shown, isClosed: await isDone(context.close(), closeMsMax) }
  } catch {
    // The browser died.
    return { shown: nothing('crashed'), isClosed: true }
  } finally {
    opening.catch(() => {})
    calm.end()
    await proxy.close()
  }
}

async function openPage(
  browser: Browser,
  port: number,
  credentials: PageProxy['credentials'],
  session: BrowserSession | undefined,
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({
    proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' },
    serviceWorkers: 'block',
    acceptDownloads: false,
    viewport: windowSize,
    ...(session && { storageState: session }),
  })
  try {
    const page = await context.newPage()
    await enter(context, page, credentials)
    await markNavigations(context, page)
    return { context, page }
  } catch (error) {
    await isDone(context.close(), closeMsMax)
    throw error
  }
}

/** Once told, the browser says the secret with each request of this context, whoever in it asks. That is told here instead of with the
 * context, for then playwright would hold up every request until we let it go on. */
async function enter(
  context: BrowserContext,
  page: Page,
  credentials: PageProxy['credentials'],
): Promise<void> {
  const session = await context.newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => {})
  })
  session.on('Fetch.authRequired', ({ requestId }) => {
    const authChallengeResponse = { response: 'ProvideCredentials', ...credentials } as const
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {})
  })
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] })
  await within(
    page.evaluate(`fetch('http://polyhistor.invalid/', { mode: 'no-cors' })`),
    enterMsMax,
    undefined,
  )
  await session.send('Fetch.disable')
  await session.detach()
}

async function shownIn(
  context: BrowserContext,
  page: Page,
  href: string,
  limits: PageLimits,
  calm: Calm,
  signal: AbortSignal | undefined,
): Promise<ShownPage> {
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}))
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const ended = new Promise<PageEnding>((resolve) => {
    page.once('crash', () => resolve('crashed'))
    page.once('close', () => resolve('crashed'))
    context.once('close', () => resolve('crashed'))
    signal?.addEventListener('abort', () => resolve('time'), { once: true })
    if (signal?.aborted) resolve('time')
  })
  const work = new PendingWork(page)
  await within(work.begin(), tellMsMax, undefined)
  calm.ask(work)
  const settled = settle(page, href, limits, { calm, work }).then(() => 'settled' as const)
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
  if (told === undefined) return nothing('time')
  const pictures = await within(
    takePictures(context, page).catch(() => ({})),
    pictureMsMax,
    {},
  )
  return { ending, ...told, ...pictures }
}

async function settle(
  page: Page,
  href: string,
  limits: PageLimits,
  { calm, work }: { calm: Calm; work: PendingWork },
): Promise<void> {
  await loaded(page, href, calm)
  await calm.settled()
  if (limits.behaviourMsMax === 0) return
  await within(
    behave(page, limits, {
      settled: () => calm.settled(stepIdleMs),
      aside: (script) => work.aside(script),
    }),
    limits.behaviourMsMax,
    undefined,
  )
  await calm.settled()
}

/** Or as good as that: a page that wants to go elsewhere while it loads is kept where it is, and then says no more that it has loaded. */
async function loaded(page: Page, href: string, calm: Calm): Promise<void> {
  await page.goto(href, { waitUntil: 'commit', timeout: 0 })
  const load = page.waitForLoadState('load', { timeout: 0 })
  load.catch(() => {})
  await Promise.race([load, calm.settled(stuckMs)])
}

function nothing(ending: PageEnding): ShownPage {
  return { ending, links: [], text: '', title: '' }
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
