// One trial: a contender crawls the web once. What it took, and what the origin saw of it.

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  readonly loop: LoopReport | undefined
}

const lookMs = 50

export async function runTrial(contender: CrawlContender, origin: OriginProcess): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), 'crawl-bench-'))
  try {
    await origin.takeArrivals()
    const { file, words, environment } = contender.command(origin, folder)
    const startMs = performance.now()
    const child = spawn(file, words, {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, ...environment },
    })
    let peakMegabytes = 0
    const look = setInterval(async () => {
      peakMegabytes = Math.max(peakMegabytes, await peakOf(child.pid!))
    }, lookMs)
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    }).finally(() => clearInterval(look))
    const seconds = (performance.now() - startMs) / 1000
    const loop = await readFile(join(folder, 'loop.json'), 'utf8').then(
      (text) => JSON.parse(text) as LoopReport,
      () => undefined,
    )
    const diskMegabytes = (await bytesBelow(folder)) / 1e6
    return {
      exitCode,
      seconds,
      ...(await seenBy(origin)),
      diskMegabytes,
      peakMegabytes: loop?.peakMegabytes ?? peakMegabytes,
      loop,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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

/** Of the process itself, as Linux tells; 0 elsewhere. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) / 1000
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
