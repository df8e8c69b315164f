// A page of the past is shown with the parts of its own time, and believes that it is then.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Frame } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, test } from 'vitest'
import { polyhistor } from '../command.ts'
import { TestArchive } from './archive.ts'
import { TestBrowser } from './browser.ts'
import { picture } from './files.ts'
import { beyond } from './net-log.ts'
import { contentFrame } from './replay-view.ts'
import { type MadeCapture, writeWarc } from './warc-file.ts'
import { Witness } from './witness.ts'

const site = 'http://old.example'
const years = ['2010', '2020']
const colours: Record<string, string> = { 2010: '#a01010', 2020: '#1010a0' }

/** The parts of a page come some seconds after it, as in a crawl. */
function captures(year: string): MadeCapture[] {
  const at = (second: string) => `${year}-05-06T07:08:${second}Z`
  const html = 'text/html; charset=utf-8'
  const part = `<img id="picture" src="/picture.png"><script src="/script.js"></script>`
  const now = `<script>document.documentElement.setAttribute('data-now', new Date().getFullYear() + ' ' + new Date(Date.now()).getUTCFullYear() + ' ' + Math.random())</script>`
  return [
    {
      url: `${site}/`,
      at: at('09'),
      type: html,
      body: `<!doctype html><title>${year}</title>${part}${now}<a href="/next">next</a>`,
    },
    { url: `${site}/picture.png`, at: at('12'), type: 'image/png', body: picture(colours[year]!).body! },
    {
      url: `${site}/script.js`,
      at: at('14'),
      type: 'text/javascript',
      body: `document.documentElement.setAttribute('data-script', '${year}')`,
    },
    {
      url: `${site}/next`,
      at: at('30'),
      type: html,
      body: `<!doctype html><title>next</title><h1>next of ${year}</h1>`,
    },
  ]
}

/** A page that lacks parts of every kind: asked for by markup, script, style sheet, in a frame, and by workers. */
const tornPage: MadeCapture[] = [
  {
    url: `${site}/torn`,
    at: '2020-05-06T08:00:00Z',
    type: 'text/html',
    body: `<!doctype html><title>torn</title><link rel="stylesheet" href="/torn.css"><h1>torn</h1><img src="/lost.png">
      <script src="/lost.js"></script><script>fetch('/lost.json').then((answer) => answer.text())
      fetch('/lost-unread.json').then((answer) => answer.ok)</script><iframe src="/inner"></iframe>
      <script>
        new Worker('/worker.js').postMessage('from-worker')
        new Worker('/worker.mjs', { type: 'module' })
        new SharedWorker('/shared.js').port.postMessage('from-shared')
        new Worker(URL.createObjectURL(new Blob(['new Worker("/worker.js").postMessage("from-nested")'])))
        new Worker('/lost-worker.js')
        new Worker(URL.createObjectURL(new Blob(['fetch("/lost-unread-in-worker.json").then((answer) => answer.ok)'])))
      </script>
      <a href="/lost-page">on</a>`,
  },
  ...Object.entries({
    // What is said to a worker first must reach its script as it was said.
    'worker.js': 'onmessage = ({ data }) => fetch("/lost-" + data + ".json").then((answer) => answer.text())',
    'worker.mjs': 'import("/lost-from-module.mjs").catch(() => {})',
    'shared.js':
      'onconnect = ({ ports }) => { ports[0].onmessage = ({ data }) => fetch("/lost-" + data + ".json").then((answer) => answer.text()) }',
  }).map(([name, body]) => ({
    url: `${site}/${name}`,
    at: '2020-05-06T08:00:03Z',
    type: 'text/javascript',
    body,
  })),
  {
    url: `${site}/torn.css`,
    at: '2020-05-06T08:00:01Z',
    type: 'text/css',
    body: '@import "/lost.css"; h1 { background: url(/lost-background.png) }',
  },
  {
    url: `${site}/inner`,
    at: '2020-05-06T08:00:02Z',
    type: 'text/html',
    body: '<!doctype html><img src="/lost-within.png">',
  },
]

let witness: Witness
let archive: TestArchive
let browser: TestBrowser

beforeAll(async () => {
  witness = await Witness.start()
  archive = await TestArchive.create()
  const file = join(archive.home, 'old.warc')
  await writeWarc(file, [...years.flatMap(captures), ...tornPage])
  const { code, errors } = await polyhistor(['import', file, '--home', archive.home])
  assert.equal(code, 0, errors)
  await archive.start()
  browser = await TestBrowser.start(witness.address)
})

afterAll(async () => {
  await browser?.dispose()
  await archive?.stop()
  await witness?.stop()
})

/** In the archived page; a time that is only near is asked for. */
function inPage<T>(year: string, work: (frame: Frame) => Promise<T>): Promise<T> {
  return browser.visit(async (page) => {
    await page.goto(`${archive.origin}/web/${year}/${site}/`, { waitUntil: 'networkidle' })
    const frame = contentFrame(page, archive)
    assert.ok(frame !== undefined, `no archived page at ${page.url()}`)
    assert.match(page.url(), new RegExp(`/web/${year}0506070809/${site}/$`))
    return work(frame)
  })
}

const attributeOf = (frame: Frame, name: string) =>
  frame.evaluate(`document.documentElement.getAttribute('${name}')`) as Promise<string>

test.each(years)('the page of %s has the picture and the script of that year', async (year) => {
  await inPage(year, async (frame) => {
    assert.equal(await frame.title(), year)
    assert.equal(await attributeOf(frame, 'data-script'), year)
    const shot = await (await frame.$('#picture'))!.screenshot()
    const { data } = PNG.sync.read(shot)
    const colour = `#${[...data.subarray(0, 3)].map((value) => value.toString(16).padStart(2, '0')).join('')}`
    assert.equal(colour, colours[year])
  })
})

test.each(years)('in the page of %s it is that year, and chance is the same every time', async (year) => {
  const first = await inPage(year, (frame) => attributeOf(frame, 'data-now'))
  assert.match(first, new RegExp(`^${year} ${year} 0\\.`))
  assert.equal(await inPage(year, (frame) => attributeOf(frame, 'data-now')), first)
})

test.each(years)('a link in the page of %s leads to that year', async (year) => {
  await inPage(year, async (frame) => {
    await (await frame.$('a'))!.click()
    await frame.waitForFunction('document.title === "next"')
    assert.equal(await frame.evaluate('document.querySelector("h1").textContent'), `next of ${year}`)
  })
})

test('the bar lists the parts that the archive lacks, and the address follows to a page that it lacks', () =>
  browser.visit(async (page) => {
    await page.goto(`${archive.origin}/web/20200506080000/${site}/torn`)
    const listed = page.locator('#missing li bdi')
    await listed
      .nth(12)
      .waitFor({ state: 'attached' })
      .catch(async () => assert.fail(`only these are listed: ${await listed.allTextContents()}`))
    const names = await listed.evaluateAll((items) => items.map((item) => item.textContent))
    assert.deepEqual(
      names.sort(),
      [
        'lost-background.png',
        'lost-from-module.mjs',
        'lost-from-nested.json',
        'lost-from-shared.json',
        'lost-from-worker.json',
        'lost-unread-in-worker.json',
        'lost-unread.json',
        'lost-within.png',
        'lost-worker.js',
        'lost.css',
        'lost.js',
        'lost.json',
        'lost.png',
      ].map((name) => `old.example/${name}`),
    )
    await (await contentFrame(page, archive)!.$('a'))!.click()
    await page.waitForURL(`**/web/20200506080000/${site}/lost-page`)
    assert.match((await page.textContent('main')) ?? '', /Not in the archive/)
  }))

test('nothing left the two hosts of the archive', async () => {
  assert.deepEqual(beyond(await browser.stop(), archive.hosts, archive.port), [])
  assert.equal(witness.connections, 0)
})
