// What a browser saw of a page is kept beside it: shown in lists, exported, imported again, hidden with its page.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, test } from 'vitest'
import { openStore } from '../../src/app/store/store-library.ts'
import { viewKinds, viewOf } from '../../src/formats/warc/page-views.ts'
import { chromiumExecutable } from '../chromium.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { crawl } from '../crawl/crawling.ts'
import { startOrigin } from '../crawl/origin.ts'
import { TestArchive } from '../replay/archive.ts'
import { TestBrowser } from '../replay/browser.ts'

const timeout = 900_000

let archive: TestArchive
beforeAll(async () => {
  archive = await TestArchive.create()
})
afterAll(() => archive.stop())

async function viewsIn(home: string): Promise<string[]> {
  const store = await openStore(join(home, 'store'))
  try {
    return [...store.scan({ kind: 'all' })].flatMap(({ url }) => viewOf(url)?.kind ?? []).sort()
  } finally {
    await store.close()
  }
}

async function foundIn(home: string, words: string): Promise<[url: string, title: string][]> {
  const { code, output, errors } = await polyhistor(['search', words, '--json', '--home', home])
  assert.ok(code === 0 || code === 1, errors)
  const { hits } = JSON.parse(output) as { hits: { url: string; title: string }[] }
  return hits.map(({ url, title }) => [url, title])
}

/** All that a browser makes; what another peer saw is not its. */
const everyKind = viewKinds.filter((kind) => kind !== 'corroboration').sort()

test('pictures, text and the fate of parts are kept, exported, imported, rebuilt, listed and taken down', {
  timeout,
}, async () => {
  const origin = await startOrigin({
    '/': '<!doctype html><title>Before</title><body><script>document.title = "After"; document.body.append("Seen by " + "a browser"); new Image().src = "/none.png"; fetch("/item", { method: "DELETE" }).catch(() => {}); fetch("/search", { method: "POST", body: "q=1" })</script>',
    '/search': (_, response) => void response.writeHead(200, { 'Alt-Svc': 'h3=":443"; ma=60' }).end('found'),
  })
  const page = origin.url('/')
  const { home } = archive
  await crawl(home, page, '--browser', 'always', '--set', `crawl.browserPath=${await chromiumExecutable()}`)
  assert.deepEqual(await viewsIn(home), everyKind)
  assert.deepEqual(await foundIn(home, 'browser'), [[page, 'After']])
  // Neither the account of its parts nor the answer to what it posted is a page.
  assert.deepEqual(await foundIn(home, 'outcome OR found OR before'), [])

  const file = join(await temporaryFolder(), 'page.wacz')
  const exported = await polyhistor(['export', file, '--home', home, '-q'])
  assert.equal(exported.code, 0, exported.errors)
  const read = async (name: string) =>
    (await promisify(execFile)('unzip', ['-p', file, name], { encoding: 'buffer' })).stdout
  const lines = (await read('pages/pages.jsonl')).toString().trim().split('\n')
  assert.equal(lines.length, 2)
  const listed = JSON.parse(lines[1]!)
  assert.deepEqual([listed.url, listed.title, listed.text], [page, 'After', 'Seen by a browser'])
  const records = gunzipSync(await read('archive/data.warc.gz')).toString('latin1')
  for (const kind of everyKind) assert(records.includes(`WARC-Target-URI: urn:${kind}:${page}\r\n`), kind)
  assert.match(records, /"\/?[^"]*none\.png":\{"status":404,"outcome":"kept"\}/)

  assert.match(records, /"POST [^"]*search":\{"status":200,"outcome":"kept","offers":\["h3"\]\}/)
  const [, account] = (await read('reports/parts.jsonl')).toString().trim().split('\n')
  const { kept, refused, failed, missing } = JSON.parse(account!)
  const deleted = { outcome: 'refused', error: 'method', reason: 'DELETE is not asked for' }
  assert.deepEqual([kept, refused, failed, missing], [2, 1, 0, [{ url: `DELETE ${page}item`, ...deleted }]])

  const other = await temporaryFolder()
  const imported = await polyhistor(['import', file, '--home', other, '-q'])
  assert.equal(imported.code, 0, imported.errors)
  assert.deepEqual(await viewsIn(other), everyKind)
  assert.deepEqual(await foundIn(other, 'browser'), [[page, 'After']])
  const rebuilt = await polyhistor(['store', 'rebuild', '--home', other, '-q'])
  assert.equal(rebuilt.code, 0, rebuilt.errors)
  assert.deepEqual(await viewsIn(other), everyKind)
  const scrubbed = await polyhistor(['store', 'scrub', '--home', other, '-q'])
  assert.equal(scrubbed.code, 0, scrubbed.errors)

  await archive.start()
  const ask = (path: string) => fetch(new URL(path, archive.origin))
  const year = new Date().getUTCFullYear()
  const list = await (await ask(`/web/${year}0101-*/${page}`)).text()
  const [, picture] = /<img class="thumbnail" src="([^"]+)"/.exec(list) ?? []
  assert(picture !== undefined, 'the list of versions shows a picture')
  const shown = await ask(picture)
  assert.deepEqual([shown.status, shown.headers.get('Content-Type')], [200, 'image/jpeg'])
  assert.match(shown.headers.get('Content-Security-Policy') ?? '', /sandbox/)
  await saysWhatIsMissing(ask, page)
  const everything = await (await ask(`/web/*/${page}*?all=1`)).text()
  assert.match(everything, /class="thumbnail"/)
  for (const text of [everything, await (await ask(`/cdx?url=${page}*`)).text()])
    assert.doesNotMatch(text, /VIEW/)

  const taken = await polyhistor(['takedown', '--url', page, '--home', home, '-q', '--yes'])
  assert.equal(taken.code, 0, taken.errors)
  assert.equal((await ask(picture)).status, 404)
})

/** In the bar, with the rule. */
async function saysWhatIsMissing(ask: (path: string) => Promise<Response>, page: string): Promise<void> {
  const frame = new URL(`/web/2/${page}`, archive.origin)
  const bar = await (await fetch(frame, { headers: { Accept: 'text/html' } })).text()
  const [, atMs] = /data-at-ms="(\d+)"/.exec(bar) ?? []
  const account = (await (await ask(`/account/${atMs}/${page}`)).json()) as object
  const refused = { name: `DELETE ${page}item`, fate: 'refused', reason: 'DELETE is not asked for' }
  assert.deepEqual(account, { kept: 2, refused: 1, failed: 0, parts: [refused] })
  assert.equal((await ask(`/account/1/${page}`)).status, 204)
  const browser = await TestBrowser.start('127.0.0.1:9')
  try {
    await browser.visit(
      async (window) => {
        await window.goto(frame.href)
        await window.locator('#account summary').click()
        const told = (await window.locator('#account').textContent()) ?? ''
        assert.match(told, /1 part not captured/)
        assert.match(told, /It asked for 3 parts: 2 kept, 1 refused, 0 failed\./)
        assert.match(told, /DELETE .*item refused: DELETE is not asked for/)
        if (process.env.SCREENSHOT) await window.screenshot({ path: process.env.SCREENSHOT })
      },
      { width: 1280, height: 800 },
    )
  } finally {
    await browser.dispose()
  }
}
