// Starts a browser whose profile lies in a folder of ours, so that whatever a killed run leaves can be found: see leftovers.ts.
//
// It reaches nothing by itself: names are not resolved, and what belongs to no page's context has a proxy where nobody listens.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserType } from 'playwright-core'
import { BrowserError } from '../../network/browser.ts'
import { endBrowsers, removed } from './leftovers.ts'

export interface LaunchOptions {
  readonly executablePath: string
  /** For profiles. */
  readonly folder: string
  /** Of the certificate that is taken for all names. */
  readonly keyHash: string
  /** For the scripts of each page: one that takes more crashes, alone. */
  readonly heapMegabytesMax: number
}

export interface Launched {
  readonly browser: Browser
  /** In time, one way or the other. */
  close(): Promise<void>
}

const startMsMax = 60_000
const closeMsMax = 5_000

export async function launch(options: LaunchOptions): Promise<Launched> {
  const { executablePath, folder, keyHash, heapMegabytesMax } = options
  const id = randomUUID()
  const profile = join(folder, `profile-${id}`)
  try {
    // Of all ways to start one, this alone lets us say where the profile lies. Pages get contexts of their own beside it.
    const context = await (await driver()).launchPersistentContext(profile, {
      executablePath,
      artifactsDir: join(folder, `artifacts-${id}`),
      // The operating system lets root have no sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: startMsMax,
      proxy: { server: 'http://127.0.0.1:9', bypass: '<-loopback>' },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: argumentsFor(keyHash, heapMegabytesMax),
    })
    const browser = context.browser()
    if (browser === null) throw new Error('the driver gives no access to its browser')
    return { browser, close: () => closed(context, profile) }
  } catch (error) {
    await removed(profile)
    throw error
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

async function closed(context: BrowserContext, profile: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMsMax)))
  await Promise.race([context.close().catch(() => {}), late])
  clearTimeout(timer)
  await endBrowsers(profile)
  await removed(profile)
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
