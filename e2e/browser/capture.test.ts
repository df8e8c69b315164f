// `polyhistor crawl --browser`: a page that scripts write is kept with what they fetched, and shown again when its server is gone.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { startPeer } from '../api/peer.ts'
import { chromiumExecutable } from '../chromium.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { crawl, crawlLog } from '../crawl/crawling.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'
import { TestArchive } from '../replay/archive.ts'
import { TestBrowser } from '../replay/browser.ts'
import { contentFrame, replayUrl } from '../replay/replay-view.ts'

const timeout = 900_000
const untilMs = 240_000

/** Addresses are put together, so that nobody finds them who does not run the script. */
const application = `
  const get = async (name) => (await fetch('/api/' + name + '.json', { headers: { Accept: 'application/json' } })).json()
  const { title, items } = await get(['ite', 'ms'].join(''))
  document.body.innerHTML = '<h1>' + title + '</h1>'
  for (const item of items) {
    const { text } = await get('item-' + item)
    document.body.insertAdjacentHTML('beforeend', '<p>' + text + ' <a href="/' + 'page-' + item + '">more</a>')
  }
  const image = new Image()
  image.src = '/pictures/' + items.length + '.svg'
  document.body.append(image)
  new WebSocket('ws://' + location.host + '/socket')
  navigator.sendBeacon('/' + 'beacon', 'x')
`

const json = (value: unknown): Handler => text('application/json', JSON.stringify(value))

function text(type: string, body: string): Handler {
  return (_, response) => void response.writeHead(200, { 'Content-Type': type }).end(body)
}

function site() {
  return startOrigin({
    '/': '<!doctype html><title>App</title><div id="root"></div><script type=module src="/app.js"></script>',
    '/app.js': text('text/javascript', application),
    '/api/items.json': json({ title: 'Birds', items: [1, 2] }),
    '/api/item-1.json': json({ text: 'Robin' }),
    '/api/item-2.json': json({ text: 'Wren' }),
    '/pictures/2.svg': text(
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>',
    ),
    '/page-1': '<!doctype html><title>1</title><p>One',
    '/page-2': '<!doctype html><title>2</title><p>Two',
  })
}

let archive: TestArchive
let executable: string[]

beforeAll(async () => {
  archive = await TestArchive.create()
  executable = ['--set', `crawl.browserPath=${await chromiumExecutable()}`]
})

afterAll(() => archive.stop())

test('an application is kept with its data, and shown when its server is gone', { timeout }, async () => {
  const origin = await site()
  const address = origin.url('/')
  await crawl(archive.home, address, '--browser', 'always', ...executable)
  const counts = origin.counts()
  origin.pages = {}
  assert.deepEqual(counts, {
    '/': 1,
    '/app.js': 1,
    '/api/items.json': 1,
    '/api/item-1.json': 1,
    '/api/item-2.json': 1,
    '/pictures/2.svg': 1,
    '/page-1': 1,
    '/page-2': 1,
  })
  const lines = await crawlLog(archive.home)
  const shown = lines.find(({ url }) => url === address)
  assert.match(
    shown?.reason ?? '',
    /^shown in a browser \(every page is\): 5 parts kept, 2 refused, 0 failed$/,
  )
  const beacon = lines.find(({ url }) => url.endsWith('/beacon'))
  assert.deepEqual([beacon?.outcome, beacon?.code], ['refused', 'beacon'])
  const socket = lines.find(({ url }) => url.endsWith('/socket'))
  assert.deepEqual([socket?.outcome, socket?.code], ['refused', 'websocket'])

  await archive.start()
  const browser = await TestBrowser.start('127.0.0.1:9')
  try {
    await browser.visit(async (page) => {
      await page.goto(replayUrl(archive, address))
      const frame = contentFrame(page, archive)!
      await frame.waitForFunction('document.images[0]?.naturalWidth === 40', undefined, { timeout: untilMs })
      assert.equal(await frame.evaluate('document.body.innerText'), 'Birds\n\nRobin more\n\nWren more')
    })
  } finally {
    await browser.dispose()
  }
  assert.deepEqual(origin.counts(), counts)
})

test('auto shows only pages that would be empty without, and says why', { timeout }, async () => {
  const origin = await site()
  const home = await temporaryFolder()
  await crawl(home, origin.url('/'), '--browser', 'auto', ...executable)
  const reasons = new Map((await crawlLog(home)).map(({ url, reason }) => [url, reason]))
  assert.match(reasons.get(origin.url('/')) ?? '', /^shown in a browser \(scripts fill its element root\)/)
  assert.equal(reasons.get(origin.url('/page-1')), undefined)
  assert.equal(origin.counts()['/api/item-2.json'], 1)
})

test('a running peer that has no browser by its setting shows the pages of a crawl that asks for it, and of no other', {
  timeout,
}, async () => {
  const origin = await site()
  const home = await temporaryFolder()
  const peer = await startPeer(home, ...executable)
  const words = (path: string, ...more: string[]) => [
    'crawl',
    origin.url(path),
    '--home',
    home,
    '-q',
    ...more,
  ]
  const plain = await polyhistor(words('/page-1', '--scope', 'page'))
  assert.equal(plain.code, 0, plain.errors)
  const asked = await polyhistor(words('/', '--scope', 'page', '--browser', 'always'))
  assert.equal(asked.code, 0, asked.errors)
  assert.equal(origin.counts()['/api/item-2.json'], 1)
  const reasons = new Map((await crawlLog(home)).map(({ url, reason }) => [url, reason]))
  assert.match(reasons.get(origin.url('/')) ?? '', /^shown in a browser \(every page is\)/)
  assert.equal(reasons.get(origin.url('/page-1')), undefined)
  await peer.stop()
})
