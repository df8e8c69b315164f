// `polyhistor crawl` as a person runs it, and what came of it: the summary, the log, the archive.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Capture, openStore } from '../../src/app/store/store-library.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import type { CrawlCounts } from '../../src/crawl/crawl-report.ts'
import { viewOf } from '../../src/formats/warc/page-views.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import { polyhistor, root } from '../command.ts'

export const here = ['--allow-address', '127.0.0.0/8', '--delay', '0', '-q', '--json']

export interface Summary extends Readonly<Omit<CrawlCounts, 'bytes'>> {
  readonly state: string
}

export interface LogLine {
  readonly url: string
  readonly outcome: string
  readonly code?: string
  readonly status?: number
  readonly reason?: string
}

/** To its end, with something kept. */
export async function crawl(home: string, ...words: string[]): Promise<Summary> {
  const { code, output, errors } = await polyhistor(['crawl', ...words, ...here, '--home', home])
  assert.ok(code === exitCodes.ok || code === exitCodes.partly, errors)
  return JSON.parse(output) as Summary
}

/** A crawl that somebody will stop; what `ended` resolves with is its exit code or signal. */
export function startCrawl(home: string, ...words: string[]) {
  const all = ['crawl', ...words, ...here, '--home', home]
  const child = watched(spawn(join(root, 'bin', 'polyhistor'), all, { stdio: 'ignore' }))
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  return { ended, stop: (signal: NodeJS.Signals) => child.kill(signal) }
}

export async function crawlLog(home: string, ...words: string[]): Promise<LogLine[]> {
  const { code, output, errors } = await polyhistor(['crawl', 'log', '--json', '--home', home, ...words])
  assert.equal(code, 0, errors)
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine)
}

/** All captures, robots.txt and what a browser saw of pages aside. */
export async function captures(home: string): Promise<Capture[]> {
  const store = await openStore(join(home, 'store'))
  try {
    return [...store.scan({ kind: 'all' })].filter(
      ({ url }) => parseUrl(url).target !== '/robots.txt' && viewOf(url) === undefined,
    )
  } finally {
    await store.close()
  }
}

/** Paths of archived URLs, in order, each as often as there are versions. */
export async function archivedPaths(home: string): Promise<string[]> {
  return (await captures(home)).map(({ url }) => parseUrl(url).target).sort()
}
