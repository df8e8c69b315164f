// The console in a real browser: its tree by keyboard and page by page, what is done from it and undone, storage, stream and log.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { contrasts } from './contrast.ts'
import { Reader, until, type Visit } from './reader.ts'
import { fillPaper } from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader
const sites = ['paper.example', ...Array.from({ length: 249 }, (_, index) => `site-${index}.example`)]

beforeAll(async () => {
  served = await servePages(fillPaper)
  await served.console.fill(sites, 3)
  reader = await Reader.start()
})

afterAll(async () => {
  await reader?.close()
  await served?.close()
})

const at = (path: string): string => `${served.origin}${path}`

function asOwner(
  work: (visit: Visit) => Promise<void>,
  options: Parameters<Reader['visit']>[1] = {},
): Promise<void> {
  return reader.visit(async (visit) => {
    await visit.page.goto(served.newOwnerLink())
    if (options.javaScriptEnabled === false)
      await visit.page.getByRole('button', { name: 'Open the archive' }).click()
    await visit.page.waitForURL(at('/'))
    await work(visit)
    assert.deepEqual(visit.complaints, [])
  }, options)
}

test('is shown to the owner alone', async () => {
  for (const path of [
    '/admin',
    '/admin/storage',
    '/admin/stream',
    '/admin/roles',
    '/admin/actions',
    '/admin/branch',
  ])
    assert.equal((await fetch(at(path))).status, 401, path)
})

test('arrows open and close the tree, Enter shows what is known, Escape goes back to it', () =>
  asOwner(async ({ page }) => {
    await page.goto(at('/admin'))
    const current = () =>
      page.evaluate<string>(
        `document.activeElement.querySelector(':scope > .tree-row .tree-label')?.textContent ?? ''`,
      )
    await page.getByRole('treeitem').first().focus()
    await page.keyboard.press('ArrowDown')
    assert.match(await current(), /this one/)
    await page.keyboard.press('ArrowRight')
    await page.locator('[data-kind="site"]').first().waitFor()
    await page.keyboard.press('ArrowRight')
    assert.match(await current(), /\.example$/)
    const site = await current()
    await page.keyboard.press('Enter')
    await page.locator('#facts h2', { hasText: site }).waitFor()
    assert.match(page.url(), /site=/)
    await page.keyboard.press('ArrowRight')
    await page.locator('[data-kind="queue"]').first().waitFor()
    await page.keyboard.press('ArrowRight')
    assert.equal(await current(), 'Pages kept fresh')
    await page.keyboard.press('ArrowRight')
    await page.locator('[data-kind="url"]').first().waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.locator('#facts', { hasText: 'failures in a row' }).waitFor()
    for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowLeft')
    assert.equal(await current(), site)
    await page.keyboard.press('Home')
    assert.equal(await current(), 'library')
    await page.keyboard.press('End')
    await page.keyboard.press('Escape')
    const outline = await page.evaluate<string>(
      `getComputedStyle(document.activeElement.firstElementChild).outlineStyle`,
    )
    assert.equal(outline, 'solid')
  }))

test('a list of sites comes page by page', () =>
  asOwner(async ({ page }) => {
    await page.goto(at(`/admin?peer=${encodeURIComponent(served.console.console.self)}`))
    const rows = page.locator('[data-kind="site"]')
    assert.equal(await rows.count(), 100)
    const more = page.locator('.more')
    await more.click()
    await until(async () => (await rows.count()) === 200)
    await more.click()
    await until(async () => (await rows.count()) === sites.length + 1)
    assert.equal(await more.count(), 0)
  }))

test('a site is found by its name, paused, and that undone; the log says who did it', () =>
  asOwner(async ({ page }) => {
    await page.goto(at('/admin'))
    await page.getByLabel('Go to a site').fill('paper.example')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    await page.locator('#facts h2', { hasText: 'paper.example' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('#facts', { hasText: 'paused by a rule' }).waitFor()
    await page.goto(at('/admin/actions'))
    const first = page.locator('.actions-log li').first()
    assert.match(
      (await first.textContent()) ?? '',
      /Pause\s*the site paper\.example[\s\S]*by the owner, in a browser/,
    )
    await first.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.action-done', { hasText: 'The rule says what it said before' }).waitFor()
    assert.match((await page.locator('.actions-log li').nth(1).textContent()) ?? '', /undone/)
    assert.equal((await served.console.console.rules.list()).length, 0)
  }))

test('a takedown asks twice, and comes back; a site is moved to another of its members, and back', () =>
  asOwner(async ({ page }) => {
    await page.goto(at('/admin/find?site=paper.example'))
    const before = (await served.store.stat()).captures
    assert.equal(await page.getByRole('button', { name: 'Take down' }).isVisible(), false)
    await page.getByText('Take it down').click()
    await page.getByLabel('Why').fill('asked for')
    await page.getByRole('button', { name: 'Take down' }).click()
    await page.locator('.action-done', { hasText: 'hidden' }).waitFor()
    assert.equal((await served.store.stat()).captures, 0)
    await page.locator('.action-done').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.action-done', { hasText: 'shown again' }).waitFor()
    assert.equal((await served.store.stat()).captures, before)
    await page.goto(at('/admin/find?site=paper.example'))
    await page.getByText('Move it to another peer').click()
    const choice = page.getByLabel('Crawled by')
    const [target] = await choice
      .locator('option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')))
    await choice.selectOption(target!)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.locator('.action-done', { hasText: `It goes to ${target}` }).waitFor()
    assert.equal(served.console.console.placedAt('paper.example'), target)
    await page.goto(at('/admin/find?site=paper.example'))
    await page.locator('#facts', { hasText: 'placed at' }).waitFor()
    await page.getByText('Move it to another peer').click()
    await page.getByRole('button', { name: 'Leave it to the ring' }).click()
    await page.locator('.action-done', { hasText: 'the peer that the ring names' }).waitFor()
    assert.equal(served.console.console.placedAt('paper.example'), undefined)
    await page.locator('.action-done').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.action-done', { hasText: 'It goes back to where it was' }).waitFor()
    assert.equal(served.console.console.placedAt('paper.example'), target)
  }))

test('a role is given and a peer revoked, both undone; the log says who did it', () =>
  asOwner(async ({ page }) => {
    const { roles } = served.console
    const other = roles.status.peers[1]!.peer
    const done = page.locator('.action-done')
    await page.goto(at('/admin/roles'))
    await page.locator('#grant-peer').selectOption(other)
    await page.locator('select[name="role"]').selectOption('curator')
    await page.getByRole('button', { name: 'Give', exact: true }).click()
    await done.filter({ hasText: 'All peers that can be reached know it now' }).waitFor()
    assert.equal(roles.roleOf(other).role?.role, 'curator')
    await done.getByRole('button', { name: 'Undo' }).click()
    await done.filter({ hasText: 'It is member again' }).waitFor()
    assert.equal(roles.roleOf(other).role?.role, 'member')

    await page.goto(at('/admin/roles'))
    await page.getByText('Revoke a peer').click()
    const revoking = page.locator('details.danger')
    await revoking.locator('#revoke-peer').selectOption(other)
    await revoking.getByLabel('Reason').fill('by mistake')
    await revoking.getByRole('button', { name: 'Revoke', exact: true }).click()
    await done.filter({ hasText: 'All peers that can be reached know it now' }).waitFor()
    assert.deepEqual(roles.status.revoked, [other])
    await page.goto(at('/admin/actions'))
    const newest = page.locator('.actions-log li').first()
    assert.match((await newest.textContent()) ?? '', /Revoke a peer[\s\S]*by the owner, in a browser/)
    await newest.getByRole('button', { name: 'Undo' }).click()
    await done.filter({ hasText: 'It is member again' }).waitFor()
    assert.deepEqual(roles.status.revoked, [])
    assert.equal(roles.status.said[0]!.reason, 'undone')
  }))

test('the stream shows what changes, can be paused, and filters', () =>
  asOwner(async ({ page }) => {
    await page.goto(at('/admin/stream'))
    await page.getByText('Following.').waitFor()
    await served.console.visit('https://www.site-3.example/now', 'one')
    const rows = page.locator('.stream li')
    await rows.filter({ hasText: 'www.site-3.example/now' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await served.console.visit('https://www.site-3.example/now', 'two')
    await page.getByText(/Paused: 1 wait/).waitFor()
    assert.equal(await rows.count(), 1)
    await page.getByRole('button', { name: 'Go on' }).click()
    await until(async () => (await rows.count()) === 2)
    assert.match((await page.locator('[data-value="rate"]').textContent()) ?? '', /events per second/)
    await page.getByLabel('Kind').selectOption('gone')
    await until(async () => (await rows.count()) === 0)
    await page.getByText('Following. Nothing has changed yet.').waitFor()
  }))

test('works without scripts, and on a phone nothing is wider than the screen', async () => {
  await asOwner(
    async ({ page }) => {
      await page.goto(at('/admin'))
      await page.getByRole('link', { name: /this one/ }).click()
      await page.getByRole('link', { name: 'More' }).click()
      await page.locator('[data-kind="site"] a').first().click()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.locator('.action-done').waitFor()
      await page.locator('.action-done').getByRole('button', { name: 'Undo' }).click()
      await page.locator('.action-done', { hasText: 'said before' }).waitFor()
    },
    { javaScriptEnabled: false },
  )
  await asOwner(
    async ({ page }) => {
      await page.goto(at(`/admin?peer=${encodeURIComponent(served.console.console.self)}`))
      await page.locator('[data-kind="site"] a').first().click()
      await page.getByRole('button', { name: 'Close' }).waitFor()
      const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.equal(await overflow(), 0)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'hidden' })
      for (const path of ['/admin', '/admin/storage', '/admin/stream', '/admin/roles', '/admin/actions']) {
        await page.goto(at(path))
        assert((await overflow()) <= 0, path)
      }
    },
    { viewport: { width: 390, height: 700 } },
  )
})

test.each(['light', 'dark'] as const)('text can be read in %s: 4.5 to 1 at least', (colorScheme) =>
  asOwner(
    async ({ page }) => {
      const self = encodeURIComponent(served.console.console.self)
      for (const path of [
        '/admin',
        `/admin?peer=${self}`,
        '/admin/find?site=paper.example',
        '/admin/storage',
        '/admin/roles',
        '/admin/actions',
      ]) {
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
