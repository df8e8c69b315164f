// What a reader would do with a page, so that it loads what it shows only then: scroll, press "load more", play, unfold pictures.
//
// By browsertrix-behaviors, as other archives do it, with our own part for buttons that it does not know. It runs in the page, which may
// hinder it in any way; so it is bounded from here, and nothing that it gives back is used. Links are not followed.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { pressMore, scrollBack, scrollOn } from './page-scripts.ts'

const pressesMax = 20
const options = {
  autofetch: true,
  autoplay: true,
  autoclick: false,
  siteSpecific: true,
  log: false,
}

interface BehaviourLimits {
  readonly scrollsMax: number
  readonly behaviourMsMax: number
}

interface BehaviourNeeds {
  /** When the page has come to rest. */
  settled(): Promise<void>
  /** A script whose own timers are not taken for the page's. */
  aside(script: string): string
}

/** Ends by itself only; whoever calls it keeps the time. */
export async function behave(
  page: Page,
  { scrollsMax, behaviourMsMax }: BehaviourLimits,
  { settled, aside }: BehaviourNeeds,
): Promise<void> {
  const before = await heightOf(page)
  await repeat(scrollsMax, () => page.evaluate(scrollOn), settled)
  await repeat(pressesMax, () => page.evaluate(pressMore), settled)
  const script = await behaviourScript()
  if (script !== undefined) {
    // Its way of scrolling takes ten seconds also where there is nothing to gain: for pages that grow when they are scrolled.
    const autoscroll = (await heightOf(page)) > before
    const chosen = JSON.stringify({ ...options, autoscroll, timeout: behaviourMsMax })
    const run = `${script};self.__bx_behaviors.init(${chosen});return self.__bx_behaviors.run()`
    await page.evaluate(aside(run)).catch(() => {})
    await settled()
  }
  await page.evaluate(scrollBack).catch(() => {})
}

/** As long as the page says that there is more. One that goes elsewhere meanwhile has no end. */
async function repeat(
  timesMax: number,
  act: () => Promise<unknown>,
  settled: () => Promise<void>,
): Promise<void> {
  for (let times = 0; times < timesMax; times++) {
    if ((await act().catch(() => false)) !== true) return
    await settled()
  }
}

async function heightOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollHeight').catch(() => 0))
}

let script: Promise<string | undefined> | undefined

/** undefined where the package is not installed. */
function behaviourScript(): Promise<string | undefined> {
  script ??= readScript().catch(() => undefined)
  return script
}

async function readScript(): Promise<string> {
  const own = import.meta.resolve('browsertrix-behaviors/dist/behaviors.js')
  return readFile(fileURLToPath(own), 'utf8')
}
