// `npm run bench -- replay [--quick] [--seconds N] [--captures N]`: reading the archive over HTTP, with wrk.
//
//   files     nginx serving the same 15 kB pages from disk, which is the measure
//   raw       the archive's original bytes (`id_`)
//   rewritten the same pages rewritten for a browser; first time: each page asked for once, none made before
//   cdx       queries for all versions of a URL among a million captures
//   calendar  the page of a URL with 10,000 captures
//
// A real peer and a real nginx, all on this machine together with wrk. Server and contenders take turns, round by round; the
// medians count. Results go to stdout, progress to stderr.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, printTable } from './measure.ts'
import {
  busyUrl,
  fillArchive,
  manyUrl,
  pagePath,
  type RunningArchive,
  startArchive,
} from './replay/archive.ts'
import { type RunningServer, startNginx } from './replay/nginx.ts'
import { replayPage } from './replay/pages.ts'
import { needTool } from './replay/tool.ts'
import { type Load, type LoadResult, runWrk } from './replay/wrk.ts'

const pages = 1_000
/** For pages that nobody has asked for before: more than the archive keeps ready. */
const coldPages = 6_000
const connections = 32

interface Plan {
  readonly rounds: number
  readonly seconds: number
  readonly captures: number
  readonly versionsOfOne: number
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { quick: { type: 'boolean' }, seconds: { type: 'string' }, captures: { type: 'string' } },
  })
  const isQuick = values.quick ?? false
  needTool('wrk')
  needTool('nginx')
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-bench-'))
  try {
    await measureReplay(folder, {
      rounds: isQuick ? 1 : 3,
      seconds: Number(values.seconds ?? (isQuick ? 2 : 5)),
      captures: Number(values.captures ?? (isQuick ? 20_000 : 1_000_000)),
      versionsOfOne: 10_000,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureReplay(folder: string, plan: Plan): Promise<void> {
  const progress = (text: string) => console.error(text)
  await writeFiles(join(folder, 'files'))
  await fillArchive(join(folder, 'home'), { ...plan, pages: pages + coldPages }, progress)
  const nginx = await startNginx(join(folder, 'nginx'), join(folder, 'files'))
  try {
    const archive = await startArchive(join(folder, 'home'))
    try {
      await measureServers(folder, plan, nginx, archive, progress)
    } finally {
      await archive.stop()
    }
  } finally {
    await nginx.stop()
  }
}

async function writeFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 0; number < pages; number++)
    await writeFile(join(folder, `${number}.html`), replayPage(number))
}

async function measureServers(
  folder: string,
  plan: Plan,
  nginx: RunningServer,
  archive: RunningArchive,
  progress: (text: string) => void,
): Promise<void> {
  const { seconds, captures } = plan
  const numbers = Array.from({ length: pages }, (_, number) => number)
  const replayed = (modifier: string) => numbers.map((number) => pagePath(number, modifier))
  const load = (origin: string, paths: string[], host?: string): Load => ({
    origin,
    paths,
    seconds,
    connections,
    ...(host && { headers: { Host: host } }),
  })
  const queried = numbers.map(
    (number) => `/cdx/search/cdx?url=${manyUrl(Math.floor((number * captures) / pages))}`,
  )
  const loads: Record<string, Load> = {
    'nginx, files': load(
      nginx.origin,
      numbers.map((number) => `/${number}.html`),
    ),
    'replay, raw (id_)': load(archive.origin, replayed('id_')),
    'replay, rewritten (mp_)': load(archive.origin, replayed('mp_'), archive.replayHost),
    [`CDX, of ${captures.toLocaleString('en')}`]: load(archive.origin, queried),
  }
  progress('asking for pages that nobody asked for before')
  const first = await firstTimes(archive)
  const results = new Map(Object.keys(loads).map((name) => [name, [] as LoadResult[]]))
  // Files are in the page cache and pages are ready before anything is measured: see `first time` for those that are not.
  for (const one of Object.values(loads)) await runWrk(folder, { ...one, seconds: 2 })
  for (let round = 0; round < plan.rounds; round++) {
    for (const [name, one] of Object.entries(loads)) {
      progress(`round ${round + 1}: ${name}`)
      results.get(name)!.push(await runWrk(folder, one))
    }
  }
  printLoads(results)
  const calendarMs = await calendar(archive)
  console.log(
    `\nrewritten, first time: ${first.toFixed(0)} pages/s, one after the other on ${firstConnections} connections`,
  )
  console.log(`calendar of ${plan.versionsOfOne} captures: ${calendarMs.toFixed(0)} ms (goal: below 100)`)
}

function printLoads(results: Map<string, LoadResult[]>): void {
  const medians = [...results].map(([name, runs]) => ({
    name,
    perSecond: median(runs.map((run) => run.perSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
  }))
  const [files, raw, rewritten] = medians
  console.log(
    printTable(
      ['', 'requests/s', 'p50 ms', 'p99 ms'],
      medians.map(({ name, perSecond, p50Ms, p99Ms }) => [
        name,
        perSecond.toFixed(0),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
      ]),
    ),
  )
  console.log(`\nraw / nginx: ${(raw!.perSecond / files!.perSecond).toFixed(2)} (goal: 0.25)`)
  console.log(`rewritten / raw: ${(rewritten!.perSecond / raw!.perSecond).toFixed(2)} (goal: 0.4)`)
}

const firstConnections = 4

/** Each page is asked for once, so that all the work is done for each of them. */
async function firstTimes({ origin, replayHost }: RunningArchive): Promise<number> {
  const { Agent, request } = await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: firstConnections })
  let next = pages
  const sinceMs = performance.now()
  const ask = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const asked = request(origin + path, { agent, headers: { Host: replayHost } }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${path} gave ${answer.statusCode}`))
        answer.resume().once('end', resolve)
      })
      asked.once('error', reject).end()
    })
  const walk = async () => {
    while (next < pages + coldPages) await ask(pagePath(next++, 'mp_'))
  }
  await Promise.all(Array.from({ length: firstConnections }, walk))
  agent.destroy()
  return (coldPages * 1000) / (performance.now() - sinceMs)
}

async function calendar({ origin }: RunningArchive): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 11; count++) {
    const sinceMs = performance.now()
    const answer = await fetch(`${origin}/web/*/${busyUrl}`)
    await answer.text()
    if (!answer.ok) throw new Error(`The calendar gave ${answer.status}`)
    times.push(performance.now() - sinceMs)
  }
  return median(times)
}
