// Pictures of the console and of the pages beside it, light, dark and on a phone, for docs/console.md and docs/watches.md:
//
//   npm run screenshots [-- docs/images/console]
//
// The sites, peers and events are made up. Saved as WebP, which the browser itself makes: small files.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../chromium.ts'
import { firstWatch } from './made-up-watches.ts'
import { fillPaper, paper } from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'
import { webp } from './webp.ts'

const looks = {
  light: { viewport: { width: 1180, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1180, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 800 }, colorScheme: 'light', isMobile: true, hasTouch: true },
} as const

const words = [
  'library',
  'museum',
  'herald',
  'garden',
  'harbour',
  'weather',
  'council',
  'theatre',
  'river',
  'school',
]
const sites = ['paper.example', ...words.flatMap((word) => [`${word}.example`, `${word}-archive.example`])]

const [folder = 'docs/images/console'] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const served = await servePages(fillPaper)
await served.console.fill(sites, 40)
const { console: filled, origin } = served
const self = encodeURIComponent(filled.console.self)

const actor = { by: 'browser', from: '127.0.0.1' } as const
const { readAction } = await import('../../src/console/action-request.ts')
for (const written of [
  { action: 'add-site', url: 'https://theatre.example/' },
  { action: 'revisit-every', site: 'weather.example', every: '1h-1d' },
  { action: 'pause', site: 'herald.example' },
  { action: 'take-down', url: `${paper}story/7`, reason: 'asked for by its author' },
  { action: 'deny', host: 'ads.harbour.example' },
])
  await filled.console.actions.carryOut(readAction(written), actor)
await filled.console.actions.undo(3, actor)
await filled.console.actions.carryOut(readAction({ action: 'restart' }), actor).catch(() => {})

/** Each makes other pages change. */
let round = 0

const views: Record<string, (page: Page) => Promise<void>> = {
  network: async (page) => void (await page.goto(`${origin}/admin`)),
  site: async (page) => {
    await page.goto(`${origin}/admin/find?site=paper.example&peer=${self}`)
    await chosen(page, 'paper.example')
  },
  url: async (page) => {
    await page.goto(`${origin}/admin/find?site=paper.example&peer=${self}`)
    await page.getByText('Pages kept fresh').first().click()
    await page.locator('[data-kind="url"] a').nth(2).click()
    await page.locator('#facts', { hasText: 'failures in a row' }).waitFor()
  },
  move: async (page) => {
    await page.goto(`${origin}/admin/find?site=paper.example&peer=${self}`)
    await chosen(page, 'paper.example')
    await page.waitForLoadState('networkidle')
    await page.locator('summary', { hasText: 'Move it to another peer' }).click()
    await page.getByRole('button', { name: 'Move', exact: true }).scrollIntoViewIfNeeded()
  },
  storage: async (page) => void (await page.goto(`${origin}/admin/storage`)),
  stream: async (page) => {
    await page.goto(`${origin}/admin/stream`)
    await changes(served)
    await page.locator('.stream li').nth(11).waitFor()
  },
  log: async (page) => void (await page.goto(`${origin}/admin/actions`)),
  watches: async (page) => void (await page.goto(`${origin}/watches`)),
  watch: async (page) => void (await page.goto(`${origin}/watches/${firstWatch}`)),
  rules: async (page) => void (await page.goto(`${origin}/rules`)),
  links: async (page) => void (await page.goto(`${origin}/links?to=paper.example`)),
  sql: async (page) => void (await page.goto(`${origin}/sql`)),
}

const browser = await chromium.launch({ executablePath: await chromiumExecutable(), args: ['--no-sandbox'] })
for (const [look, options] of Object.entries(looks)) {
  const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(served.newOwnerLink())
  await page.waitForURL(`${origin}/`)
  for (const [name, open] of Object.entries(views)) {
    await open(page)
    const picture = await webp(browser, await page.screenshot(), options.viewport)
    await writeFile(join(folder, `${name}-${look}.webp`), picture)
  }
  await context.close()
}
await browser.close()
await served.close()

/** On a phone what is chosen comes up over the tree when it is tapped. */
async function chosen(page: Page, site: string): Promise<void> {
  await page.locator('[data-kind="site"] > a', { hasText: site }).first().click()
  await page.locator('#facts h2', { hasText: site }).waitFor()
}

async function changes({ console: { visit } }: ServedPages): Promise<void> {
  round++
  for (const [index, word] of words.entries()) {
    await visit(
      `https://www.${word}.example/news/${round}`,
      `edition ${round} of ${word}`.repeat(40 * (index + 1)),
    )
    if (index % 3 === 0)
      await visit(
        `https://www.${word}.example/news/${round}`,
        `second edition ${round} of ${word}`.repeat(90),
      )
  }
}
