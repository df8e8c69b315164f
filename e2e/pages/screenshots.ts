// Pictures of the screens over the sample archive, light, dark and on a phone:
//
//   sh bin/set-up && node e2e/pages/screenshots.ts docs/images/15/after [screen …]
//
// What moves or depends on today is made up (crawls, network), so that two runs can be compared.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { pageCapture } from '../../src/store/fixtures/sample-captures.ts'
import { chromiumExecutable } from '../chromium.ts'
import { firstWatch } from './made-up-watches.ts'
import { fillPaper, paper } from './sample-archive.ts'
import { servePages } from './served-pages.ts'

const torn = 'https://torn.example/'
const atMs = Date.parse('2023-04-05T06:07:08Z')
const said = JSON.stringify({
  missing: ['photo.jpg', 'fonts/serif.woff2', 'comments.js'].map((name) => `${torn}${name}`),
  earliest: '20230101000000',
  latest: '20230405060708',
})

const screens: Record<string, string> = {
  home: '/',
  job: '/jobs/job1',
  running: '/jobs/job2',
  failed: '/jobs/job3',
  jobs: '/jobs',
  calendar: `/web/2021*/${paper}`,
  versions: `/web/202103*/${paper}`,
  replay: `/web/20210310/${paper}`,
  missing: `/web/20230405060708/${torn}`,
  compare: `/diff/20200610/20210310/${paper}`,
  status: '/status',
  contributors: '/contributors',
  sites: '/sites',
  site: '/site/paper.example',
  visits: '/visits',
  links: '/links?to=paper.example',
  'page-links': `/links?from=${encodeURIComponent(paper)}`,
  search: '/search?q=flood',
  'search-help': '/search',
  'search-ever': '/search?q=paper&at=ever',
  'search-wrong': '/search?q=at:nonsense',
  'search-none': '/search?q=floood+stoory',
  rank: '/rank',
  'site-rank': '/rank?site=paper.example',
  sql: '/sql',
  plan: '/plan',
  watches: '/watches',
  watch: `/watches/${firstWatch}`,
  webhooks: '/webhooks',
  feeds: `/feeds?url=${encodeURIComponent(paper)}`,
  settings: '/settings',
  interfaces: '/interfaces',
  failure: '/web/*/https://papr.example/',
  'page-failure': `/web/2021/${paper}storys/flood`,
}

const looks = {
  light: { viewport: { width: 1100, height: 760 }, colorScheme: 'light' },
  dark: { viewport: { width: 1100, height: 760 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 760 }, colorScheme: 'light', isMobile: true },
} as const

/** All of a page instead of what a window shows of it. */
const fullPage = process.env.FULL === '1'
const [folder = 'screenshots', ...asked] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const served = await servePages(async (store) => {
  await fillPaper(store)
  await store.append(
    pageCapture(
      torn,
      atMs,
      `<title>Torn</title><h1>A page with holes</h1><script>window.more = ${said}</script>`,
    ),
  )
})
const { id } = served.jobs.start({ seeds: [paper], scope: 'site', budgets: {} })
for (let page = 0; page < 12; page++)
  served.jobs.fetched(id, { url: `${paper}${page}`, outcome: 'new', atMs })
served.jobs.complete(id, [
  {
    code: 'connect-refused',
    words: 'the server refused the connection',
    count: 2,
    seeds: 0,
    url: 'https://cdn.paper.example/photo.jpg',
    reason: 'cdn.paper.example refuses connections',
  },
])
const running = served.jobs.start({ seeds: ['https://news.example/'], scope: 'site', budgets: {} }).id
for (let page = 0; page < 25; page++)
  served.jobs.fetched(running, { url: `https://news.example/${page}`, outcome: 'new', atMs })
const failed = served.jobs.start({ seeds: ['https://down.example/'], scope: 'page', budgets: {} }).id
served.jobs.complete(failed, [
  {
    code: 'connect-refused',
    words: 'the server refused the connection',
    count: 1,
    seeds: 1,
    url: 'https://down.example/',
    reason: 'down.example refuses connections',
  },
])
served.jobs.change(failed, {
  outcome: 'nothing',
  advice:
    'The server may be down: try again later. For a server of your own network start the peer with --allow-address.',
})
const empty = await servePages()
const browser = await chromium.launch({ executablePath: await chromiumExecutable(), args: ['--no-sandbox'] })
for (const [look, options] of Object.entries(looks)) {
  const context = await browser.newContext({ ...options, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(served.newOwnerLink())
  await page.waitForURL(`${served.origin}/`)
  for (const [name, path] of Object.entries(screens)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    // So that the status does not depend on when it is looked at.
    served.jobs.change(running, { state: name === 'running' || name === 'jobs' ? 'running' : 'paused' })
    await page.goto(`${served.origin}${path}`)
    await page.waitForTimeout(700)
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage })
  }
  if (asked.length === 0 || asked.includes('empty')) {
    await page.goto(empty.newOwnerLink())
    await page.waitForURL(`${empty.origin}/`)
    await page.screenshot({ path: join(folder, `empty-${look}.png`), fullPage })
  }
  await context.close()
}
await browser.close()
await served.close()
await empty.close()
