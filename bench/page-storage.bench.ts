// What storage of replayed pages costs (decision 0055), in a real browser: databases in memory in an origin like no other,
// against an origin per capture with the browser's own databases. Loads of an empty page with wombat and our start: without
// databases, with those in memory, and from a fresh host name each time. Then, in a database: opening, and 1,000 puts.
//
// Medians, in milliseconds, and ratios. Options: --rounds N (40).

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../e2e/chromium.ts'
import { ownFileSources } from '../src/app/pages/store-replay.ts'
import { inPageFiles, OwnFiles } from '../src/replay/own-files.ts'

const kinds = ['plain', 'memory', 'own-origin'] as const
type Kind = (typeof kinds)[number]

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string', default: '40' } } })
  const server = await pageServer()
  const browser = await chromium.launch({
    executablePath: await chromiumExecutable(),
    args: ['--no-sandbox'],
  })
  try {
    const { port } = server.address() as AddressInfo
    await measure(await browser.newPage(), port, Number(values.rounds))
  } finally {
    await browser.close()
    server.close()
  }
}

async function measure(page: Page, port: number, rounds: number): Promise<void> {
  const loads: Record<Kind, number[]> = { plain: [], memory: [], 'own-origin': [] }
  const databases: Record<string, number[][]> = { memory: [], 'own-origin': [] }
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const host = kind === 'own-origin' ? `c${round}.replay.localhost` : 'replay.localhost'
      const begunMs = performance.now()
      await page.goto(`http://${host}:${port}/${kind}`)
      // The first few fill caches.
      if (round > 2) loads[kind].push(performance.now() - begunMs)
      databases[kind]?.push(await page.evaluate<number[]>(useDatabase))
    }
  }
  const plainMs = median(loads.plain)
  for (const kind of kinds) {
    const ms = median(loads[kind])
    console.log(`load, ${kind}: ${ms.toFixed(1)} ms (${(ms / plainMs).toFixed(2)} of plain)`)
  }
  for (const [kind, times] of Object.entries(databases)) {
    const [openMs, putsMs] = [0, 1].map((at) => median(times.map((time) => time[at]!)).toFixed(1))
    console.log(`database, ${kind}: opened in ${openMs} ms, 1,000 puts and one getAll in ${putsMs} ms`)
  }
}

/** In the page. */
const useDatabase = `(async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const begun = performance.now()
  const request = indexedDB.open('measured', 1)
  request.onupgradeneeded = () => request.result.createObjectStore('all')
  const database = await done(request)
  const opened = performance.now()
  const written = database.transaction('all', 'readwrite')
  for (let at = 0; at < 1_000; at++) written.objectStore('all').put({ at }, at)
  await new Promise((resolve) => (written.oncomplete = resolve))
  await done(database.transaction('all').objectStore('all').getAll())
  return [opened - begun, performance.now() - opened]
})()`

async function pageServer(): Promise<Server> {
  const scripts = await startScripts()
  const server = createServer((request, response) => {
    const host = `http://${request.headers.host}`
    const [, name = ''] = (request.url ?? '').split('/')
    const script = scripts.get(name)
    if (script !== undefined) {
      response.writeHead(200, {
        'Content-Type': 'text/javascript',
        'Cache-Control': 'public, max-age=3600',
        'Access-Control-Allow-Origin': '*',
      })
      response.end(script)
      return
    }
    const isOwn = name === 'own-origin'
    response.writeHead(200, {
      'Content-Type': 'text/html',
      'Content-Security-Policy': `sandbox allow-scripts${isOwn ? ' allow-same-origin' : ''}`,
    })
    response.end(pageText(host, name === 'memory' ? 'memory.js' : 'plain.js'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function startScripts(): Promise<Map<string, Uint8Array>> {
  const sources = await ownFileSources()
  const plain = sources.inPage
    .filter((_, at) => !/^(?:database|caches)/.test(inPageFiles[at]!))
    .map((text) => text.replace(/^keep\w+InMemory\(window(?:\)|,[\s\S]*?\n\))$/gm, ''))
  const scriptOf = (inPage: readonly string[]) =>
    new OwnFiles({ ...sources, inPage }).answer('/web/_/start.js', [])!.body as Uint8Array
  const scripts = new Map([
    ['plain.js', scriptOf(plain)],
    ['memory.js', scriptOf(sources.inPage)],
  ])
  for (const [name, { length }] of scripts) console.log(`${name}: ${length} bytes`)
  return scripts
}

function pageText(replay: string, script: string): string {
  const facts = {
    url: 'http://a.test/',
    timestamp: '20200101000000',
    capturedAt: '20200101000000',
    capturedAtSeconds: 1_577_836_800,
    modifier: 'mp_',
    archive: replay,
    replay,
  }
  return `<!doctype html><script crossorigin src="/${script}" data-polyhistor='${JSON.stringify(facts)}'></script><p>page`
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1]!
}
