// What else pages ask for than documents and data: they send forms as scripts do, play media piece by piece, listen to events.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { chromiumExecutable } from '../chromium.ts'
import { captures, crawl, crawlLog } from '../crawl/crawling.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'
import { TestArchive } from '../replay/archive.ts'
import { TestBrowser } from '../replay/browser.ts'
import { contentFrame, replayUrl } from '../replay/replay-view.ts'

const timeout = 900_000
const untilMs = 240_000

const application = `
  const say = (text) => document.body.insertAdjacentHTML('beforeend', '<p>' + text)
  const search = async (q) => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch('/search', { method: 'POST', headers, body: JSON.stringify({ q }) })
    say(await response.text())
  }
  await search('robin')
  await search('wren')
  const piece = async (range) => {
    const response = await fetch('/media.bin', { headers: { Range: 'bytes=' + range } })
    say(response.status + ' ' + (await response.text()))
  }
  await Promise.all([piece('2-4'), piece('5-7')])
  await new Promise((resolve) => {
    const events = new EventSource('/events')
    events.onmessage = ({ data }) => (say(data), resolve())
  })
  document.body.insertAdjacentHTML('beforeend', '<iframe src="/file.zip" hidden></iframe>')
  document.title = 'done'
`

let searched: string[]
const search: Handler = async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  searched.push(`${request.method} ${body}`)
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`found ${JSON.parse(body).q}`)
}
const events: Handler = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: event\n\n')
}
const text =
  (type: string, body: string, more: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': type, ...more }).end(body)

let archive: TestArchive
beforeAll(async () => {
  archive = await TestArchive.create()
})
afterAll(() => archive.stop())

test('what a page sends, plays, listens to and downloads is kept, and shown again', { timeout }, async () => {
  searched = []
  const origin = await startOrigin({
    '/': '<!doctype html><title>App</title><body><script type=module src="/app.js"></script>',
    '/app.js': text('text/javascript', application),
    '/search': search,
    '/media.bin': text('video/mp4', '0123456789'),
    '/events': events,
    '/file.zip': text('application/zip', 'PK', { 'Content-Disposition': 'attachment; filename=file.zip' }),
  })
  const address = origin.url('/')
  const path = ['--set', `crawl.browserPath=${await chromiumExecutable()}`]
  await crawl(archive.home, address, '--browser', 'always', ...path)
  assert.deepEqual(searched, ['POST {"q":"robin"}', 'POST {"q":"wren"}'])
  const { '/media.bin': media, '/events': streams, '/file.zip': files } = origin.counts()
  assert.deepEqual([media, streams, files], [1, 1, 1])
  const kept = (await captures(archive.home)).map(({ url }) => url.slice(origin.url('/').length))
  for (const name of [
    'app.js',
    'search?__wb_method=POST&q=robin',
    'search?__wb_method=POST&q=wren',
    'events',
    'file.zip',
  ])
    assert(kept.includes(name), `${name} is not among ${kept.join(' ')}`)
  const shown = (await crawlLog(archive.home)).find(({ url }) => url === address)
  assert.match(shown?.reason ?? '', /0 failed$/)
  const counts = origin.counts()
  origin.pages = {}

  await archive.start()
  const browser = await TestBrowser.start('127.0.0.1:9')
  try {
    await browser.visit(async (page) => {
      await page.goto(replayUrl(archive, address))
      const frame = contentFrame(page, archive)!
      await frame.waitForFunction(`document.title === 'done'`, undefined, { timeout: untilMs })
      const said = String(await frame.evaluate('document.body.innerText')).split(/\n+/)
      assert.deepEqual(said.toSorted(), ['206 234', '206 567', 'event', 'found robin', 'found wren'])
    })
  } finally {
    await browser.dispose()
  }
  assert.deepEqual(origin.counts(), counts)
})
