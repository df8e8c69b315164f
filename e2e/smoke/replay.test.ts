// Smoke test: a crawled page is replayed in a real browser through a running peer, without its origin.
// Every construct of the web: e2e/replay/rendering.test.ts.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { startPeer } from '../api/peer.ts'
import { temporaryFolder } from '../command.ts'
import { crawl } from '../crawl/crawling.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'
import { Reader } from '../pages/reader.ts'

const waitMsMax = 240_000

const answer =
  (type: string, body: string): Handler =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': type }).end(body)

const square =
  '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><rect width="7" height="7"/></svg>'

test('a page with style, script and picture is replayed from the archive alone', {
  timeout: 600_000,
}, async () => {
  const origin = await startOrigin({
    '/': `<!doctype html><title>Home</title><link rel="stylesheet" href="/style.css"><img src="/square.svg">
      <h1>Home</h1><p id="written"></p><a href="/next">on</a><script src="/script.js"></script>`,
    '/next': '<!doctype html><title>Next</title><h1>Next page</h1>',
    '/style.css': answer('text/css', 'h1 { color: rgb(1, 2, 3) }'),
    '/script.js': answer(
      'text/javascript',
      'document.getElementById("written").textContent = "Written at " + location.href',
    ),
    '/square.svg': answer('image/svg+xml', square),
  })
  const home = await temporaryFolder()
  await crawl(home, origin.url('/'))
  const fetched = origin.arrivals.length
  const [peer, reader] = await Promise.all([startPeer(home), Reader.start()])
  onTestFinished(() => reader.close())

  await reader.visit(async ({ page, complaints }) => {
    page.setDefaultTimeout(waitMsMax)
    await page.goto(`${peer.url}/web/${origin.url('/')}`)
    const replayed = page.frameLocator('#replay')
    await replayed.getByText(`Written at ${origin.url('/')}`).waitFor()
    const frame = (await (await page.locator('#replay').elementHandle())!.contentFrame())!
    assert.equal(await frame.evaluate('getComputedStyle(document.querySelector("h1")).color'), 'rgb(1, 2, 3)')
    assert.equal(await frame.evaluate('document.images[0].decode().then(() => document.images[0].width)'), 7)
    await replayed.getByRole('link', { name: 'on' }).click()
    await replayed.getByRole('heading', { name: 'Next page' }).waitFor()
    assert.deepEqual(complaints, [])
  })
  assert.equal(origin.arrivals.length, fetched, 'the origin is not asked again')
})
