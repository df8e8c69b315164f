import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { openStore } from '../fixtures/open-store.ts'
import { pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import { volumeTexts } from '../fixtures/volume-texts.ts'
import type { Store } from '../store.ts'
import type { TakedownTarget } from './takedowns.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')
const secret = 'the-secret-marker'

async function textsOf(store: Store, url: string): Promise<string[]> {
  const texts: string[] = []
  for (const capture of store.versions(parseUrl(url)))
    texts.push(await textOf((await store.read(capture)).payload()))
  return texts
}

function inside(store: Store): Promise<string> {
  return volumeTexts(join(store.folder, 'volumes'))
}

describe('a takedown', () => {
  const hidden = ['http://bad.example.com/a/1', 'http://bad.example.com/a/2', 'http://bad.example.com/b']
  const cases: { target: TakedownTarget; hides: number[] }[] = [
    { target: { kind: 'url', url: hidden[0]! }, hides: [0] },
    { target: { kind: 'prefix', url: 'http://bad.example.com/a/' }, hides: [0, 1] },
    { target: { kind: 'site', site: 'example.com' }, hides: [0, 1, 2] },
    // A public suffix: all the sites under it.
    { target: { kind: 'site', site: 'com' }, hides: [0, 1, 2] },
  ]
  for (const { target, hides } of cases) {
    test(`of the ${target.kind} ${target.kind === 'site' ? target.site : target.url} hides at once and for good, and its bytes go at the next compaction`, async () => {
      const store = await openStore()
      for (const [i, url] of hidden.entries()) {
        const request = Buffer.from(`GET /${secret}-request-${i} HTTP/1.1\r\n\r\n`)
        await store.append(pageCapture(url, start, `${secret}-${i}-${pageText(i, 2_000)}`, { request }))
      }
      await store.append(pageCapture('http://good.example.net/', start, 'good'))
      const captures = hidden.map((url) => [...store.versions(parseUrl(url))][0]!)
      assert.equal(await store.takedown(target, 'a court said so'), hides.length)
      for (const [i, url] of hidden.entries()) {
        const isHidden = hides.includes(i)
        assert.equal([...store.versions(parseUrl(url))].length, isHidden ? 0 : 1)
        if (!isHidden) continue
        await assert.rejects(store.read(captures[i]!), { code: 'store-not-found' })
        await assert.rejects(store.append(pageCapture(url, start + day, 'again')), {
          code: 'store-taken-down',
        })
      }
      assert.equal([...store.scan({ kind: 'all' })].length, 4 - hides.length)
      assert.deepEqual(await store.checkIndex(), [])
      await store.compact()
      const text = await inside(store)
      for (const i of hidden.keys()) {
        assert.equal(text.includes(`${secret}-${i}-`), !hides.includes(i))
        assert.equal(text.includes(`${secret}-request-${i}`), !hides.includes(i))
        assert.equal(text.includes(`${hidden[i]!}\r\n`), !hides.includes(i))
      }
      assert.deepEqual(await textsOf(store, 'http://good.example.net/'), ['good'])
      assert.deepEqual(await store.checkIndex(), [])
      await store.close()
      const again = await openStore({}, store.folder)
      await assert.rejects(again.append(pageCapture(hidden[0]!, start, 'x')), { code: 'store-taken-down' })
      assert.equal([...again.takedowns()][0]?.reason, 'a court said so')
    })
  }

  test('holds for whoever asks by the place of a capture, without its URL', async () => {
    const store = await openStore()
    for (const url of hidden) await store.append(pageCapture(url, start, `page ${url}`))
    await store.takedown({ kind: 'prefix', url: 'http://bad.example.com/a/' }, 'asked for')
    const shown = hidden.map((url) => {
      const { ringKey, surt } = parseUrl(url)
      return [...store.versionsAt({ ringKey, surt }, 10)].length
    })
    assert.deepEqual(shown, [0, 0, 1])
  })

  test('of a URL hides the answers to what was sent to it, and to nothing else', async () => {
    const url = 'http://bad.example.com/api?v=2'
    const query = '__wb_method=POST&1=first&q=one'
    const [sent, preflight] = [`${url}&${query}`, `${url}&__wb_method=OPTIONS&__wb_post_data=`]
    const others = [`http://bad.example.com/api?v=3&${query}`, `http://bad.example.com/api?${query}`]
    const target: TakedownTarget = { kind: 'url', url }
    const store = await openStore({ takedownUndoMs: day })
    for (const [i, one] of [url, sent, preflight, ...others].entries())
      await store.append(pageCapture(one, start, `${secret}-${i}-${pageText(i, 2_000)}`))
    assert.equal(await store.takedown(target), 3)
    assert.deepEqual(Array.from(store.scan({ kind: 'all' }), (capture) => capture.url).sort(), others.sort())
    assert.ok(store.isTakenDown(parseUrl(sent)) && !store.isTakenDown(parseUrl(others[0]!)))
    await assert.rejects(store.append(pageCapture(sent, start + day, 'again')), { code: 'store-taken-down' })
    assert.deepEqual(await store.checkIndex(), [])
    assert.equal(await store.release(target), 3)
    assert.equal([...store.scan({ kind: 'all' })].length, 5)
    await store.takedown(target, '', { isNow: true })
    await store.compact()
    const text = await inside(store)
    for (const i of [0, 1, 2, 3, 4]) assert.equal(text.includes(`${secret}-${i}-`), i > 2)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('of a URL, or of a prefix with a query, hides what was sent to it however long it is', async () => {
    const long = `http://bad.example.com/${'folder/'.repeat(400)}`
    const store = await openStore()
    const urls = [
      long,
      `${long}?__wb_method=POST&q=1`,
      `${long}x`,
      'http://bad.example.com/a?b=1&__wb_method=PUT&a=2',
    ]
    for (const url of urls) await store.append(pageCapture(url, start, secret))
    assert.equal(await store.takedown({ kind: 'url', url: long }), 2)
    assert.equal(await store.takedown({ kind: 'prefix', url: 'http://bad.example.com/a?b=' }), 1)
    assert.deepEqual(
      Array.from(store.scan({ kind: 'all' }), ({ url }) => url),
      [`${long}x`],
    )
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('that is held stays hidden however long ago it was, until it is not held any more', async () => {
    const target: TakedownTarget = { kind: 'site', site: 'example.com' }
    // Without a while to take it back in it would be destroyed at once.
    const first = await openStore({ takedownUndoMs: 0, compression: { kind: 'none' } })
    await first.append(pageCapture('http://bad.example.com/', start, `${secret}${pageText(1, 3_000)}`))
    assert.equal(await first.takedown(target, 'one asked', { isHeld: true }), 1)
    await first.compact()
    assert.ok((await inside(first)).includes(secret))
    await first.close()
    const store = await openStore({ takedownUndoMs: 0, compression: { kind: 'none' } }, first.folder)
    await store.compact()
    assert.ok(
      (await inside(store)).includes(secret) && store.isTakenDown(parseUrl('http://bad.example.com/')),
    )
    assert.equal([...store.takedowns()][0]!.isHeld, true)
    await store.takedown(target, 'another asked', { isHeld: false })
    await store.compact()
    assert.ok(!(await inside(store)).includes(secret))
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('ends the payload in every file of the store, also uncompressed', async () => {
    const store = await openStore({ compression: { kind: 'none' } })
    await store.append(pageCapture('http://bad.example.com/', start, `${secret}${pageText(1, 3_000)}`))
    await store.append(pageCapture('http://good.example.net/', start, pageText(2, 3_000)))
    await store.takedown({ kind: 'site', site: 'example.com' })
    await store.compact()
    for (const entry of await readdir(store.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const bytes = await readFile(join(entry.parentPath, entry.name))
      assert.ok(!bytes.includes(secret), entry.name)
    }
  })

  test('leaves a payload that another page has too, and takes its own URL and headers out of every record', async () => {
    const store = await openStore()
    const text = pageText(3, 5_000)
    await store.append(
      pageCapture('http://bad.example.com/first', start, text, { headers: ['X-Own: secret'] }),
    )
    // Names the first one as what it repeats, in a volume that holds nothing else of it.
    await store.volumes.seal()
    await store.append(pageCapture('http://good.example.net/second', start + day, text))
    await store.takedown({ kind: 'url', url: 'http://bad.example.com/first' })
    // Kept after the takedown, before the compaction.
    await store.volumes.seal()
    await store.append(pageCapture('http://good.example.net/third', start + day, text))
    assert.deepEqual(await store.checkIndex(), [])
    assert.ok((await inside(store)).includes('bad.example.com'))
    await store.compact()
    const found = await inside(store)
    assert.ok(!found.includes('bad.example.com'))
    assert.ok(!found.includes('X-Own'))
    assert.equal(found.split(text).length, 2)
    assert.deepEqual(await textsOf(store, 'http://good.example.net/second'), [text])
    assert.deepEqual(await textsOf(store, 'http://good.example.net/third'), [text])
    assert.deepEqual(await store.checkIndex(), [])
    // The last page that has it goes as well, from another volume than that of the payload.
    await store.volumes.seal()
    await store.append(pageCapture('http://last.example.net/', start + day, text))
    await store.volumes.seal()
    await store.takedown({ kind: 'prefix', url: 'http://good.example.net/' })
    await store.compact()
    assert.deepEqual(await textsOf(store, 'http://last.example.net/'), [text])
    await store.takedown({ kind: 'prefix', url: 'http://last.example.net/' })
    await store.compact({ deadShare: 1 })
    assert.ok(!(await inside(store)).includes(text.slice(0, 500)))
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('ends the versions that a delta was made of, when only the last of them is needed elsewhere', async () => {
    const store = await openStore({ volumeBytesMax: 12_000 })
    const texts = Array.from({ length: 4 }, (_, version) => `${secret}-${version} ${pageText(5, 20_000)}`)
    for (const [version, text] of texts.entries()) {
      await store.append(pageCapture('http://bad.example.com/', start + version * day, text))
    }
    assert.deepEqual(
      [...store.versions(parseUrl('http://bad.example.com/'))].map(({ kind }) => kind),
      ['full', 'delta', 'delta', 'delta'],
    )
    await store.append(pageCapture('http://good.example.net/', start, texts[3]!))
    await store.takedown({ kind: 'site', site: 'example.com' })
    assert.deepEqual(await textsOf(store, 'http://good.example.net/'), [texts[3]])
    await store.compact()
    const found = await inside(store)
    for (const version of [0, 1, 2]) assert.ok(!found.includes(`${secret}-${version}`))
    assert.ok(found.includes(`${secret}-3`))
    assert.ok(!found.includes('bad.example.com'))
    assert.deepEqual(await textsOf(store, 'http://good.example.net/'), [texts[3]])
    const { distinctPayloads } = await store.stat()
    assert.equal(distinctPayloads, 1)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('of a part of a site is refused, and says what to do', async () => {
    const store = await openStore()
    await assert.rejects(store.takedown({ kind: 'site', site: 'news.example.com' }), {
      code: 'store-bad-target',
      message: /prefix http:\/\/news\.example\.com\//,
    })
    assert.deepEqual([...store.takedowns()], [])
  })

  test('of two long URLs that begin alike hides both', async () => {
    const store = await openStore()
    const urls = ['x', 'y'].map((end) => `http://example.com/${'a'.repeat(3_000)}${end}`)
    for (const url of urls) await store.takedown({ kind: 'url', url })
    await store.close()
    const again = await openStore({}, store.folder)
    assert.equal([...again.takedowns()].length, 2)
    for (const url of urls)
      await assert.rejects(again.append(pageCapture(url, start, 'x')), { code: 'store-taken-down' })
  })

  test('while its page is being kept leaves none of it', async () => {
    const store = await openStore()
    const appends = Array.from({ length: 50 }, (_, i) =>
      store
        .append(pageCapture('http://bad.example.com/', start + i, `${secret} ${i}`))
        .catch((error) => error.code),
    )
    await store.takedown({ kind: 'url', url: 'http://bad.example.com/' })
    await Promise.all(appends)
    assert.deepEqual([...store.versions(parseUrl('http://bad.example.com/'))], [])
    assert.equal((await store.stat()).captures, 0)
    await store.compact()
    assert.ok(!(await inside(store)).includes(secret))
    assert.deepEqual(await store.checkIndex(), [])
  })
})
