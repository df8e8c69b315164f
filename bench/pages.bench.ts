// `npm run bench -- pages [--visits 5] [home calendar …]`: what a reader waits for, as Lighthouse asks it: the archive's own pages over the sample
// archive of the tests, in a real Chromium with an empty cache. On a desk: no limits. On a phone: 390 by 844 pixels, 1.6 Mbit/s, 150 ms to
// the server, a processor four times as slow. First and largest paint are counted from the request, bytes are those of the
// page and all it loads, and the shift is the sum of all shifts that no input caused. Medians of the visits; of shifts the largest.
// The exit code is 1 where a page moves under its reader.

import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../e2e/chromium.ts'
import { fillPaper, paper } from '../e2e/pages/sample-archive.ts'
import { servePages } from '../e2e/pages/served-pages.ts'
import { median, printTable } from './measure.ts'

const screens: Readonly<Record<string, string>> = {
  home: '/',
  calendar: `/web/2021*/${paper}`,
  search: '/search?q=flood',
  console: '/admin',
}

interface Device {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly network?: {
    readonly latency: number
    readonly downloadThroughput: number
    readonly uploadThroughput: number
  }
  readonly slowdown: number
}

const phoneBytesPerSecond = 1_600_000 / 8
const devices: readonly Device[] = [
  { name: 'desk', viewport: { width: 1100, height: 760 }, slowdown: 1 },
  {
    name: 'phone',
    viewport: { width: 390, height: 844 },
    network: {
      latency: 150,
      downloadThroughput: phoneBytesPerSecond,
      uploadThroughput: phoneBytesPerSecond / 2,
    },
    slowdown: 4,
  },
]

/** More than that is seen. */
const shiftMax = 0.01
/** After the page has loaded: what moves later moves by then. */
const lookMs = 1_000

interface Visit {
  readonly firstPaintMs: number
  readonly largestPaintMs: number
  readonly shift: number
  readonly bytes: number
  readonly requests: number
}

export async function run(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    options: { visits: { type: 'string', default: '5' } },
    allowPositionals: true,
  })
  const served = await servePages(fillPaper)
  const browser = await chromium.launch({
    executablePath: await chromiumExecutable(),
    args: ['--no-sandbox'],
  })
  try {
    const rows: string[][] = []
    for (const device of devices) {
      for (const [name, path] of Object.entries(screens)) {
        if (positionals.length > 0 && !positionals.includes(name)) continue
        const visits: Visit[] = []
        for (let count = 0; count < Number(values.visits); count++)
          visits.push(await visit(browser, device, served.newOwnerLink(), `${served.origin}${path}`))
        rows.push(rowOf(`${name}, ${device.name}`, visits))
      }
    }
    console.log(
      printTable(['', 'first paint ms', 'largest paint ms', 'shift', 'kB', 'requests', 'moves'], rows),
    )
    if (rows.some((row) => row.at(-1) === 'yes')) process.exitCode = 1
  } finally {
    await browser.close()
    await served.close()
  }
}

function rowOf(name: string, visits: readonly Visit[]): string[] {
  const middle = (of: (visit: Visit) => number) => median(visits.map(of))
  const shift = Math.max(...visits.map((each) => each.shift))
  return [
    name,
    middle((each) => each.firstPaintMs).toFixed(0),
    middle((each) => each.largestPaintMs).toFixed(0),
    shift.toFixed(4),
    (middle((each) => each.bytes) / 1_000).toFixed(1),
    middle((each) => each.requests).toFixed(0),
    shift > shiftMax ? 'yes' : 'no',
  ]
}

/** By the owner of the archive, who sees the most. */
async function visit(browser: Browser, device: Device, link: string, url: string): Promise<Visit> {
  const { viewport, network, slowdown } = device
  const context = await browser.newContext({ viewport })
  try {
    const page = await context.newPage()
    await page.goto(link)
    await page.waitForURL((address) => address.pathname === '/')
    await page.waitForLoadState('networkidle')
    await page.goto('about:blank')
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    if (network !== undefined)
      await session.send('Network.emulateNetworkConditions', { offline: false, ...network })
    if (slowdown > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const loaded = { bytes: 0, requests: 0 }
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      loaded.bytes += encodedDataLength
      loaded.requests++
    })
    const answer = await page.goto(url, { waitUntil: 'load' })
    if (answer?.status() !== 200) throw new Error(`${url} answers ${answer?.status()}`)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    return { ...(await measures(page)), ...loaded }
  } finally {
    await context.close()
  }
}

/** As the browser itself has seen them. */
function measures(page: Page): Promise<Pick<Visit, 'firstPaintMs' | 'largestPaintMs' | 'shift'>> {
  return page.evaluate(async () => {
    const entries = (type: 'largest-contentful-paint' | 'layout-shift'): Promise<PerformanceEntry[]> =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => {
          observer.disconnect()
          resolve(list.getEntries())
        })
        observer.observe({ type: type as never, buffered: true })
        // Of what never happened there is no entry to wait for.
        setTimeout(() => resolve([]), 200)
      })
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    const largest = (await entries('largest-contentful-paint')).at(-1)
    const shifts = (await entries('layout-shift')) as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[]
    return {
      firstPaintMs: paint?.startTime ?? Number.NaN,
      largestPaintMs: largest?.startTime ?? Number.NaN,
      shift: shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0),
    }
  })
}
