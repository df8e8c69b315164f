// What of a page's changes is recognised as noise, on generated pages: newspapers, shops, forums, blogs and manuals in seven languages
// with clocks, tokens, counters and advertisements, edited by people now and then; and on a second set with other conventions, which
// the recognition was not made for.
//
//   --pages N    of each set (500)
//   --visits N   of each page (12)
//   --seed N     (1)
//
// Then what it costs to compare two versions of a page of 30 kB and of pages made to be slow: processor time.

import { parseArgs } from 'node:util'
import { runTrial, type TrialResult } from '../src/changes/page-change/fixtures/noise-trial.ts'
import { otherTimelines } from '../src/changes/page-change/fixtures/other-pages.ts'
import { pageTimelines } from '../src/changes/page-change/fixtures/page-timeline.ts'
import { type PageVersion, versionDifference } from '../src/changes/page-change/page-change.ts'
import { median, printTable } from './measure.ts'

const pagesPerSite = 20

export async function run(words: string[] = []): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      pages: { type: 'string', default: '500' },
      visits: { type: 'string', default: '12' },
      seed: { type: 'string', default: '1' },
    },
  })
  const sites = Math.ceil(Number(values.pages) / pagesPerSite)
  const options = { seed: Number(values.seed), sites, pagesPerSite, visits: Number(values.visits) }
  const results = [
    ['made for', runTrial(pageTimelines(options))],
    ['other conventions', runTrial(otherTimelines(options))],
  ] as const
  console.log(
    printTable(
      [
        'pages',
        'noise after 4 visits',
        'marked',
        '',
        'noise before',
        'marked',
        'edits',
        'marked',
        'page bytes',
        'most',
        'site bytes',
        'most',
      ],
      results.map(([name, result]) => rowOf(name, result)),
    ),
  )
  for (const [name, { wronglyMarked, missed }] of results) {
    for (const wrong of wronglyMarked.slice(0, 10)) console.log(`WRONGLY MARKED, ${name}: ${wrong}`)
    const most = [...missed].sort(([, one], [, other]) => other - one).slice(0, 5)
    console.log(`\nnot recognised most often, ${name}:`)
    for (const [path, count] of most) console.log(`${String(count).padStart(6)}  ${path}`)
  }
  console.log()
  console.log(printTable(['two versions of', 'ms of processor time'], costs()))
}

function rowOf(name: string, result: TrialResult): string[] {
  const edits = [...result.edits.values()]
  return [
    name,
    String(result.cosmetic),
    String(result.cosmeticMarked),
    `${((100 * result.cosmeticMarked) / result.cosmetic).toFixed(2)} %`,
    String(result.early),
    String(result.earlyMarked),
    String(edits.reduce((sum, { made }) => sum + made, 0)),
    String(edits.reduce((sum, { marked }) => sum + marked, 0)),
    String(median(result.pageBytes)),
    String(Math.max(...result.pageBytes)),
    String(median(result.siteBytes)),
    String(Math.max(...result.siteBytes)),
  ]
}

function costs(): string[][] {
  const page = pageOfSize(30_000)
  const noisy = page.replace('12:00:00', '12:00:59').replace('1,234 views', '1,240 views')
  const edited = page.replace('word17 ', 'another ').replace('word40 ', '')
  const rewritten = page.replaceAll('word', 'term')
  return [
    ['30 kB, a clock and a counter', msOf(page, noisy, 200)],
    ['30 kB, two words edited', msOf(page, edited, 200)],
    ['30 kB, written anew', msOf(page, rewritten, 50)],
    ['1 MB of nested <div>', msOf('<div>'.repeat(200_000), '<div>'.repeat(200_001), 3)],
    ['1 MB of attributes', msOf(`<a ${'b=c '.repeat(250_000)}>`, `<a ${'b=d '.repeat(250_000)}>`, 3)],
    ['1 MB of different paragraphs', msOf(paragraphs('a'), paragraphs('b'), 3)],
    ['1 MB of one line', msOf('x1 '.repeat(330_000), 'x2 '.repeat(330_000), 3)],
  ]
}

function paragraphs(letter: string): string {
  return Array.from(
    { length: 40_000 },
    (_, at) => `<p class=c${at % 7}>${letter}${at} 12:${at % 60} ${at}`,
  ).join('')
}

/** Like a page of news: teasers with links, classes and some words. */
function pageOfSize(bytes: number): string {
  let html =
    '<!doctype html><html><head><title>News</title></head><body><header><span class="clock">12:00:00</span></header><main>'
  for (let at = 0; html.length < bytes; at++) {
    html += `<article class="teaser teaser--small"><a class="teaser__link" href="/news/${at}.html"><img src="/img/${at}.jpg" alt=""></a><h2 class="teaser__title">word${at * 3} story</h2><p class="teaser__text">${Array.from({ length: 18 }, (_, word) => `word${at + word}`).join(' ')} .</p></article>\n`
  }
  return `${html}</main><footer class="views">1,234 views</footer></body></html>`
}

function msOf(before: string, after: string, rounds: number): string {
  const version = (text: string): PageVersion => ({
    text,
    bytes: text.length,
    contentType: 'text/html',
    url: 'https://bench.example/',
    capturedAtMs: 0,
  })
  const one = version(before)
  const other = version(after)
  const times = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage()
    versionDifference(one, other)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  })
  return median(times).toFixed(2)
}

if (import.meta.main) await run(process.argv.slice(2))
