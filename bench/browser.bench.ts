// Pages in a browser: how many a minute, and whether memory stays flat.
//
// `npm run bench -- browser [--pages 200] [--behaviours yes|no]`: crawls a site of that many pages, each written by a script from
// data that it fetches, with a picture and a style sheet, by `polyhistor crawl --browser always --delay 0`. Memory is looked at
// twice a second: our process, and all of the browser's (PSS, of Linux only), and told for each fifth of the run.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumExecutable } from '../e2e/chromium.ts'

const root = join(import.meta.dirname, '..')
const lookMs = 500
const fifths = 5

interface Sample {
  readonly atMs: number
  readonly pages: number
  readonly ownMegabytes: number
  readonly browserMegabytes: number
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { pages: { type: 'string', default: '200' }, behaviours: { type: 'string', default: 'yes' } },
  })
  const pages = Number(values.pages)
  const site = await startSite(pages)
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-bench-'))
  try {
    const samples = await crawl(site, home, [
      '--set',
      `crawl.browserPath=${await chromiumExecutable()}`,
      '--set',
      `crawl.behaviours=${values.behaviours === 'yes'}`,
    ])
    assert.equal(site.shown(), pages, 'every page was shown')
    print(pages, values.behaviours, samples)
  } finally {
    site.close()
    await rm(home, { recursive: true, force: true })
  }
}

function print(pages: number, behaviours: string, samples: readonly Sample[]): void {
  const seconds = samples.at(-1)!.atMs / 1_000
  console.log(`${pages} pages in ${seconds.toFixed(0)} s: ${((pages * 60) / seconds).toFixed(1)} pages/min`)
  console.log(`behaviours: ${behaviours}\n`)
  console.log('| fifth of the run | pages | our process, MB | browser, MB |\n|---|---|---|---|')
  for (let fifth = 0; fifth < fifths; fifth++) {
    const part = samples.slice(
      Math.floor((samples.length * fifth) / fifths),
      Math.floor((samples.length * (fifth + 1)) / fifths),
    )
    const most = (of: (sample: Sample) => number): string => Math.max(0, ...part.map(of)).toFixed(0)
    console.log(
      `| ${fifth + 1} | ${most(({ pages: done }) => done)} | ${most((sample) => sample.ownMegabytes)} | ${most((sample) => sample.browserMegabytes)} |`,
    )
  }
}

type Site = Awaited<ReturnType<typeof startSite>>

async function crawl(site: Site, home: string, settings: readonly string[]): Promise<Sample[]> {
  const fixed = [
    '--browser',
    'always',
    '--delay',
    '0',
    '--allow-address',
    '127.0.0.0/8',
    '-q',
    '--home',
    home,
  ]
  const child = spawn(join(root, 'bin', 'polyhistor'), ['crawl', site.url, ...fixed, ...settings], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const startMs = performance.now()
  const samples: Sample[] = []
  const look = async (): Promise<void> => {
    const memory = await memoryOf(child.pid!)
    samples.push({ atMs: performance.now() - startMs, pages: site.shown(), ...memory })
  }
  const timer = setInterval(() => void look().catch(() => {}), lookMs)
  const [code] = await ended
  clearInterval(timer)
  assert.equal(code, 0, 'the crawl is complete')
  const { ownMegabytes, browserMegabytes } = samples.at(-1)!
  return [
    ...samples,
    { atMs: performance.now() - startMs, pages: site.shown(), ownMegabytes, browserMegabytes },
  ]
}

/** Of a process and all that it started; those after the first that are called chromium are the browser's. */
async function memoryOf(pid: number): Promise<Pick<Sample, 'ownMegabytes' | 'browserMegabytes'>> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]))
  }
  let ownMegabytes = 0
  let browserMegabytes = 0
  for (const each of parents.keys()) {
    if (!isUnder(each, pid, parents)) continue
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'latin1').catch(() => '')
    const megabytes = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
    const command = await readFile(`/proc/${each}/cmdline`, 'latin1').catch(() => '')
    if (/chrom/i.test(command.split('\0')[0]!)) browserMegabytes += megabytes
    else ownMegabytes += megabytes
  }
  return { ownMegabytes, browserMegabytes }
}

function isUnder(pid: number, top: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid, steps = 0; at !== undefined && steps < 100; steps++) {
    if (at === top) return true
    at = parents.get(at)
  }
  return false
}

async function startSite(pages: number) {
  const shown = new Set<number>()
  const server = createServer(({ url = '/' }, response) => {
    const [, kind, number = '0'] = /^\/(\w*?)-?(\d*)(?:\.\w+)?$/.exec(url) ?? []
    if (kind === 'data') shown.add(Number(number))
    answer(response, kind ?? '', Number(number), pages)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/page-0`, shown: () => shown.size, close: () => server.close() }
}

function answer(response: ServerResponse, kind: string, number: number, pages: number): void {
  const given = contentOf(kind, number, pages)
  if (given === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'Content-Type': given[0] }).end(given[1])
}

function contentOf(
  kind: string,
  number: number,
  pages: number,
): readonly [type: string, body: string] | undefined {
  switch (kind) {
    case 'page':
      return [
        'text/html',
        `<!doctype html><title>${number}</title><link rel=stylesheet href=/style.css><div id=root></div><script src=/app.js></script>`,
      ]
    case 'app':
      return ['text/javascript', application]
    case 'style':
      return ['text/css', 'body { font: 16px sans-serif; margin: 2rem }']
    case 'data':
      return ['application/json', JSON.stringify(dataOf(number, pages))]
    case 'picture':
      return [
        'image/svg+xml',
        `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><circle cx="150" cy="100" r="${20 + (number % 70)}"/></svg>`,
      ]
    default:
      return undefined
  }
}

function dataOf(number: number, pages: number): object {
  const next = [2 * number + 1, 2 * number + 2].filter((each) => each < pages)
  const rows = Array.from({ length: 200 }, (_, row) => `Row ${row} of page ${number}`)
  return { title: `Page ${number}`, rows, next }
}

const application = `
  const number = location.pathname.match(/[0-9]+/)[0]
  fetch('/data-' + number + '.json').then((response) => response.json()).then(({ title, rows, next }) => {
    root.innerHTML = '<h1>' + title + '</h1><img src="/picture-' + number + '.svg">' +
      next.map((each) => '<a href="/page-' + each + '">' + each + '</a>').join(' ') + rows.map((row) => '<p>' + row).join('')
  })
`
