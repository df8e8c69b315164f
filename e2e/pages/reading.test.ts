// Reading in a real browser: the frame around an archived page, and what that page may say to it.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { pageCapture } from '../../src/store/fixtures/sample-captures.ts'
import { Reader, until } from './reader.ts'
import { fillPaper, paper } from './sample-archive.ts'
import { type ServedPages, servePages } from './served-pages.ts'

let served: ServedPages
let reader: Reader

const bank = 'https://bank.example/'
const liar = 'https://liar.example/'
const patchwork = 'https://patchwork.example/'
const torn = 'https://torn.example/'
const atMs = Date.parse('2023-04-05T06:07:08Z')
const stamp = '20230405060708'

/** A page whose word for itself is this. */
function page(url: string, body: string, said: object = {}): ReturnType<typeof pageCapture> {
  return pageCapture(
    url,
    atMs,
    `<title>x</title>${body}<script>window.more = ${JSON.stringify(said)}</script>`,
  )
}

beforeAll(async () => {
  served = await servePages(async (store) => {
    await fillPaper(store)
    await store.append(page(bank, '<h1>The real bank</h1>'))
    await store.append(page(liar, '<h1>Not the bank</h1>', { url: bank }))
    await store.append(page(patchwork, '<h1>x</h1>', { earliest: '20230101000000', latest: stamp }))
    await store.append(
      page(torn, '<h1>x</h1>', {
        missing: [`${torn}a.png`, `${torn}b.css`, 'javascript:alert(1)', 'no address'],
        earliest: '20230404070708',
        latest: '20230406050708',
      }),
    )
  })
  reader = await Reader.start()
})

afterAll(async () => {
  await reader?.close()
  await served?.close()
})

const at = (path: string): string => `${served.origin}${path}`

test('a URL typed at home leads to the page as it was', () =>
  reader.visit(async ({ page, complaints }) => {
    await page.goto(at('/'))
    // The field has the focus by itself, if not in the very moment in which the page is there.
    await until(async () => (await page.evaluate('document.activeElement?.id')) === 'url')
    await page.keyboard.type('paper.example')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/web/2026*/https://paper.example/')
    await page.frameLocator('#replay').getByRole('heading', { name: 'The Paper' }).waitFor()
    await until(async () => (await page.title()) === 'The Paper')
    assert.deepEqual(complaints, [])
  }))

test('steps lead to the versions before and after', () =>
  reader.visit(async ({ page }) => {
    await page.goto(at(`/web/20220110/${paper}`))
    const here = page.url()
    await page.getByRole('link', { name: /^Next version/ }).click()
    await page.waitForURL((url) => url.href !== here)
    await page.getByRole('link', { name: /^Previous version/ }).click()
    await page.waitForURL(here)
  }))

test('the bar leads to another address at the same time, and can be folded', () =>
  reader.visit(async ({ page, complaints }) => {
    await page.goto(at(`/web/20210103/${paper}`))
    await page.getByLabel('Address of a page, at this time').fill('bank.example')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/web/${stamp}/${bank}`)
    const height = async () => (await page.locator('#bar').boundingBox())!.height
    await until(async () => (await page.title()) === 'x')
    const before = await height()
    assert.equal(before, 45, 'a bar with nothing to remark has one row')
    await page.locator('label[for=fold]').click()
    await until(async () => (await height()) < before)
    await page.reload()
    assert((await height()) < before)
    await page.locator('#fold').focus()
    await page.keyboard.press('Space')
    assert.equal(await height(), before)
    assert.deepEqual(complaints, [])
  }))

test('the link to a version can be copied', () =>
  reader.visit(
    async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${bank}`))
      await page.getByRole('button', { name: 'Copy link' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), at(`/web/${stamp}/${bank}`))
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ))

test('on a phone the bar leaves the page its room, also when it has something to say', () =>
  reader.visit(
    async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${patchwork}`))
      await page.getByText(/up to 3 months older/).waitFor()
      const { height } = (await page.locator('#bar').boundingBox())!
      assert(height <= 90, `${height}`)
      await page.locator('label[for=more]').click()
      assert(await page.getByRole('link', { name: 'All versions' }).isVisible())
    },
    { viewport: { width: 390, height: 700 } },
  ))

test('the timeline leads to captures', () =>
  reader.visit(async ({ page }) => {
    await page.goto(at(`/web/20220110/${paper}`))
    await page.locator('.timeline a').first().click()
    await page.waitForURL('**/web/20190302*/**')
  }))

describe('what a page says of itself', () => {
  test('the bar follows within a site', () =>
    reader.visit(async ({ page, complaints }) => {
      await page.goto(at(`/web/${stamp}/${paper}`))
      await page.frameLocator('#replay').getByText('Edition').waitFor()
      const target = `${served.replayOrigin}/web/20210103000000mp_/${paper}story/20`
      await page.frames()[1]!.evaluate(`location.assign('${target}')`)
      await page.waitForURL(`**/web/2021*/${paper}story/20`)
      await until(async () => /paper\.example\/story\/20/.test(await page.locator('#address').inputValue()))
      await page
        .locator('#bar .when time')
        .filter({ hasText: /^\d Jan 2021$/ })
        .waitFor()
      assert.deepEqual(complaints, [])
    }))

  test('a page that claims to be another site is replaced by that site', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${liar}`))
      await page.waitForURL(`**/web/${stamp}/${bank}`)
      await page.frameLocator('#replay').getByText('The real bank').waitFor()
      await until(async () => /bank\.example/.test(await page.locator('#address').inputValue()))
    }))

  test('nobody but the page in the frame is listened to', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${paper}`))
      await page.frameLocator('#replay').getByText('Edition').waitFor()
      const here = page.url()
      await page.evaluate(`postMessage({ polyhistor: 'page', url: '${bank}', timestamp: '${stamp}' }, '*')`)
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))')
      assert.equal(page.url(), here)
    }))

  test('parts from another time are told of, aloud', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${patchwork}`))
      await page
        .getByRole('status')
        .getByText(/up to 3 months older than the page itself/)
        .waitFor()
    }))

  test('what the archive lacks is counted, listed, and fetched at one click', () =>
    reader.visit(async ({ page, complaints }) => {
      await page.goto(served.newOwnerLink())
      await page.waitForURL(at('/'))
      await page.goto(at(`/web/${stamp}/${torn}`))
      await page.getByText('2 parts missing').click()
      await until(
        async () =>
          (await page.locator('#missing li').allTextContents()).join() ===
          'torn.example/a.png,torn.example/b.css',
      )
      // Parts of the same day are as good as those of the page.
      assert.equal((await page.locator('#notice').textContent()) ?? '', '')
      await page.getByRole('button', { name: 'Fetch them now' }).click()
      await page.waitForURL('**/jobs/*')
      const [job] = served.jobs.list()
      assert.deepEqual([job?.seeds, job?.scope], [[`${torn}a.png`, `${torn}b.css`], 'page'])
      assert.deepEqual(complaints, [])
    }))

  test('others see what is missing, and nothing that they may not do', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${torn}`))
      await page.getByText('2 parts missing').click()
      assert.equal(await page.locator('#missing form').count(), 0)
    }))

  test('a link to what is not archived leads to an offer to archive it, and back', () =>
    reader.visit(async ({ page }) => {
      await page.goto(served.newOwnerLink())
      await page.waitForURL(at('/'))
      await page.goto(at(`/web/${stamp}/${torn}`))
      await page.frameLocator('#replay').getByText('x').waitFor()
      await page
        .frames()[1]!
        .evaluate(`location.assign('${served.replayOrigin}/web/${stamp}mp_/${torn}nowhere')`)
      await page.waitForURL(`**/web/${stamp}/${torn}nowhere`)
      await page.getByRole('button', { name: 'Archive it now' }).waitFor()
      await page.goBack()
      await page.waitForURL(`**/web/${stamp}/${torn}`)
      await page.frameLocator('#replay').getByText('x').waitFor()
    }))

  test('no archived script runs in a page of the archive’s own, should one ever be named there', () =>
    reader.visit(async ({ page }) => {
      // Whatever the server says: the browser must not even ask.
      const asked: string[] = []
      await page.route(/inserted\.js$/, (route) => {
        asked.push(new URL(route.request().url()).pathname)
        return route.fulfill({ contentType: 'text/javascript', body: 'document.title = "taken over"' })
      })
      await page.goto(`${served.origin}/`)
      const insert = (path: string): Promise<string> =>
        page.evaluate(`new Promise((resolve) => {
          const script = document.createElement('script')
          script.onload = () => resolve('ran')
          script.onerror = () => resolve('refused')
          script.src = ${JSON.stringify(path)}
          document.head.append(script)
        })`)
      for (const path of [`/web/${stamp}id_/${bank}inserted.js`, '/api/v1/inserted.js']) {
        assert.equal(await insert(path), 'refused', path)
      }
      assert.deepEqual(asked, [])
      assert.notEqual(await page.title(), 'taken over')
      assert.equal(await insert('/assets/inserted.js'), 'ran')
    }))

  test('it cannot reach the bar', () =>
    reader.visit(async ({ page }) => {
      await page.goto(at(`/web/${stamp}/${paper}`))
      await page.frameLocator('#replay').getByText('Edition').waitFor()
      const reaching = 'try { parent.document.title } catch (error) { error.name }'
      assert.equal(await page.frames()[1]!.evaluate(reaching), 'SecurityError')
    }))
})
