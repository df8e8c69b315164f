// German as a reader meets it: chosen by the link at the foot, and shown whole, on a screen and on a phone, light and dark.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { Reader, until } from './reader.ts'
import { arabic, fillOddities, fillPaper, paper } from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader

beforeAll(async () => {
  served = await servePages(async (store) => {
    await fillPaper(store)
    await fillOddities(store)
  })
  reader = await Reader.start()
})

afterAll(async () => {
  await reader?.close()
  await served?.close()
})

const shown: readonly (readonly [name: string, path: string, words: RegExp])[] = [
  ['home', '/', /Das Web, wie es war/],
  [
    'calendar',
    `/web/2021*/${paper}`,
    /Aufnahmen zwischen dem 2\. März 2019 und dem .* unterschiedliche Versionen/,
  ],
  ['search', '/search?q=flood', /109 Seiten\..* 1\. Jan\. 2021 · alle Aufnahmen/],
]

async function textOf(page: Page, selector: string): Promise<string> {
  return ((await page.textContent(selector)) ?? '').replace(/\s+/g, ' ').trim()
}

test('the link at the foot changes the language, without scripts, and back', async () => {
  const work = async ({ page, complaints }: Parameters<Parameters<Reader['visit']>[0]>[0]) => {
    await page.goto(`${served.origin}/sites`)
    await page.click('footer a[lang="de"]')
    assert.equal(page.url(), `${served.origin}/sites`)
    assert.match(await textOf(page, 'h1'), /^Websites$/)
    await page.goto(`${served.origin}/`)
    assert.match(await textOf(page, 'h1'), /Das Web, wie es war/)
    await page.click('footer a[lang="en"]')
    assert.match(await textOf(page, 'h1'), /The web, as it was/)
    assert.deepEqual(complaints, [])
  }
  await reader.visit(work, { javaScriptEnabled: false })
})

test.each(['light', 'dark'] as const)('home, calendar and search in German, %s', async (colorScheme) => {
  for (const [size, viewport] of [
    ['screen', { width: 1100, height: 760 }],
    ['phone', { width: 360, height: 740 }],
  ] as const)
    await reader.visit(
      async ({ page, complaints }) => {
        for (const [name, path, words] of shown) {
          await page.goto(`${served.origin}${path}`)
          assert.equal(await page.getAttribute('html', 'lang'), 'de')
          assert.match(await textOf(page, 'main'), words)
          const wide = await page.evaluate('document.documentElement.scrollWidth')
          assert(Number(wide) <= viewport.width, `${name} is ${wide} wide on a ${size}`)
          const folder = process.env.SCREENSHOTS
          if (folder) await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) })
        }
        assert.deepEqual(complaints, [])
      },
      { viewport, colorScheme, locale: 'de-AT' },
    )
})

test('scripts speak the language of their page', async () => {
  await reader.visit(
    async ({ page, complaints }) => {
      await page.goto(`${served.origin}/status`)
      await until(async () => (await textOf(page, '[data-value="rate"]')) === 'Es wird nichts abgerufen.')
      await page.goto(`${served.origin}/web/20210310/${paper}`)
      await page.click('#captured summary')
      await until(async () => !/^$|Wird geprüft/.test(await textOf(page, '[data-value="captured-by"]')))
      assert.match(await textOf(page, '[data-value="captured-by"]'), /Niemand|nicht|Aufgenommen/)
      assert.deepEqual(complaints, [])
    },
    { locale: 'de' },
  )
})

test('a title from right to left stays in its place', async () => {
  await reader.visit(
    async ({ page }) => {
      await page.goto(`${served.origin}/site/ar.example`)
      const isIsolated = `(() => {
        const title = document.querySelector('.page-title')
        return getComputedStyle(title).unicodeBidi
      })()`
      assert.equal(await page.evaluate(isIsolated), 'isolate')
      await page.goto(`${served.origin}/diff/20240506/20240507/${arabic}`)
      assert.match(await textOf(page, 'main'), /Was sich änderte an/i)
    },
    { locale: 'de' },
  )
})
