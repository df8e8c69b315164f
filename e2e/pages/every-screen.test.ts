// Promises that every screen keeps: on a phone, without scripts, without a mouse, in the dark, with whatever is archived.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import { afterAll, beforeAll, test } from 'vitest'
import { root } from '../command.ts'
import { contrasts } from './contrast.ts'
import { firstWatch } from './made-up-watches.ts'
import { Reader } from './reader.ts'
import {
  arabic,
  busy,
  endless,
  fillBusy,
  fillOddities,
  fillPaper,
  hostileUrl,
  paper,
} from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader

beforeAll(async () => {
  served = await servePages(async (store) => {
    await fillPaper(store)
    await fillOddities(store)
    await fillBusy(store)
  })
  served.jobs.start({ seeds: [endless, hostileUrl], scope: 'site', budgets: {} })
  reader = await Reader.start()
})

afterAll(async () => {
  await reader?.close()
  await served?.close()
})

const at = (path: string): string => `${served.origin}${path}`

const screens = [
  '/',
  '/jobs',
  '/jobs/job1',
  '/taking-in',
  '/status',
  '/contributors',
  '/settings',
  '/rules',
  '/interfaces',
  '/tools',
  `/archive?url=${encodeURIComponent(paper)}`,
  `/archive?url=${encodeURIComponent(hostileUrl)}`,
  '/sites',
  '/site/paper.example',
  '/links?to=paper.example',
  `/links?from=${encodeURIComponent(paper)}`,
  '/links?to=nothing.example',
  '/search',
  '/search?q=flood',
  '/search?q=the+OR+a&at=ever',
  '/search?q=nothingofthekind&site=paper.example',
  '/search?q=flood+at:2020&at=2021',
  '/search?q=at:nonsense',
  '/rank',
  '/rank?site=paper.example',
  '/rank?site=nothing.example',
  '/sql',
  '/plan',
  '/plan?preset=herodotus&copies=3',
  '/plan?copies=many',
  '/docs/',
  '/docs/api.html',
  '/docs/operating/index.html',
  '/docs/decisions/index.html',
  '/watches',
  '/webhooks',
  '/feeds',
  `/feeds?url=${encodeURIComponent(paper)}`,
  `/feeds?site=paper.example`,
  '/site/paper.example?all=1',
  `/web/*/${paper}`,
  `/web/2020*/${busy}`,
  `/web/202003*/${busy}`,
  `/web/*/${endless}`,
  '/web/*/https://long.example/*',
  `/web/*/${arabic}`,
  `/web/20240506/${arabic}`,
  `/diff/20240506/20240507/${arabic}`,
  `/web/*/${hostileUrl}`,
  `/web/20240506/${hostileUrl}`,
  `/diff/20240506070809/2025/${hostileUrl}`,
  `/web/2020/${paper}`,
  `/diff/2020/2021/${paper}`,
  '/web/*/https://nothing.example/',
  '/web/*/https://gone.example/',
  '/web/123456789/https://x.example/',
]

const screensWithForms = [
  '/',
  '/watches',
  `/watches/${firstWatch}`,
  `/watches?url=${encodeURIComponent(hostileUrl)}`,
  '/webhooks',
  '/sql',
  '/settings',
  '/jobs',
  '/jobs/job1',
  `/web/*/${endless}`,
  '/web/*/https://nothing.example/',
]

const consoleScreens = ['/admin', '/admin/storage', '/admin/stream', '/admin/actions']

const axe = readFileSync(join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
/** Archived pages in their frames are as they were. */
const axeOptions = { iframes: false, resultTypes: ['violations'] }

/** Those that reach into the next. */
const figuresTooWide = `[...document.querySelectorAll('.figures dd')]
  .filter((figure) => figure.scrollWidth > figure.clientWidth)
  .map((figure) => figure.textContent)`

test.each([320, 390, 1100])('fits in %i pixels, runs no script but ours and asks nobody else', (width) =>
  reader.visit(
    async ({ page, complaints }) => {
      for (const path of [...screens, 'as the owner', ...screensWithForms]) {
        if (path === 'as the owner') {
          await page.goto(served.newOwnerLink())
          await page.waitForURL(at('/'))
          continue
        }
        await page.goto(at(path))
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert(overflow <= 0, `${path} is ${overflow} px too wide`)
        assert.deepEqual(await page.evaluate(figuresTooWide), [], path)
        assert.equal(await page.evaluate(`'harm' in window`), false, path)
      }
      assert.deepEqual(complaints, [])
    },
    { viewport: { width, height: 700 } },
  ),
)

test('has one heading of the first rank, one main part, and a way to skip to it', () =>
  reader.visit(async ({ page }) => {
    for (const path of screens) {
      await page.goto(at(path))
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path)
      assert.equal(await page.getByRole('main').count(), 1, path)
      await page.locator('.skip').focus()
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate('document.activeElement.id'), 'main', path)
    }
  }))

test.each(['light', 'dark'] as const)('axe finds nothing to complain of, %s', (colorScheme) =>
  reader.visit(
    async ({ page }) => {
      const faults: string[] = []
      for (const path of [...screens, 'as the owner', ...screensWithForms, ...consoleScreens]) {
        if (path === 'as the owner') {
          await page.goto(served.newOwnerLink())
          await page.waitForURL(at('/'))
          continue
        }
        await page.goto(at(path))
        const { violations } = await page.evaluate<AxeResults>(
          `${axe}\naxe.run(${JSON.stringify(axeOptions)})`,
        )
        for (const { id, nodes } of violations)
          faults.push(`${path}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
      }
      assert.deepEqual(faults, [])
    },
    { colorScheme },
  ),
)

test.each([360, 900, 1000, 1100, 1260, 1280, 1460])(
  'the bar of a page leaves room for its address, and wide enough for the timeline, %i pixels',
  (width) =>
    reader.visit(
      async ({ page }) => {
        const narrow: string[] = []
        for (const who of ['stranger', 'owner']) {
          if (who === 'owner') {
            await page.goto(served.newOwnerLink())
            await page.waitForURL(at('/'))
          }
          for (const language of ['de', 'en']) {
            await page.goto(at(`/language/${language}`))
            await page.goto(at(`/web/2021/${paper}`))
            const more = page.locator('label[for=more]')
            if (await more.isVisible()) await more.click()
            const box = await page.locator('#address').boundingBox()
            if (box === null || box.width < 160) narrow.push(`${who}, ${language}: ${box?.width} px`)
            const timeline = await page.locator('.timeline').boundingBox()
            if (width >= 1260 && (timeline === null || timeline.width < 60))
              narrow.push(`${who}, ${language}: timeline of ${timeline?.width} px`)
          }
        }
        assert.deepEqual(narrow, [])
      },
      { viewport: { width, height: 700 } },
    ),
)

test('without scripts everything can be read, archived and compared', () =>
  reader.visit(
    async ({ page }) => {
      await page.goto(at('/'))
      await page.getByLabel('Address of a page').fill(paper)
      await page.getByRole('button', { name: 'Find it' }).click()
      await page.frameLocator('#replay').locator('h1').waitFor()
      await page.getByRole('link', { name: 'All versions' }).click()
      await page.getByRole('link', { name: /^2020 / }).click()
      await page.getByRole('link', { name: 'March', exact: true }).click()
      await page.getByRole('link', { name: 'what changed' }).first().click()
      await page.locator('label[for=view-inline]').click()
      assert(await page.locator('.difference').isVisible())
      await page.goto(served.newOwnerLink())
      await page.getByRole('button', { name: 'Open the archive' }).click()
      await page.goto(at('/web/*/https://unknown.example/'))
      await page.getByRole('button', { name: 'Archive it now' }).click()
      await page.waitForURL('**/jobs/*')
    },
    { javaScriptEnabled: false },
  ))

test('a calendar of ten thousand captures is a page of bounded size, in all its parts', async () => {
  for (const path of [`/web/*/${busy}`, `/web/202003*/${busy}`, `/web/2020/${busy}`]) {
    const answer = await fetch(at(path))
    const { length } = await answer.text()
    assert.equal(answer.status, 200)
    assert(length < 150_000, `${path}: ${length}`)
  }
})

test.each(['light', 'dark'] as const)('text can be read in %s: 4.5 to 1 at least', (colorScheme) =>
  reader.visit(
    async ({ page }) => {
      for (const path of ['/', '/sites', '/interfaces', `/web/2020*/${paper}`, `/web/2020/${paper}`]) {
        await page.goto(at(path))
        const ratios = await page.evaluate<[string, number][]>(contrasts)
        assert.deepEqual(
          ratios.filter(([, ratio]) => !(ratio >= 4.5)),
          [],
          path,
        )
      }
    },
    { colorScheme },
  ),
)

test('on a phone versions are compared in line, and wide tables show that there is more', () =>
  reader.visit(
    async ({ page }) => {
      await page.goto(at(`/diff/2020/2021/${paper}`))
      await page.locator('#view-inline:checked').waitFor({ state: 'attached' })
      await page.goto(at(`/web/202003*/${busy}`))
      const style = (name: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('.scroll')).${name}`)
      assert.match(await style('backgroundImage'), /gradient/)
      assert.equal(await style('scrollbarWidth'), 'thin')
    },
    { viewport: { width: 390, height: 700 } },
  ))

test('the count of a day does not lie upon the day', () =>
  reader.visit(async ({ page }) => {
    await page.goto(at(`/web/2020*/${busy}`))
    const overlaps =
      await page.evaluate(`[...document.querySelectorAll('.month .day:has(small)')].filter((day) => {
      const [number, count] = [day.querySelector('b'), day.querySelector('small')].map((part) => part.getBoundingClientRect())
      const box = day.getBoundingClientRect()
      return count.top < number.bottom - 1 || count.bottom > box.bottom || count.right > box.right
    }).length`)
    assert.equal(overlaps, 0)
    assert((await page.locator('.month .day small').count()) > 100)
  }))

test('nothing moves for those who asked for that', () =>
  reader.visit(
    async ({ page }) => {
      await page.goto(at(`/web/*/${paper}`))
      const moving = await page.evaluate(
        `[...document.querySelectorAll('*')].filter((element) => getComputedStyle(element).transitionDuration !== '0s').length`,
      )
      assert.equal(moving, 0)
    },
    { reducedMotion: 'reduce' },
  ))

test('the browser’s side has sound types', () => {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'web'], { cwd: root, stdio: 'pipe' })
})
