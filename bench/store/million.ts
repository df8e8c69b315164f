// A million captures: how long the store takes to open, how large its index is, how quickly versions are found, and
// whether memory grows. 250,000 URLs of about 60 characters on 1,000 sites, four crawls of them, every payload new: the
// most that a capture can cost the index. Payloads are small, for the index does not care.
//
// Of the resident memory the mapped index is shown apart: the kernel takes those pages back when it needs them.

import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUrl } from '../../src/model/url/url.ts'
import type { NewCapture } from '../../src/store/capture.ts'
import type { Store } from '../../src/store/store.ts'
import { printTable } from '../measure.ts'
import { spread } from './callers.ts'
import { chanceFrom } from './page.ts'
import type { Scene } from './scene.ts'

export interface MillionPlan {
  captures: number
  crawls: number
  sites: number
  callers: number
  /** Numbers of captures at which memory is looked at. */
  looks: readonly number[]
  lookups: number
}

export interface Look {
  captures: number
  perSecond: number
  indexBytes: number
  residentBytes: number
  mappedBytes: number
  heapBytes: number
}

export interface MillionResult {
  looks: Look[]
  openMs: number
  /** undefined where the page cache cannot be dropped. */
  coldOpenMs: number | undefined
  versionsP50Ms: number
  versionsP99Ms: number
  indexBytesPerCapture: number
}

const startMs = Date.parse('2024-01-01T00:00:00Z')
const crawlMs = 30 * 86_400_000
const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n')

export async function measureMillion(scene: Scene, plan: MillionPlan): Promise<MillionResult> {
  let store = await scene.openStore()
  const looks: Look[] = []
  let done = 0
  for (const captures of plan.looks) {
    const sinceMs = performance.now()
    const count = captures - done
    for (let part = 0; part < count; part += 10_000) {
      const first = done + part
      await spread(plan.callers, Math.min(10_000, count - part), (i) =>
        store.append(captureOf(first + i, plan)),
      )
      scene.progress(`${first} captures`)
    }
    const perSecond = (count * 1000) / (performance.now() - sinceMs)
    looks.push({ captures, perSecond, indexBytes: await indexBytes(store), ...memory() })
    done = captures
  }
  await scene.closeStore(store)
  const size = await indexBytes(store)
  const coldOpenMs = scene.dropPageCache() ? await openMs(scene, store) : undefined
  const warmOpenMs = await openMs(scene, store)
  store = await scene.openStore({}, store.folder)
  const times = lookupTimes(store, plan)
  await scene.removeStore(store)
  const result: MillionResult = {
    looks,
    openMs: warmOpenMs,
    coldOpenMs,
    versionsP50Ms: times[Math.floor(times.length * 0.5)]!,
    versionsP99Ms: times[Math.floor(times.length * 0.99)]!,
    indexBytesPerCapture: size / plan.captures,
  }
  scene.print(printed(result))
  return result
}

/** Every crawl fetches every URL once, in another order, as a frontier does. */
export function captureOf(number: number, plan: MillionPlan): NewCapture {
  const urls = plan.captures / plan.crawls
  const crawl = Math.floor(number / urls)
  const url = ((number % urls) * 7_919 + crawl * 104_729) % urls
  const body = `<title>${number}</title><p>${(number * 2_654_435_761) % 2 ** 32}</p>`
  return {
    url: parseUrl(urlOf(url, plan)),
    capturedAtMs: startMs + crawl * crawlMs + number,
    block: Buffer.concat([head, Buffer.from(body)]),
  }
}

function urlOf(url: number, plan: MillionPlan): string {
  const site = url % plan.sites
  return `https://www.site-${site}.example/news/2024/${String(url % 12).padStart(2, '0')}/some-longer-title-${url}.html`
}

async function openMs(scene: Scene, store: Store): Promise<number> {
  const sinceMs = performance.now()
  const opened = await scene.openStore({}, store.folder)
  const ms = performance.now() - sinceMs
  await scene.closeStore(opened)
  return ms
}

/** Sorted. */
function lookupTimes(store: Store, plan: MillionPlan): number[] {
  const chance = chanceFrom(3)
  const urls = plan.captures / plan.crawls
  const times: number[] = []
  for (let count = 0; count < plan.lookups; count++) {
    const url = parseUrl(urlOf(Math.floor(chance() * urls), plan))
    const sinceMs = performance.now()
    const versions = [...store.versions(url)]
    times.push(performance.now() - sinceMs)
    if (versions.length !== plan.crawls) throw new Error(`${url.href} has ${versions.length} versions`)
  }
  return times.sort((left, right) => left - right)
}

async function indexBytes(store: Store): Promise<number> {
  return (await stat(join(store.folder, 'index', 'data.mdb'))).size
}

function memory(): { residentBytes: number; mappedBytes: number; heapBytes: number } {
  const { rss: residentBytes, heapUsed: heapBytes } = process.memoryUsage()
  return { residentBytes, heapBytes, mappedBytes: mappedBytes() }
}

/** Of files; 0 where the system does not tell. */
function mappedBytes(): number {
  try {
    return Number(/^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

function printed(result: MillionResult): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
  const rows = result.looks.map((look) => [
    String(look.captures),
    look.perSecond.toFixed(0),
    (look.indexBytes / look.captures).toFixed(0),
    megabytes(look.residentBytes),
    megabytes(look.mappedBytes),
    megabytes(look.residentBytes - look.mappedBytes),
    megabytes(look.heapBytes),
  ])
  const header = ['captures', 'appended/s', 'index B each', 'resident MB', 'mapped MB', 'own MB', 'heap MB']
  const cold = result.coldOpenMs === undefined ? 'not measured' : `${result.coldOpenMs.toFixed(0)} ms`
  return [
    printTable(header, rows),
    `open: ${result.openMs.toFixed(0)} ms; with nothing cached: ${cold} (goal < 2,000 ms)`,
    `versions(URL): median ${result.versionsP50Ms.toFixed(3)} ms, p99 ${result.versionsP99Ms.toFixed(3)} ms`,
    `index: ${result.indexBytesPerCapture.toFixed(0)} bytes a capture (goal ≤ 400)`,
  ].join('\n')
}
