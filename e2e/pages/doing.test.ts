// What a reader does beyond reading, in a real browser: archive pages and watch, compare versions.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Reader, until } from './reader.ts'
import { fillPaper, paper } from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader

const atMs = Date.parse('2023-04-05T06:07:08Z')

beforeAll(async () => {
  served = await servePages(fillPaper)
  reader = await Reader.start()
})

afterAll(async () => {
  await reader?.close()
  await served?.close()
})

const at = (path: string): string => `${served.origin}${path}`

/** As if the owner had clicked the link that the peer printed. */
async function becomeOwner(page: Page): Promise<void> {
  await page.goto(served.newOwnerLink())
  await page.waitForURL(at('/'))
}

describe('archiving', () => {
  test('a page is archived from home, and watched', () =>
    reader.visit(async ({ page, complaints }) => {
      await becomeOwner(page)
      await page.getByLabel('Address of a page').fill('https://fresh.example/')
      await page.getByLabel('How far').selectOption('host')
      await page.getByRole('button', { name: 'Archive it now' }).click()
      await page.waitForURL('**/jobs/*')
      const id = new URL(page.url()).pathname.split('/').pop()!
      assert.equal(served.jobs.find(id)?.scope, 'host')
      await page.getByText('not captured yet').waitFor()
      await page.locator('.state.running').waitFor()
      await served.followed()
      served.jobs.fetched(id, { url: 'https://fresh.example/', outcome: 'new', atMs })
      served.jobs.fetched(id, {
        url: 'https://fresh.example/<b>',
        outcome: 'failed',
        atMs,
        reason: '<script>',
      })
      await page.getByText('captured just now').waitFor()
      const link = page.locator('[data-seed] a').first()
      assert.equal(await link.getAttribute('href'), '/web/20230405060708/https://fresh.example/')
      await until(async () => (await page.locator('.feed li').count()) === 2)
      const missing = { code: 'timeout', words: 'the server did not answer in time', count: 1, seeds: 0 }
      served.jobs.complete(id, [{ ...missing, url: 'https://fresh.example/<b>', reason: 'timeout' }])
      await page.locator('.state.done.partly', { hasText: 'partly kept' }).waitFor()
      await page.locator('.job-outcome.partly', { hasText: 'the server did not answer in time' }).waitFor()
      const spoken = page.locator('[role=status]', { hasText: 'partly kept: 2 fetched' })
      await spoken.waitFor({ state: 'attached' })
      assert.deepEqual(complaints, [])
    }))

  test('a list of crawls keeps itself up to date until all have ended', () =>
    reader.visit(async ({ page }) => {
      const { id } = served.jobs.start({ seeds: [paper], scope: 'site', budgets: {} })
      await page.goto(at('/jobs'))
      served.jobs.change(id, { state: 'done', ending: 'budget of 5 pages is spent' })
      await page
        .locator(`[data-job="${id}"] .state`, { hasText: 'partly kept: budget of 5 pages is spent' })
        .waitFor()
      await page.locator(`[data-job="${id}"]`, { hasText: '40 left out' }).waitFor()
    }))

  test('the status page draws what is fetched', () =>
    reader.visit(async ({ page, complaints }) => {
      const { id } = served.jobs.start({ seeds: [paper], scope: 'site', budgets: {} })
      await page.goto(at('/status'))
      await page.locator('.plot .line:not([d=""])').waitFor({ state: 'attached' })
      for (let count = 0; count < 30; count++) {
        served.jobs.fetched(id, { url: `${paper}${count}`, outcome: 'new', atMs })
      }
      await page.getByText(/[1-9][\d.]* fetched per second/).waitFor()
      served.jobs.cancel(id)
      assert.deepEqual(complaints, [])
    }))

  test('a page of another site cannot archive by a form', () =>
    reader.visit(async ({ page }) => {
      await becomeOwner(page)
      const body = `<form method=post action="${at('/save')}"><input name=url value="https://evil.example/"></form><script>document.forms[0].submit()</script>`
      await page.route('http://localhost:1/evil', (route) =>
        route.fulfill({ contentType: 'text/html', body }),
      )
      await page.goto('http://localhost:1/evil')
      await page.waitForURL('**/save')
      assert(!served.jobs.list().some(({ seeds }) => seeds.includes('https://evil.example/')))
    }))
})

describe('without the owner’s link', () => {
  const sentence = 'To archive and change things here, open the link that polyhistor peer printed'

  test('pages say where it is, and offer nothing that would be refused', () =>
    reader.visit(async ({ page }) => {
      const { id } = served.jobs.start({ seeds: [paper], scope: 'site', budgets: {} })
      for (const path of [
        '/',
        '/jobs',
        `/jobs/${id}`,
        `/web/*/${paper}`,
        '/web/*/https://nothing.example/',
      ]) {
        await page.goto(at(path))
        assert.equal(await page.getByText(sentence).count(), 1, path)
        assert.equal(await page.locator('form[method=post], [formmethod=post]').count(), 0, path)
      }
      served.jobs.cancel(id)
    }))

  test('a link works once, is not used up by a preview, and leaves no code behind', () =>
    reader.visit(async ({ page, complaints }) => {
      const link = served.newOwnerLink()
      for (const method of ['HEAD', 'GET']) assert.equal((await fetch(link, { method })).status, 200)
      await page.goto(link)
      await page.waitForURL(at('/'))
      assert.equal(await page.getByText(sentence).count(), 0)
      await page.goBack()
      assert(!page.url().includes('/owner/'))
      // The same browser may open it again; another may not.
      await page.goto(link)
      await page.waitForURL(at('/'))
      await reader.visit(async ({ page: other }) => {
        await other.goto(link)
        await other.getByText('This link was used already').waitFor()
        await other.goto(at('/'))
        assert.equal(await other.getByText(sentence).count(), 1)
      })
      assert.deepEqual(complaints, [])
    }))

  test('works without scripts, by its button', () =>
    reader.visit(
      async ({ page }) => {
        await page.goto(served.newOwnerLink())
        await page.getByRole('button', { name: 'Open the archive' }).click()
        await page.waitForURL(at('/'))
        assert(await page.getByRole('button', { name: 'Archive it now' }).isVisible())
      },
      { javaScriptEnabled: false },
    ))
})

describe('comparing', () => {
  const path = `/diff/20200610/20210310/${paper}`

  test('views are switched by keyboard', () =>
    reader.visit(async ({ page, complaints }) => {
      await page.goto(at(path))
      await page.locator('#view-side').focus()
      assert(await page.locator('.difference').isVisible())
      await page.keyboard.press('ArrowRight')
      assert(await page.getByRole('radio', { name: 'In line' }).isChecked())
      await page.keyboard.press('ArrowRight')
      assert(await page.getByRole('heading', { name: 'Added' }).isVisible())
      assert(!(await page.locator('.difference').isVisible()))
      await page.keyboard.press('ArrowRight')
      await page.frameLocator('.earlier').getByText('Edition').waitFor()
      await page.frameLocator('.later').getByText('Edition').waitFor()
      assert.deepEqual(complaints, [])
    }))

  test('the two pages scroll together and are as tall as they say', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(path))
      await page.locator('label[for=view-looks]').click()
      await until(async () => (await page.locator('.later').boundingBox())!.height > 900)
      const tops = () =>
        page.evaluate<number[]>(
          `[...document.querySelectorAll('.looks-pages iframe')].map((frame) => frame.getBoundingClientRect().top)`,
        )
      const [before] = await tops()
      await page.evaluate(`document.querySelector('.looks-window').scrollBy(0, 300)`)
      const [left, right] = await tops()
      assert.deepEqual([left! < before!, left === right], [true, true])
    }))

  test('slider, fade and difference lay one upon the other', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(path))
      await page.locator('label[for=view-looks]').click()
      const style = (name: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('.later')).${name}`)
      await page.locator('label[for=looks-wipe]').click()
      await page.locator('#mix').fill('20')
      assert.equal(await style('clipPath'), 'inset(0px 0px 0px 20%)')
      await page.locator('label[for=looks-fade]').click()
      assert.equal(await style('opacity'), '0.2')
      await page.locator('label[for=looks-difference]').click()
      assert.equal(await style('mixBlendMode'), 'difference')
    }))
})
