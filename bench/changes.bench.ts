// `npm run bench -- changes [--events 100000] [--rounds 3]`: how fast one peer tells its changes to a reader over HTTP, from a real
// index on a real disk, all of them from the first on: as a JSON object a line, and as Server-Sent Events. The reader is curl,
// which has grep count them. Beside it, in the same rounds, what this machine can do at best: a bare server of Node has the same answer
// ready in memory, as a file that somebody exported once. Rates of a shared machine swing: the second figure is by processor time of
// the peer alone. What the log costs a crawl: `npm run bench -- crawl-beside COMMIT` with a commit from before there was one.

import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { RouteRequest } from '../src/api/route-request.ts'
import { changeRoutes } from '../src/api/v1/changes/change-routes.ts'
import { openChanges } from '../src/app/changes/open-changes.ts'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../src/crawl/politeness/politeness-rules.ts'
import { parseUrl } from '../src/model/url/url.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { RealDisk } from '../src/platform/real/disk/disk.ts'
import { startHttpServer } from '../src/platform/real/http-server/http-server.ts'
import { RealKeyValues } from '../src/platform/real/key-value/key-value.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import { median, printTable } from './measure.ts'

const sites = 1_000

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { events: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' } },
  })
  const [events, rounds] = [Number(values.events), Number(values.rounds)]
  const folder = await mkdtemp(join(tmpdir(), 'changes-bench-'))
  try {
    const rows = await measured(folder, events, rounds)
    const { size } = await stat(join(folder, 'data.mdb'))
    rows.push(['frontier on disk, bytes an event', (size / events).toFixed(0)])
    console.log(printTable([`${events} changes of ${sites} sites, median of ${rounds} rounds`, ''], rows))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Rate {
  readonly perSecond: number
  readonly perCpuSecond: number
}

async function measured(folder: string, events: number, rounds: number): Promise<string[][]> {
  const [clock, random] = [new RealClock(), new RealRandom()]
  const keyValue = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
  const frontier = new Frontier({ keyValue, clock, random }, { politeness: politenessOff })
  const written = await fill(frontier, events)
  const changes = openChanges({ clock, random, frontier, isHidden: () => false })
  const [route] = changeRoutes({ service: changes })
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, (request) =>
    route!.handle(new RouteRequest(request, 'archive', '', {}, () => true)),
  )
  const url = `http://127.0.0.1:${server.port}/api/v1/changes?follow=false`
  const ready = await serveReady(Buffer.from(await (await fetch(url)).arrayBuffer()))
  const rates: Record<string, Rate[]> = { 'application/x-ndjson': [], 'text/event-stream': [] }
  const readyRates: Rate[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [type, found] of Object.entries(rates)) found.push(await rateOf(url, type, events))
    readyRates.push(await rateOf(ready.url, 'application/x-ndjson', events))
  }
  ready.close()
  await server.close(0)
  await changes.close()
  await keyValue.close()
  return [
    ['written by completed visits, a second', written.toFixed(0)],
    ...Object.entries(rates).flatMap(([type, found]) => [
      [`read as ${type}, a second`, median(found.map(({ perSecond }) => perSecond)).toFixed(0)],
      ['  a second of its processor time', median(found.map(({ perCpuSecond }) => perCpuSecond)).toFixed(0)],
      ['  of what is read from memory', ratioOf(found, readyRates)],
    ]),
    ['read from memory, a second', median(readyRates.map(({ perSecond }) => perSecond)).toFixed(0)],
  ]
}

/** Round by round: what disturbs one disturbs its neighbour too. */
function ratioOf(rates: readonly Rate[], others: readonly Rate[]): string {
  return median(rates.map(({ perSecond }, round) => perSecond / others[round]!.perSecond)).toFixed(3)
}

async function serveReady(body: Buffer): Promise<{ url: string; close(): void }> {
  const server = createServer((_, response) => void response.end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

async function fill(frontier: Frontier, events: number): Promise<number> {
  const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  const start = performance.now()
  for (let number = 0; number < events; number++) {
    const url = parseUrl(`https://www.site-${number % sites}.example/2024/story-of-the-day-${number}.html`)
    frontier.visits.revisit(url, id)
    const answer = await frontier.nextTask()
    if (answer.kind !== 'task') throw new Error(answer.kind)
    const digest = { algorithm: 'sha256', bytes: hash('sha256', url.href, 'buffer') } as const
    const facts = { status: 200, mime: 'text/html', digest, bytes: 10_000 + number }
    const sighting = { id: digest.bytes.subarray(0, 16), atMs: Math.floor(frontier.nowMs()), ...facts }
    const observed = { sighting, earlier: () => [] }
    await frontier.complete(answer.task, { outcome: 'fetched', status: 200, observed })
  }
  await frontier.flush()
  return (1_000 * events) / (performance.now() - start)
}

async function rateOf(url: string, accept: string, events: number): Promise<Rate> {
  const start = performance.now()
  const cpu = process.cpuUsage()
  const reading = `curl -sN -H 'Accept: ${accept}' '${url}' | grep -c '"kind"'`
  const { stdout } = await promisify(execFile)('sh', ['-c', reading])
  if (Number(stdout) !== events) throw new Error(`${stdout.trim()} of ${events} events were read`)
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: (1_000 * events) / (performance.now() - start),
    perCpuSecond: (1e6 * events) / (user + system),
  }
}
