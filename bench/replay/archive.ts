// The archive that is measured: a home with pages, many captures of many URLs, and one URL with very many; served by a real
// `polyhistor peer`.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { openStore } from '../../src/app/store/store-library.ts'
import { printTimestamp } from '../../src/model/timestamp.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import type { Store } from '../../src/store/store.ts'
import { spread } from '../store/callers.ts'
import { ended, type RunningServer } from './nginx.ts'
import { replayPage } from './pages.ts'
import { untilAnswering, withoutScrub } from './starting.ts'

export interface ArchivePlan {
  readonly pages: number
  /** Of other URLs, for queries. */
  readonly captures: number
  readonly versionsOfOne: number
}

export const busyUrl = 'http://busy.example.com/'
const firstMs = Date.UTC(2020, 0, 1)
const hourMs = 3_600_000
const callers = 200
const captureHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n'

export function pageUrl(number: number): string {
  return `http://pages.example.com/page-${number}.html`
}

export function manyUrl(number: number): string {
  return `http://site-${number % 1_000}.example.org/section-${number % 17}/story-${number >> 2}.html`
}

export function pagePath(number: number, modifier: string): string {
  return `/web/${printTimestamp(firstMs)}${modifier}/${pageUrl(number)}`
}

export async function fillArchive(
  home: string,
  plan: ArchivePlan,
  progress: (text: string) => void,
): Promise<void> {
  const store = await openStore(join(home, 'store'), { reserveBytes: 0 })
  try {
    progress(`keeping ${plan.pages} pages`)
    await spread(callers, plan.pages, (number) => keep(store, pageUrl(number), firstMs, replayPage(number)))
    progress(`keeping ${plan.captures} captures for queries`)
    await spread(callers, plan.captures, (number) =>
      keep(
        store,
        manyUrl(number),
        firstMs + (number % 4) * 24 * hourMs + number,
        Buffer.from(`page ${number}`),
      ),
    )
    progress(`keeping ${plan.versionsOfOne} versions of one URL`)
    await spread(callers, plan.versionsOfOne, (number) =>
      keep(store, busyUrl, firstMs + number * hourMs, Buffer.from(`version ${number >> 1}`)),
    )
  } finally {
    await store.close()
  }
}

async function keep(store: Store, url: string, capturedAtMs: number, body: Buffer): Promise<void> {
  await store.append({
    url: parseUrl(url),
    capturedAtMs,
    block: Buffer.concat([Buffer.from(captureHead), body]),
  })
}

export interface RunningArchive extends RunningServer {
  /** As the Host header names it. */
  readonly replayHost: string
}

export async function startArchive(home: string): Promise<RunningArchive> {
  const port = await freePort()
  const program = join(import.meta.dirname, '../../bin/polyhistor')
  const child = spawn(program, ['peer', '--http', `localhost:${port}`, '--home', home, ...withoutScrub], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://127.0.0.1:${port}`
  await untilAnswering(`${origin}/`, child)
  return { origin, replayHost: `replay.localhost:${port}`, stop: () => ended(child, 'SIGTERM') }
}
