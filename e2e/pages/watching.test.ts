// Watches as their owner uses them, with a real peer, a real page that changes, a real receiver and a real browser: watched from the
// form, seen to change, changed, sent and fed, and removed; without scripts, by keyboard and on a phone, too.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { startPeer } from '../api/peer.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { until } from '../network/until.ts'
import { Reader } from './reader.ts'

const timeout = 600_000
let reader: Reader

beforeAll(async () => {
  reader = await Reader.start()
})
afterAll(() => reader?.close())

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

test(
  'a page is watched, tried out, seen to change, told of by feed and webhook, changed, paused and removed, all on pages',
  async () => {
    let price = 10
    const origin = await served(() => shop(price))
    const received: Received[] = []
    const receiver = await served((_, message) => {
      received.push(message)
      return 'taken'
    })
    const { url, run } = await opened()
    await reader.visit(async ({ page, complaints }) => {
      await page.goto((await run('link')).trim())
      await page.waitForURL(`${url}/`)
      await page.goto(`${url}/watches`)
      await page.getByText('Nothing is watched yet').waitFor()
      await page.getByLabel('Address', { exact: true }).fill(origin)
      await page.getByLabel('CSS selector', { exact: true }).fill('.price')
      await page.getByRole('button', { name: 'Watch it' }).click()
      await page.waitForURL(/\/watches\/[0-9a-f-]{36}$/)
      const watch = page.url()
      await seenOn(page, watch, 'No changes yet', 1)

      await page.goto(`${url}/webhooks`)
      await page.getByLabel('Send to').fill(receiver)
      await page.getByRole('button', { name: 'Add it' }).click()
      const secret = (await page.locator('code.secret').textContent())!
      await page.getByRole('button', { name: 'Test' }).click()
      await until('the test message', async () => received.length === 1)

      price = 12
      await run('crawl', origin, '--depth', '0', '-q')
      await seenOn(page, watch, '1 change', 2)
      assert.match((await page.locator('.sightings li').first().textContent()) ?? '', /Price 10 ?12 EUR/)
      assert.match((await page.locator('.watch-plot').first().getAttribute('aria-label')) ?? '', /change/)
      await until('the message of the change', async () => received.length === 2)
      const told = new Webhook(secret).verify(received[1]!.body, received[1]!.headers)
      assert.equal((told as { type: string }).type, 'watch.changed')

      const feed = await page.locator('.tools a', { hasText: 'Feed' }).getAttribute('href')
      const atom = await (await fetch(`${url}${feed}`)).text()
      assert.match(atom, /<feed [^>]*Atom/)
      assert.equal(atom.match(/<entry>/g)!.length, 2)

      await page.locator('.sightings a', { hasText: 'compare' }).first().click()
      await page.locator('main', { hasText: '12 EUR' }).waitFor()

      await page.goto(watch)
      await page.getByLabel('Call it').fill('Fish of the harbour')
      await page.getByLabel('Visit it every').fill('6h')
      await page.getByRole('button', { name: 'Change it' }).click()
      await page.getByRole('heading', { level: 1, name: 'Fish of the harbour' }).waitFor()
      await page.getByText('visited every 6 h').waitFor()
      await page.getByLabel('CSS selector', { exact: true }).fill('[[')
      await page.getByRole('button', { name: 'Change it' }).click()
      await page.getByRole('alert').waitFor()

      await page.goto(`${url}/watches`)
      await page.locator('.watches .last-seen', { hasText: '12 EUR' }).waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByText('paused', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('button', { name: 'Pause' }).waitFor()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.waitForURL(`${url}/watches`)
      await page.getByText('Nothing is watched yet').waitFor()
      assert.equal((await fetch(`${url}${feed}`)).status, 404)
      assert.deepEqual(complaints, [])
    })
  },
  timeout,
)

test(
  'watches are made by keyboard alone, from the calendar of a page, on a phone and without scripts',
  async () => {
    const origin = await served(() => shop(10))
    const { url, run } = await opened()
    await run('crawl', origin, '--depth', '0', '-q')
    const link = (await run('link')).trim()
    await reader.visit(async ({ page, complaints }) => {
      await page.goto(link)
      await page.goto(`${url}/web/*/${origin}`)
      await page.getByRole('link', { name: 'Watch this page' }).click()
      await page.waitForURL(/\/watches\?url=/)
      const address = page.getByLabel('Address', { exact: true })
      assert.equal(await address.inputValue(), origin)
      await address.focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/watches\/[0-9a-f-]{36}$/)
      assert.deepEqual(complaints, [])
    })
    const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false, hasTouch: true }
    await reader.visit(async ({ page }) => {
      await page.goto((await run('link')).trim())
      await page.getByRole('button').first().click()
      await page.goto(`${url}/watches`)
      await page.getByLabel('Address', { exact: true }).fill(`${origin}?other`)
      await page.getByRole('button', { name: 'Watch it' }).tap()
      await page.waitForURL(/\/watches\/[0-9a-f-]{36}$/)
      await page.goto(`${url}/watches`)
      await page.getByRole('heading', { name: '2 watches' }).waitFor()
      const { width } = (await page.locator('body').boundingBox())!
      assert(width <= 360, `${width} pixels wide`)
      for (const button of await page.getByRole('button', { name: 'Remove' }).all()) {
        const box = (await button.boundingBox())!
        assert(box.x >= 0 && box.x + box.width <= 360, 'a button lies outside')
      }
    }, phone)
  },
  timeout,
)

/** A peer with nothing in it, and its commands. */
async function opened() {
  const home = await temporaryFolder()
  const { url } = await startPeer(home)
  const run = async (...words: string[]): Promise<string> => {
    const { code, output, errors } = await polyhistor([...words, '--home', home])
    assert.equal(code, 0, `${words.join(' ')}: ${errors}`)
    return output
  }
  return { url, run }
}

/** Reads the page of a watch again until it has seen so much. */
async function seenOn(page: Page, watch: string, words: string, count: number): Promise<void> {
  await until(`${count} on the page of the watch`, async () => {
    await page.goto(watch)
    return (
      (await page.locator('.sightings > li').count()) === count ||
      ((await page.locator('#seen').textContent()) ?? '')
    )
  })
  assert.equal(await page.locator('#seen').textContent(), words)
}

async function served(answer: (path: string, message: Received) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const message = {
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    }
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(answer(request.url ?? '/', message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`
}

function shop(price: number): string {
  return `<title>Shop</title><main><p>Fish of the harbour, sold since 1871.</p><p class="price">Price ${price} EUR</p></main>`
}
