// `npm run bench -- frontier [urls] [pages] [--small | --roomy]`: the seen test, leasing and completing, bytes on disk and
// memory, with a real index on a real disk. Every part prints what it did.
//
// Memory is what the process has resident, all of it: Node's own code, the heap, and the pages of the index that are
// mapped, which are clean copies of the file that the system takes back when it needs room. The last are told apart.
// V8 and malloc are told how much room to take as the command tells them (docs/decisions/0017): `--small` as it does with
// POLYHISTOR_MEMORY=small; `--roomy` shows what they take by themselves.

import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Link } from '../src/crawl/frontier/discovery.ts'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../src/crawl/politeness/politeness-rules.ts'
import { parseUrl, type Url } from '../src/model/url/url.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { RealDisk } from '../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../src/platform/real/key-value/key-value.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import { keepHeapSmall } from '../src/platform/real/threads/heap-room.ts'
import { printTable } from './measure.ts'

const hosts = 1_000
const linksPerPage = 36
const testsAtOnce = 2_000
const urlsAtOnce = 200
const pagesAtOnce = 20

function urlOf(number: number): Url {
  const host = `www.host-${number % hosts}.example`
  const [year, day] = [2000 + (number % 25), number % 365]
  return parseUrl(`https://${host}/section-${number % 7}/${year}/${day}/story-of-the-day-${number}.html`)
}

export async function run(words: string[]): Promise<void> {
  if (words[0] === 'fill') return fillPart(words[1]!, Number(words[2]))
  if (words[0] === 'work') return workPart(words[1]!, Number(words[2]), Number(words[3]))
  const settings = words.includes('--roomy') ? roomy : words.includes('--small') ? small : usual
  const numbers = words.filter((word) => !word.startsWith('--')).map(Number)
  const [urlCount = 1_000_000, pageCount = 30_000] = numbers
  const folder = await mkdtemp(join(tmpdir(), 'frontier-bench-'))
  try {
    await inProcess(['fill', join(folder, 'nothing'), '0'], settings)
    const rows = await inProcess(['fill', folder, String(urlCount)], settings)
    const bytes = (await stat(join(folder, 'data.mdb'))).size
    rows.push(['index on disk, bytes per known and queued URL', (bytes / urlCount).toFixed(0)])
    rows.push(...(await inProcess(['work', folder, String(urlCount), String(pageCount)], settings)))
    const how = [...Object.entries(settings.env).map((pair) => pair.join('=')), 'node', ...settings.execArgv]
    console.log(printTable([`frontier, ${urlCount} URLs of ${hosts} hosts; ${how.join(' ')}`, ''], rows))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Settings {
  execArgv: string[]
  env: Record<string, string>
}

/** As the command starts. */
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' }
const usual: Settings = { execArgv: ['--max-semi-space-size=16'], env: malloc }
/** As it starts with POLYHISTOR_MEMORY=small. */
const small: Settings = {
  ...usual,
  execArgv: ['--max-semi-space-size=8', '--heap-growing-percent=30'],
}
const roomy: Settings = { execArgv: [], env: {} }
/** Types that were stripped before need not be stripped again, which takes 30 MB. The installed command never has to. */
const compiled = join(import.meta.dirname, '../node_modules/.cache/compiled')

/** Each part in a process of its own: memory is that of a crawler that does this and nothing else. */
function inProcess(words: string[], { execArgv, env }: Settings): Promise<string[][]> {
  const child = fork(join(import.meta.dirname, 'run.ts'), ['frontier', ...words], {
    execArgv,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
  })
  return new Promise((resolve, reject) => {
    let rows: string[][] = []
    child.on('message', (message) => {
      rows = message as string[][]
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve(rows) : reject(new Error(`${words[0]} ended with ${code}`)),
    )
  })
}

async function withFrontier(
  folder: string,
  work: (frontier: Frontier, jobId: string) => Promise<string[][]>,
): Promise<void> {
  const keyValue = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
  const needs = { keyValue, clock: new RealClock(), random: new RealRandom() }
  const frontier = new Frontier(needs, { politeness: politenessOff, whenMany: keepHeapSmall })
  const { id } = frontier.jobs.open({ seeds: ['https://www.host-0.example/'], scope: 'any', budgets: {} })
  const rows = await work(frontier, id)
  await frontier.flush()
  await keyValue.close()
  process.send?.(rows)
}

function fillPart(folder: string, urlCount: number): Promise<void> {
  return withFrontier(folder, async (frontier, jobId) => {
    const before = resident()
    const rows = await fill(frontier, jobId, urlCount)
    return [
      ['resident memory before, MB', before],
      ...rows,
      ['resident memory after queueing, MB', resident()],
      ['resident memory at most, MB', residentAtMost()],
    ]
  })
}

function workPart(folder: string, urlCount: number, pageCount: number): Promise<void> {
  return withFrontier(folder, async (frontier, jobId) => {
    const rows = [['resident memory after opening, MB', resident()]]
    rows.push(['seconds until the filters are filled from disk', fillFilters(frontier, jobId)])
    for (const knownShare of [1, 0.9, 0.5, 0]) {
      rows.push([
        `seen tests/s, ${100 * knownShare} % known`,
        seenTests(frontier, jobId, urlCount, knownShare),
      ])
    }
    rows.push(['resident memory after seen tests, MB', resident()])
    rows.push(await fetchAndComplete(frontier, urlCount, pageCount))
    rows.push(['resident memory at the end, MB', resident()])
    rows.push(['resident memory at most, MB', residentAtMost()])
    return rows
  })
}

async function fill(frontier: Frontier, jobId: string, urlCount: number): Promise<string[][]> {
  const start = new Stopwatch()
  for (let number = 0; number < urlCount; number += urlsAtOnce) {
    const count = Math.min(urlsAtOnce, urlCount - number)
    const discoveries = Array.from({ length: count }, (_, index) => {
      const kind = 'navigation' as const
      return { url: urlOf(number + index), kind, jobId, depth: 1, via: 'https://www.host-0.example/' }
    })
    await frontier.add(discoveries)
  }
  await frontier.flush()
  return [['new URLs queued/s', start.rate(urlCount)]]
}

/** Whoever is asked about fills a part of its filter: so every host is asked about until none has a part left. */
function fillFilters(frontier: Frontier, jobId: string): string {
  const urls = Array.from({ length: hosts }, (_, host) => urlOf(host))
  const start = process.cpuUsage()
  for (let round = 0; round < 2; round++) {
    for (const url of urls) frontier.isKnown(parseUrl(`${url.href}?${round}`), jobId)
  }
  return `${(cpuSince(start) / 1_000).toFixed(2)} by processor time`
}

/** URLs are made beforehand, some at a time: what is measured is the test alone. */
function seenTests(frontier: Frontier, jobId: string, urlCount: number, knownShare: number): string {
  let tests = 0
  let elapsedMs = 0
  let cpuMs = 0
  let known = 0
  while (elapsedMs < 2_000) {
    const urls = Array.from({ length: testsAtOnce }, (_, index) => {
      const isKnown = (index % 10) / 10 < knownShare
      return urlOf(Math.floor(Math.random() * urlCount) + (isKnown ? 0 : urlCount))
    })
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()]
    for (const url of urls) if (frontier.isKnown(url, jobId)) known++
    elapsedMs += performance.now() - startMs
    cpuMs += cpuSince(startCpu)
    tests += urls.length
  }
  const share = known / tests
  if (Math.abs(share - knownShare) > 0.001) throw new Error(`${share} were known, not ${knownShare}`)
  return rates(tests, elapsedMs, cpuMs)
}

/** Each page has 36 links, of which one is new. */
async function fetchAndComplete(frontier: Frontier, urlCount: number, pageCount: number): Promise<string[]> {
  let elapsedMs = 0
  let cpuMs = 0
  let fresh = 2 * urlCount
  for (let page = 0; page < pageCount; page += pagesAtOnce) {
    const pages = Array.from({ length: pagesAtOnce }, () =>
      Array.from({ length: linksPerPage }, (_, index): Link => {
        const number = index === 0 ? fresh++ : Math.floor(Math.random() * urlCount)
        return { url: urlOf(number), kind: 'navigation' }
      }),
    )
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()]
    for (const links of pages) {
      const answer = await frontier.nextTask()
      if (answer.kind !== 'task') throw new Error(`no lease: ${answer.kind}`)
      const result = { outcome: 'fetched', status: 200, bytes: 10_000, responseMs: 1 } as const
      await frontier.complete(answer.task, result, links)
    }
    elapsedMs += performance.now() - startMs
    cpuMs += cpuSince(startCpu)
  }
  return [`lease + complete with ${linksPerPage} links, pages/s`, rates(pageCount, elapsedMs, cpuMs)]
}

/** Other work on the machine slows the clock's rate but not that by processor time of this process, all threads. */
class Stopwatch {
  readonly #startMs = performance.now()
  readonly #startCpu = process.cpuUsage()

  rate(count: number): string {
    return rates(count, performance.now() - this.#startMs, cpuSince(this.#startCpu))
  }
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

function rates(count: number, elapsedMs: number, cpuMs: number): string {
  const perSecond = (ms: number): string => Math.round((count * 1_000) / ms).toLocaleString('en')
  return `${perSecond(elapsedMs)} (${perSecond(cpuMs)} by processor time)`
}

/** In all, and of that what are pages of files: Node itself, and the index. */
function resident(): string {
  const of = statusMegabytes()
  return `${of('VmRSS')} (${of('RssAnon')} of its own, ${of('RssFile') + of('RssShmem')} of files)`
}

/** Since the process began. */
function residentAtMost(): string {
  return String(statusMegabytes()('VmHWM'))
}

function statusMegabytes(): (name: string) => number {
  const status = readFileSync('/proc/self/status', 'latin1')
  return (name) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
    return Math.round((Number(kilobytes) * 1_024) / 1e6)
  }
}
