// One trial: a contender crawls the web once. What it took, and what the origin saw of it.

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { processorSeconds } from '../scale/processor-time.ts'
import type { CrawlContender } from './contender.ts'
import type { LoopReport } from './loop-watch.ts'
import type { OriginProcess } from './origin-process.ts'

export interface Trial {
  readonly exitCode: number | null
  /** From the start of the command to its end. */
  readonly seconds: number
  /** From the first request to the last. */
  readonly askingSeconds: number
  readonly requests: number
  /** URLs of the web that were fetched; all others are something else: robots.txt, favicons. */
  readonly fetched: number
  readonly unfetched: number
  readonly twice: number
  readonly diskMegabytes: number
  readonly peakMegabytes: number
  /** Of all its threads. */
  readonly processorSeconds: number
}

const lookMs = 50

export async function runTrial(contender: CrawlContender, origin: OriginProcess): Promise<Trial> {
  return inFolder(async (folder) => {
    await origin.takeArrivals()
    const ended = await crawlOnce(contender, origin, folder)
    const diskMegabytes = (await bytesBelow(folder)) / 1e6
    return { ...ended, ...(await seenBy(origin)), diskMegabytes }
  })
}

/** Crawls once more, with the event loop watched. */
export async function watchLoop(contender: CrawlContender, origin: OriginProcess): Promise<LoopReport> {
  return inFolder(async (folder) => {
    const report = join(folder, 'loop.json')
    const watch = pathToFileURL(join(import.meta.dirname, 'loop-watch.ts')).href
    await crawlOnce(contender, origin, folder, { LOOP_WATCH_FILE: report, NODE_OPTIONS: `--import=${watch}` })
    return JSON.parse(await readFile(report, 'utf8')) as LoopReport
  })
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'crawl-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Every contender is looked at from outside, in the same way, so that none is slower for it. */
async function crawlOnce(
  contender: CrawlContender,
  origin: OriginProcess,
  folder: string,
  added: Record<string, string> = {},
): Promise<Pick<Trial, 'exitCode' | 'seconds' | 'peakMegabytes' | 'processorSeconds'>> {
  const { file, words, environment } = contender.command(origin, folder)
  const startMs = performance.now()
  const child = spawn(file, words, {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, ...environment, ...added },
  })
  let seen = { peakMegabytes: 0, processorSeconds: 0 }
  const look = setInterval(async () => {
    // Gone in the meantime: what was seen last counts.
    seen = await usedBy(child.pid!).catch(() => seen)
  }, lookMs)
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  }).finally(() => clearInterval(look))
  return { exitCode, seconds: (performance.now() - startMs) / 1000, ...seen }
}

async function seenBy(origin: OriginProcess) {
  const arrivals = await origin.takeArrivals()
  const { urls } = origin
  const countByUrl = new Map<string, number>()
  for (const { url } of arrivals) countByUrl.set(url, (countByUrl.get(url) ?? 0) + 1)
  const fetched = [...urls].filter((url) => countByUrl.has(url))
  return {
    requests: arrivals.length,
    fetched: fetched.length,
    unfetched: urls.size - fetched.length,
    twice: fetched.filter((url) => countByUrl.get(url)! > 1).length,
    askingSeconds: ((arrivals.at(-1)?.atMs ?? 0) - (arrivals[0]?.atMs ?? 0)) / 1000,
  }
}

/** By the process itself, until now, as Linux tells. */
async function usedBy(pid: number): Promise<Pick<Trial, 'peakMegabytes' | 'processorSeconds'>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const [, peakKilobytes] = /^VmHWM:\s*(\d+) kB/m.exec(status) ?? []
  if (peakKilobytes === undefined) throw new Error('It has ended.')
  return { peakMegabytes: Number(peakKilobytes) / 1000, processorSeconds: await processorSeconds(pid) }
}

/** Room taken, not lengths: index files have holes. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await bytesBelow(path) : (await stat(path)).blocks * 512
  }
  return bytes
}
