import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { digestOf } from '../model/digest.ts'
import { parseUrl, urlCharsMax } from '../model/url/url.ts'
import { bodyOf, codings, headerOf, noon, noonMs, origins, ReplayedStore } from './fixtures/replayed-store.ts'

const page = '<!doctype html><html><head><title>Ä</title></head><body><a href="/x">x</a></body></html>'

async function withPage(headers: string[] = []): Promise<ReplayedStore> {
  const archive = await ReplayedStore.open()
  await archive.keep({ url: 'http://a.org/', type: 'text/html; charset=utf-8', headers, body: page })
  return archive
}

describe('a page', () => {
  test('is rewritten, with our start first in its head', async () => {
    const archive = await withPage()
    const text = await archive.text(`/web/${noon}mp_/http://a.org/`)
    assert.match(
      text,
      /^<!doctype html><html><head><script [^>]*src="\/web\/_\/start\.js" data-polyhistor='[^']+'><\/script><title>Ä/,
    )
    assert.ok(text.includes(`<a href="/web/${noon}mp_/http://a.org/x">`))
  })

  test('is its original bytes with id_, on both hosts, and can do nothing on the archive’s own', async () => {
    const archive = await withPage()
    for (const host of ['archive', 'replay'] as const) {
      assert.equal(await archive.text(`/web/${noon}id_/http://a.org/`, { host }), page)
    }
    const raw = await archive.ask(`/web/${noon}id_/http://a.org/`, { host: 'archive' })
    assert.equal(headerOf(raw, 'content-security-policy'), "sandbox; default-src 'none'")
    assert.equal(headerOf(raw, 'x-content-type-options'), 'nosniff')
  })

  test('is no script, worker or style of the archive’s own pages', async () => {
    const archive = await withPage()
    const statusFor = async (host: 'archive' | 'replay', destination: string) => {
      const headers = { 'sec-fetch-dest': destination }
      return (await archive.ask(`/web/${noon}id_/http://a.org/`, { host, headers })).status
    }
    for (const destination of ['script', 'worker', 'sharedworker', 'serviceworker', 'style']) {
      assert.equal(await statusFor('archive', destination), 403, destination)
      assert.equal(await statusFor('replay', destination), 200, destination)
    }
    for (const destination of ['document', 'empty', 'image']) {
      assert.equal(await statusFor('archive', destination), 200, destination)
    }
  })

  test('is remembered in no more memory than twice its own', async () => {
    const archive = await withPage()
    for (const modifier of ['mp_', 'id_']) {
      await archive.ask(`/web/${noon}${modifier}/http://a.org/`)
      const { body } = await archive.ask(`/web/${noon}${modifier}/http://a.org/`)
      assert.ok(body instanceof Uint8Array)
      assert.ok(body.buffer.byteLength <= 2 * body.length, `${body.buffer.byteLength} for ${body.length}`)
    }
  })

  test('replayed 39 times is the same bytes, made anew or not', async () => {
    const archive = await withPage()
    const first = await archive.text(`/web/${noon}mp_/http://a.org/`)
    for (let time = 0; time < 39; time++) {
      const again = time % 2 === 0 ? archive : new ReplayedStore(archive.store)
      assert.equal(await again.text(`/web/${noon}mp_/http://a.org/`), first)
    }
  })

  test('asked for again is answered at once with the same, and every other question by itself', async () => {
    const archive = await withPage()
    const target = `/web/${noon}mp_/http://a.org/`
    const asked = (headers: Record<string, string>) => ({
      method: 'GET',
      target,
      host: 'replay' as const,
      header: (name: string) => headers[name],
    })
    const first = await archive.ask(target)
    assert.equal(archive.replay.answer(asked({})), first)
    const tag = headerOf(first, 'etag')!
    assert.equal((await archive.ask(target, { headers: { 'if-none-match': tag } })).status, 304)
    assert.equal((await archive.ask(target, { headers: { range: 'bytes=0-1' } })).status, 206)
    assert.equal((await archive.ask(target, { headers: { 'sec-fetch-dest': 'document' } })).status, 302)
    assert.equal((await archive.ask(target, { method: 'HEAD' })).body, undefined)
    assert.equal((await archive.ask(target, { method: 'POST' })).status, 404)
    assert.equal((await archive.ask(target, { host: 'archive' })).status, 307)
    const ofNone = await archive.ask(target, { headers: { origin: 'null' } })
    assert.equal(headerOf(ofNone, 'access-control-allow-origin'), 'null')
    assert.equal(headerOf(await archive.ask(target), 'access-control-allow-origin'), '*')
  })

  test('with a part that is asked for again has the nearest there is of it by then', async () => {
    const archive = await ReplayedStore.open()
    const script = { url: 'http://a.org/a.js', type: 'text/javascript' }
    await archive.keep({ ...script, body: 'one()' })
    const target = '/web/2021js_/http://a.org/a.js'
    for (let time = 0; time < 2; time++) assert.match(await archive.text(target), /one\(\)/)
    await archive.keep({ ...script, at: noonMs + 1_000, body: 'another()' })
    assert.match(await archive.text(target), /another\(\)/)
  })

  test('has an origin like no other and no source outside of the archive', async () => {
    const archive = await withPage()
    const policy = headerOf(await archive.ask(`/web/${noon}mp_/http://a.org/`), 'content-security-policy')!
    assert.match(policy, /^sandbox allow-scripts/)
    assert.doesNotMatch(policy, /allow-same-origin|allow-top-navigation|allow-popups/)
    const sources = policy.matchAll(/https?:[^ ;]*/g)
    for (const [source] of sources) assert.match(source, /^http:\/\/replay\.localhost:7070(?:\/web\/)?$/)
  })

  test('opened by itself is shown in the archive’s frame', async () => {
    const archive = await withPage()
    const alone = await archive.ask(`/web/${noon}mp_/http://a.org/?q=1`, {
      headers: { 'sec-fetch-dest': 'document' },
    })
    assert.deepEqual(
      [alone.status, headerOf(alone, 'location')],
      [302, `http://localhost:7070/web/${noon}/http://a.org/?q=1`],
    )
    const other = await archive.ask(`/web/${noon}js_/http://a.org/`, { host: 'archive' })
    assert.equal(headerOf(other, 'location'), `http://replay.localhost:7070/web/${noon}js_/http://a.org/`)
  })
})

describe('what a page sends', () => {
  const api = `/web/${noon}mp_/http://a.org/api`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const filed = (query: string) => `http://a.org/api?__wb_method=${query}`

  async function withAnswers(): Promise<ReplayedStore> {
    const archive = await ReplayedStore.open()
    await archive.keep(
      { url: filed('OPTIONS&__wb_post_data='), type: 'text/plain', body: 'preflight' },
      { url: filed('POST&q=1'), type: 'application/json', body: '[1]' },
      { url: filed('POST&q=2'), type: 'text/html', at: noonMs + 86_400_000, body: page },
      { url: filed('PUT&q=1'), type: 'text/plain', body: 'put' },
    )
    return archive
  }

  test('is answered as the same was answered then, by method and body', async () => {
    const archive = await withAnswers()
    const sent = (method: string, body: string) => archive.ask(api, { method, body, headers: form })
    for (let time = 0; time < 2; time++) {
      const first = await sent('POST', 'q=1')
      assert.deepEqual([first.status, (await bodyOf(first)).toString()], [200, '[1]'])
      assert.equal((await bodyOf(await sent('PUT', 'q=1'))).toString(), 'put')
    }
    // Of another time: what was sent would be lost on the way to its own address.
    const later = await sent('POST', 'q=2')
    assert.equal(later.status, 200)
    const text = (await bodyOf(later)).toString()
    assert.ok(text.includes(`<a href="/web/${noon}mp_/http://a.org/x">`))
    assert.doesNotMatch(text, /__wb_method/)
    assert.match(headerOf(later, 'link')!, /^<http:\/\/a\.org\/api>; rel="original"/)
    const json = { 'content-type': 'application/json' }
    assert.equal((await archive.ask(api, { method: 'POST', body: '{"q":1}', headers: json })).status, 200)
  })

  test('and was not captured is not in the archive, nor is a GET answered with it', async () => {
    const archive = await withAnswers()
    const missing = await archive.ask(api, {
      method: 'POST',
      body: 'q=3',
      headers: { ...form, origin: 'null' },
    })
    assert.equal(missing.status, 404)
    assert.equal(headerOf(missing, 'access-control-allow-origin'), 'null')
    assert.equal((await archive.ask(api)).status, 404)
    const preflight = await archive.ask(api, { method: 'OPTIONS' })
    assert.match(headerOf(preflight, 'access-control-allow-methods')!, /\bPOST\b/)
  })
})

describe('a file that browsers show in no frame', () => {
  const pdf = 'http://a.org/a%20report.pdf'
  const inFrame = { headers: { 'sec-fetch-dest': 'iframe' } }

  async function withFiles(): Promise<ReplayedStore> {
    const archive = await ReplayedStore.open()
    await archive.keep(
      { url: pdf, type: 'application/pdf', headers: ['Content-Disposition: inline'], body: '%PDF-1.4' },
      {
        url: 'http://a.org/list',
        type: 'text/csv',
        headers: ['Content-Disposition: attachment'],
        body: 'a,b',
      },
      { url: 'http://a.org/film', type: 'application/x-shockwave-flash', body: 'FWS' },
      { url: 'http://a.org/old', status: 301, type: 'application/pdf', headers: ['Location: /new.pdf'] },
      { url: 'http://a.org/odd', type: 'application/octet-stream', body: page },
    )
    return archive
  }

  test('is offered for download, by a page that may start one', async () => {
    const archive = await withFiles()
    for (const time of ['first', 'again']) {
      const offer = await archive.ask(`/web/${noon}mp_/${pdf}`, inFrame)
      assert.equal(headerOf(offer, 'content-type'), 'text/html; charset=utf-8', time)
      const policies = offer.headers.filter(([name]) => name === 'Content-Security-Policy')
      assert.equal(policies.length, 1)
      assert.match(policies[0]![1], /^sandbox allow-scripts allow-downloads; default-src 'none'/)
      const text = (await bodyOf(offer)).toString()
      assert.match(text, /<title>a report\.pdf<\/title>.*PDF document, 8 bytes/)
      assert.ok(text.includes(`<a href="/web/${noon}id_/${pdf}">`))
      assert.match(text, /parent\.postMessage\(\{"polyhistor":"page"/)
    }
    const download = await archive.ask(`/web/${noon}id_/${pdf}`, inFrame)
    assert.equal((await bodyOf(download)).toString(), '%PDF-1.4')
    const dispositions = download.headers.filter(([name]) => /^content-disposition$/i.test(name))
    assert.deepEqual(
      dispositions.map(([, value]) => value),
      ["attachment; filename*=UTF-8''a%20report.pdf"],
    )
  })

  test('is given to whoever is no frame, and as a plugin’s data only where nothing else would be shown', async () => {
    const archive = await withFiles()
    for (const destination of [undefined, 'empty', 'image']) {
      const headers: Record<string, string> =
        destination === undefined ? {} : { 'sec-fetch-dest': destination }
      assert.equal(await archive.text(`/web/${noon}oe_/${pdf}`, { headers }), '%PDF-1.4')
    }
    const asObject = { headers: { 'sec-fetch-dest': 'object' } }
    assert.equal(await archive.text(`/web/${noon}oe_/http://a.org/film`, asObject), 'FWS')
    assert.match(await archive.text(`/web/${noon}oe_/${pdf}`, asObject), /PDF document/)
  })

  test('is not what was sent as one and can be shown', async () => {
    const archive = await withFiles()
    const list = await archive.ask(`/web/${noon}mp_/http://a.org/list`, inFrame)
    assert.deepEqual(
      [headerOf(list, 'content-type'), headerOf(list, 'content-disposition')],
      ['text/plain', undefined],
    )
    assert.equal(
      headerOf(
        await archive.ask(`/web/${noon}id_/http://a.org/list`, { host: 'archive' }),
        'content-disposition',
      ),
      'attachment',
    )
    assert.equal((await archive.ask(`/web/${noon}mp_/http://a.org/old`, inFrame)).status, 301)
    assert.match(await archive.text(`/web/${noon}mp_/http://a.org/odd`, inFrame), /start\.js/)
  })
})

describe('headers of the archived answer', () => {
  const sent = [
    'Set-Cookie: a=b',
    'Strict-Transport-Security: max-age=1',
    'Clear-Site-Data: "*"',
    'Content-Security-Policy: default-src https:',
    'X-Frame-Options: DENY',
    'Content-Language: de',
    'Link: <http://live.org/x.js>; rel=preload',
    'Content-Length: 99999',
    'Transfer-Encoding: identity',
    'Connection: close',
  ]

  test('are handed on under another name, and take no effect', async () => {
    const archive = await withPage(sent)
    const { headers } = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    const names = headers.map(([name]) => name.toLowerCase())
    for (const line of sent) {
      const [name, value] = line.split(': ') as [string, string]
      assert.equal(headers.find(([candidate]) => candidate === `X-Archive-Orig-${name}`)?.[1], value)
    }
    for (const name of [
      'set-cookie',
      'strict-transport-security',
      'clear-site-data',
      'x-frame-options',
      'connection',
    ]) {
      assert.ok(!names.includes(name), name)
    }
    assert.equal(headers.find(([name]) => name === 'Content-Language')?.[1], 'de')
    assert.equal(headers.filter(([name]) => name === 'Link').length, 1)
    assert.equal(names.filter((name) => name === 'content-length').length, 1)
  })

  test('more of them than anyone needs are left out', async () => {
    const archive = await withPage(Array.from({ length: 5_000 }, (_, i) => `X-${i}: ${'v'.repeat(40)}`))
    const { headers } = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.ok(headers.length < 150)
  })

  test('what no server may send is left out', async () => {
    const archive = await ReplayedStore.open()
    const odd = ['Content-Encoding: g\x01zip', 'Refresh: \x02', 'X-Odd: a\x7f\x03', 'Location: \x04:']
    await archive.keep({ url: 'http://a.org/', status: 302, type: 'text/html\x05', headers: odd, body: page })
    for (const modifier of ['mp_', 'id_']) {
      const { headers } = await archive.ask(`/web/${noon}${modifier}/http://a.org/`)
      for (const [name, value] of headers) {
        assert.match(name, /^[\w-]+$/)
        assert.doesNotMatch(value, /[^\t\x20-\x7e\x80-\xff]/, name)
      }
    }
  })

  test('memento headers name the original, its TimeGate and its TimeMap', async () => {
    const archive = await withPage()
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(headerOf(answer, 'memento-datetime'), 'Wed, 01 Jan 2020 12:00:00 GMT')
    assert.equal(
      headerOf(answer, 'link'),
      '<http://a.org/>; rel="original", <http://localhost:7070/timegate/http://a.org/>; rel="timegate", ' +
        '<http://localhost:7070/timemap/link/http://a.org/>; rel="timemap"; type="application/link-format", ' +
        `<http://localhost:7070/web/${noon}/http://a.org/>; rel="memento"; datetime="Wed, 01 Jan 2020 12:00:00 GMT", ` +
        `<http://localhost:7070/web/${noon}id_/http://a.org/>; rel="alternate"; title="raw memento"`,
    )
    assert.equal(headerOf(answer, 'server-timing'), `capture;desc="${noon}"`)
  })
})

test('a URL of 64 kB is replayed; a longer one is refused in words', async () => {
  const archive = await ReplayedStore.open()
  const start = 'http://a.org/?q='
  const url = start + 'a'.repeat(urlCharsMax - start.length)
  await archive.keep({ url, type: 'text/html', body: page })
  assert.equal(await archive.text(`/web/${noon}id_/${url}`), page)
  assert.match(await archive.text(`/web/${noon}mp_/${url}`), /start\.js/)
  const longer = await archive.ask(`/web/${noon}id_/${url}a`)
  assert.equal(longer.status, 414)
  assert.match((await bodyOf(longer)).toString(), /has more than 65536 characters/)
})

describe('what the server sent then', () => {
  test('an archived 404 is a 404, with its page', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({ url: 'http://a.org/', status: 404, type: 'text/html', body: '<p>gone' })
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(answer.status, 404)
    assert.equal(headerOf(answer, 'x-polyhistor-error'), undefined)
    assert.match((await bodyOf(answer)).toString(), /<p>gone/)
  })

  test('a redirect keeps time, modifier and status', async () => {
    const archive = await ReplayedStore.open()
    const redirects = {
      '/b?c#d': 'http://a.org/b?c#d',
      '//b.org/': 'http://b.org/',
      'https://c.org/\xc3\xa4': 'https://c.org/%C3%A4',
    }
    for (const [at, [location, target]] of Object.entries(redirects).entries()) {
      await archive.keep({
        url: 'http://a.org/',
        at: noonMs + at * 1_000,
        status: 308,
        headers: [`Location: ${location}`],
      })
      const answer = await archive.ask(`/web/${Number(noon) + at}if_/http://a.org/`)
      assert.deepEqual(
        [answer.status, headerOf(answer, 'location')],
        [308, `/web/${Number(noon) + at}if_/${target}`],
      )
    }
  })

  test.each(Object.keys(codings))(
    'a body sent as %s is decoded to be rewritten, and given as it was with id_',
    async (name) => {
      const archive = await ReplayedStore.open()
      const coding = name.replace(' without header', '')
      const body = codings[name]!(page)
      await archive.keep({
        url: 'http://a.org/',
        type: 'text/html',
        headers: [`Content-Encoding: ${coding}`],
        body,
      })
      const text = await archive.text(`/web/${noon}mp_/http://a.org/`)
      assert.ok(text.includes(`<a href="/web/${noon}mp_/http://a.org/x">`))
      const raw = await archive.ask(`/web/${noon}id_/http://a.org/`)
      assert.deepEqual(await bodyOf(raw), body)
      assert.equal(headerOf(raw, 'content-encoding'), coding.replace('x-', ''))
      const decoded = await archive.ask(`/web/${noon}id_/http://a.org/`, {
        headers: { 'accept-encoding': 'identity' },
      })
      assert.equal((await bodyOf(decoded)).toString(), page)
      assert.equal(headerOf(decoded, 'content-encoding'), undefined)
    },
  )

  test('a coding that is only claimed is not undone', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({
      url: 'http://a.org/',
      type: 'text/html',
      headers: ['Content-Encoding: gzip'],
      body: page,
    })
    assert.match(await archive.text(`/web/${noon}mp_/http://a.org/`), /mp_\/http:\/\/a\.org\/x/)
    const raw = await archive.ask(`/web/${noon}id_/http://a.org/`)
    assert.equal(headerOf(raw, 'content-encoding'), undefined)
  })

  test('a coding that nobody knows is handed on as it is, and said to be so', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({
      url: 'http://a.org/',
      type: 'text/html',
      headers: ['Content-Encoding: sdch'],
      body: 'xyz',
    })
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(headerOf(answer, 'x-polyhistor-unrewritten'), 'undecodable')
    assert.equal((await bodyOf(answer)).toString(), 'xyz')
    const told = await archive.ask(`/web/${noon}mp_/http://a.org/`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    assert.deepEqual([headerOf(told, 'content-encoding'), (await bodyOf(told)).toString()], ['sdch', 'xyz'])
  })

  test.each([
    ['rubbish behind it', (whole: Buffer) => Buffer.concat([whole, Buffer.from('<!-- served -->')])],
    ['a wrong checksum', (whole: Buffer) => Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 1)])],
  ])('gzip with %s is rewritten, as browsers show it', async (_, changed) => {
    const archive = await ReplayedStore.open()
    const headers = ['Content-Encoding: gzip']
    const body = changed(Buffer.from(codings.gzip!(page)))
    await archive.keep({ url: 'http://a.org/', type: 'text/html', headers, body })
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(headerOf(answer, 'x-polyhistor-unrewritten'), undefined)
    assert.match((await bodyOf(answer)).toString(), /mp_\/http:\/\/a\.org\/x/)
  })

  test('a body that breaks off is shown as far as it goes, and one that is broken is handed on', async () => {
    const archive = await ReplayedStore.open()
    const whole = codings.gzip!(page.repeat(50))
    const headers = ['Content-Encoding: gzip']
    await archive.keep({ url: 'http://a.org/', type: 'text/html', headers, body: whole.subarray(0, -30) })
    assert.match(await archive.text(`/web/${noon}mp_/http://a.org/`), /mp_\/http:\/\/a\.org\/x/)
    const broken = Buffer.from(whole).fill(0x55, 20, 60)
    await archive.keep({ url: 'http://b.org/', type: 'text/html', headers, body: broken })
    const answer = await archive.ask(`/web/${noon}mp_/http://b.org/`, {
      headers: { 'accept-encoding': 'br' },
    })
    assert.equal(headerOf(answer, 'x-polyhistor-unrewritten'), 'undecodable')
    assert.deepEqual(await bodyOf(answer), broken)
  })

  test('a large body in a coding that the client does not take flows decoded', async () => {
    const archive = await ReplayedStore.open({ rewrittenBytesMax: 1_000, wholeBytesMax: 1_000 })
    const text = Array.from({ length: 20_000 }, (_, i) => `line ${(i * 7919) % 10_007}\n`).join('')
    const body = codings.gzip!(text)
    await archive.keep({
      url: 'http://a.org/',
      type: 'text/plain',
      headers: ['Content-Encoding: gzip'],
      body,
    })
    const answer = await archive.ask(`/web/${noon}id_/http://a.org/`, {
      headers: { 'accept-encoding': 'br' },
    })
    assert.equal(headerOf(answer, 'content-encoding'), undefined)
    assert.equal((await bodyOf(answer)).toString(), text)
  })

  test('a 304 shows what had not changed, with the type it had', async () => {
    const archive = await withPage(['Content-Language: de'])
    await archive.store.append({
      url: parseUrl('http://a.org/'),
      capturedAtMs: noonMs + 1_000,
      block: Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'),
      revisit: { kind: 'not-modified', of: { url: 'http://a.org/', capturedAtMs: noonMs } },
    })
    const answer = await archive.ask('/web/20200101120001mp_/http://a.org/')
    assert.equal(answer.status, 200)
    assert.equal(headerOf(answer, 'content-type'), 'text/html; charset=utf-8')
    assert.equal(headerOf(answer, 'content-language'), 'de')
    assert.match((await bodyOf(answer)).toString(), /mp_\/http:\/\/a\.org\/x/)
  })

  test('a revisit of what is nowhere is not found, and says why; where a redirect leads is known all the same', async () => {
    const archive = await ReplayedStore.open()
    const revisit = { kind: 'same', of: undefined, payloadDigest: digestOf('sha256', 'never seen') } as const
    const keep = (url: string, head: string) =>
      archive.store.append({
        url: parseUrl(url),
        capturedAtMs: noonMs,
        block: Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`),
        revisit,
      })
    await keep('http://a.org/page', '200 OK')
    await keep('http://a.org/moved', '301 Moved\r\nLocation: /page')
    const page = await archive.ask(`/web/${noon}mp_/http://a.org/page`)
    assert.equal(page.status, 404)
    assert.match((await bodyOf(page)).toString(), /a revisit of a capture that is not in this store/)
    const moved = await archive.ask(`/web/${noon}mp_/http://a.org/moved`)
    assert.deepEqual([moved.status, headerOf(moved, 'location')], [301, `/web/${noon}mp_/http://a.org/page`])
  })

  test('the same payload under another URL is resolved', async () => {
    const archive = await withPage()
    await archive.keep({ url: 'http://b.org/', type: 'text/html', body: page })
    assert.match(await archive.text(`/web/${noon}mp_/http://b.org/`), /mp_\/http:\/\/b\.org\/x/)
  })

  test('charsets: the bytes stay, and the header says which they are', async () => {
    const archive = await ReplayedStore.open()
    const latin = Buffer.from('<meta charset=iso-8859-1><a href=/x>\xe4</a>', 'latin1')
    await archive.keep({ url: 'http://a.org/', type: 'text/html', body: latin })
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(headerOf(answer, 'content-type'), 'text/html; charset=windows-1252')
    assert.ok((await bodyOf(answer)).includes(Buffer.from('>\xe4</a>', 'latin1')))
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<a href=/x>ä</a>', 'utf16le')])
    await archive.keep({ url: 'http://b.org/', type: 'text/html', body: wide })
    const answered = await archive.ask(`/web/${noon}mp_/http://b.org/`)
    assert.equal(headerOf(answered, 'content-type'), 'text/html; charset=utf-8')
    assert.match((await bodyOf(answered)).toString(), /mp_\/http:\/\/b\.org\/x">ä/)
  })
})

describe('what a script or a part asks for', () => {
  test('is as it was archived when a script fetches it, and rewritten when it is shown', async () => {
    const archive = await withPage()
    const target = `/web/${noon}mp_/http://a.org/`
    assert.equal(await archive.text(target, { headers: { 'sec-fetch-dest': 'empty' } }), page)
    assert.notEqual(await archive.text(target, { headers: { 'sec-fetch-dest': 'iframe' } }), page)
  })

  test('may be asked by a page of no origin, with credentials and headers of its own', async () => {
    const archive = await withPage()
    const answer = await archive.ask(`/web/${noon}oe_/http://a.org/`, { headers: { origin: 'null' } })
    assert.equal(headerOf(answer, 'access-control-allow-origin'), 'null')
    assert.equal(headerOf(answer, 'access-control-allow-credentials'), 'true')
    const asked = await archive.ask(`/web/${noon}mp_/http://a.org/`, {
      method: 'OPTIONS',
      headers: { origin: 'null', 'access-control-request-headers': 'x-own' },
    })
    assert.deepEqual([asked.status, headerOf(asked, 'access-control-allow-headers')], [204, 'x-own'])
  })

  test('a script that is called HTML is one', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({ url: 'http://a.org/s', type: 'text/html', body: 'document.title = 1' })
    const answer = await archive.ask(`/web/${noon}js_/http://a.org/s`)
    // Without a word on its charset it has its page's.
    assert.equal(headerOf(answer, 'content-type'), 'text/javascript')
    await archive.keep({ url: 'http://a.org/t', type: 'text/html; charset=cp1251', body: 'top' })
    const told = await archive.ask(`/web/${noon}js_/http://a.org/t`)
    assert.equal(headerOf(told, 'content-type'), 'text/javascript; charset=windows-1251')
    assert.match((await bodyOf(answer)).toString(), /^\{let document=/)
  })

  test('a stray request finds its page by the referrer', async () => {
    const archive = await withPage()
    const referer = `http://replay.localhost:7070/web/${noon}mp_/http://a.org/sub/page.html`
    const answer = await archive.ask('/style.css?x', { headers: { referer } })
    assert.deepEqual(
      [answer.status, headerOf(answer, 'location')],
      [307, `/web/${noon}mp_/http://a.org/style.css?x`],
    )
    assert.equal((await archive.ask('/style.css')).status, 400)
    assert.equal(
      (
        await archive.ask('/style.css', {
          headers: { referer: 'http://replay.localhost:7071/web/2020/http://a.org/' },
        })
      ).status,
      400,
    )
  })

  test('our own files are there, and no capture can hide them', async () => {
    const archive = await ReplayedStore.open()
    assert.match(await archive.text('/web/_/start.js'), /^wombat\(\)\n;\(\(\)=>\{'use strict';\nconst a = 1/)
    assert.match(await archive.text('/web/_/scope.js'), /export\{_window as window\}/)
    assert.match(
      await archive.text('/web/_/worker.js'),
      /^workers\(\)\n;\(\(\)=>\{'use strict';\nconst b = 1/,
    )
    assert.equal((await archive.ask('/web/_/other.js')).status, 404)
  })
})

describe('ranges, heads and conditions', () => {
  async function withFilm(
    bytes = 3_000_000,
  ): Promise<{ archive: ReplayedStore; film: Buffer; target: string }> {
    const archive = await ReplayedStore.open()
    const film = Buffer.alloc(bytes, 'film of many bytes ')
    await archive.keep({ url: 'http://a.org/f.mp4', type: 'video/mp4', body: film })
    return { archive, film, target: `/web/${noon}oe_/http://a.org/f.mp4` }
  }

  test.each([3_000, 3_000_000, 5_000_000])('a part of %i bytes', async (bytes) => {
    const { archive, film, target } = await withFilm(bytes)
    const part = await archive.ask(target, { headers: { range: 'bytes=1000-1999' } })
    assert.equal(part.status, 206)
    assert.equal(headerOf(part, 'content-range'), `bytes 1000-1999/${bytes}`)
    assert.deepEqual(await bodyOf(part), film.subarray(1_000, 2_000))
    const beyond = await archive.ask(target, { headers: { range: `bytes=${bytes}-` } })
    assert.deepEqual([beyond.status, headerOf(beyond, 'content-range')], [416, `bytes */${bytes}`])
    const several = await archive.ask(target, { headers: { range: 'bytes=0-1,4-5' } })
    assert.equal(several.status, 200)
    assert.equal((await bodyOf(several)).length, bytes)
    const whole = await archive.ask(target)
    assert.equal(headerOf(whole, 'accept-ranges'), 'bytes')
    assert.deepEqual(await bodyOf(whole), film)
  })

  test('a part of what has changed since is the whole', async () => {
    const { archive, target } = await withFilm(3_000)
    const tag = headerOf(await archive.ask(target), 'etag')!
    const same = await archive.ask(target, { headers: { range: 'bytes=0-1', 'if-range': tag } })
    const other = await archive.ask(target, { headers: { range: 'bytes=0-1', 'if-range': '"else"' } })
    assert.deepEqual([same.status, other.status], [206, 200])
  })

  test('nothing is sent again to who has it', async () => {
    const archive = await withPage()
    for (const modifier of ['id_', 'mp_']) {
      const target = `/web/${noon}${modifier}/http://a.org/`
      const tag = headerOf(await archive.ask(target), 'etag')!
      const again = await archive.ask(target, { headers: { 'if-none-match': `"x", W/${tag}` } })
      assert.deepEqual([again.status, again.body], [304, undefined])
      assert.equal((await archive.ask(target, { headers: { 'if-none-match': '"x"' } })).status, 200)
    }
  })

  test('raw and rewritten have different tags', async () => {
    const archive = await withPage()
    const tags = new Set<string | undefined>()
    for (const modifier of ['id_', 'mp_'])
      tags.add(headerOf(await archive.ask(`/web/${noon}${modifier}/http://a.org/`), 'etag'))
    assert.equal(tags.size, 2)
  })

  test('HEAD says the same as GET, without a body', async () => {
    const archive = await withPage()
    const target = `/web/${noon}mp_/http://a.org/`
    const head = await archive.ask(target, { method: 'HEAD' })
    const got = await archive.ask(target)
    assert.equal(head.body, undefined)
    assert.deepEqual(head.headers, got.headers)
  })
})

describe('what cannot be shown', () => {
  test('what was never archived', async () => {
    const archive = await ReplayedStore.open()
    const answer = await archive.ask('/web/2020mp_/http://a.org/<x>')
    assert.deepEqual([answer.status, headerOf(answer, 'x-polyhistor-error')], [404, 'replay-not-archived'])
    const text = (await bodyOf(answer)).toString()
    assert.match(text, /http:\/\/a\.org\/%3Cx%3E is not in this archive/)
    // Its frame can offer to archive it.
    assert.match(
      text,
      /parent\.postMessage\(\{"polyhistor":"page","isMissing":true,"url":"http:\/\/a\.org\/%3Cx%3E"/,
    )
    assert.doesNotMatch(await archive.text('/web/2020im_/http://a.org/x'), /postMessage/)
  })

  test('a part that was never archived says so where scripts can read it', async () => {
    const archive = await ReplayedStore.open()
    const timing = async (url: string) =>
      headerOf(await archive.ask(`/web/${noon}im_/${url}`), 'server-timing')
    assert.equal(await timing('http://a.org/x.png?a="b\\'), 'missing;desc="http://a.org/x.png?a=%22b%5C"')
    assert.equal(await timing(`http://a.org/${'x'.repeat(3_000)}`), undefined)
  })

  test('what a style sheet lacks is known to the server, until it is archived', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({ url: 'http://a.org/a.css', type: 'text/css', body: '@import "b.css"' })
    const sheet = (name: string) => `/web/${noon}cs_/http://a.org/${name}.css`
    const ask = (target: string, referer: string) =>
      archive.ask(target, { headers: { referer: `${origins.replay}${referer}` } })
    await ask(sheet('b'), sheet('a'))
    await ask(`/web/${noon}im_/http://a.org/c.png`, sheet('b'))
    const missing = async () =>
      JSON.parse(await archive.text(`/web/_/missing?sheet=${encodeURIComponent(sheet('a'))}`))
    assert.deepEqual(await missing(), ['http://a.org/b.css', 'http://a.org/c.png'])
    await archive.keep({ url: 'http://a.org/c.png', type: 'image/png' })
    assert.deepEqual(await missing(), ['http://a.org/b.css'])
  })

  test('what a sheet lacks that was known before another sheet imported it', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({ url: 'http://a.org/b.css', type: 'text/css', body: 'a{}' })
    const sheet = (name: string) => `/web/${noon}cs_/http://a.org/${name}.css`
    const ask = (target: string, referer: string) =>
      archive.ask(target, { headers: { referer: `${origins.replay}${referer}` } })
    await ask(sheet('b'), `/web/${noon}mp_/http://a.org/`)
    await ask(sheet('b'), sheet('a'))
    await ask(`/web/${noon}im_/http://a.org/c.png`, sheet('b'))
    const missing = await archive.text(`/web/_/missing?sheet=${encodeURIComponent(sheet('a'))}`)
    assert.deepEqual(JSON.parse(missing), ['http://a.org/c.png'])
  })

  test('what was taken down, also when it was asked for just before', async () => {
    const archive = await withPage()
    const target = `/web/${noon}mp_/http://a.org/`
    assert.equal((await archive.ask(target)).status, 200)
    await archive.store.takedown({ kind: 'url', url: 'http://a.org/' })
    const answer = await archive.ask(target)
    assert.deepEqual([answer.status, headerOf(answer, 'x-polyhistor-error')], [451, 'replay-taken-down'])
    assert.equal((await archive.ask(`/web/${noon}id_/http://a.org/`, { host: 'archive' })).status, 451)
  })

  test.each([
    ['in memory', 40_000],
    ['as it flows', 6_000_000],
  ])('what has rotted on disk is never shown, read %s', async (_how, bytes) => {
    const archive = await ReplayedStore.open()
    const body = Buffer.from(Array.from({ length: bytes }, (_, i) => (i * i * 31) % 251))
    await archive.keep({ url: 'http://a.org/', type: 'application/pdf', body })
    const folder = join(archive.store.folder, 'volumes')
    for (const file of await readdir(folder)) {
      const volume = await readFile(join(folder, file))
      for (let place = 0; place < 64; place++) volume[Math.floor(volume.length / 2) + place]! ^= 0x55
      await writeFile(join(folder, file), volume)
    }
    const target = `/web/${noon}id_/http://a.org/`
    const answer = await archive.ask(target)
    if (answer.status === 200) await assert.rejects(bodyOf(answer), { code: 'store-content-damaged' })
    else
      assert.deepEqual(
        [answer.status, headerOf(answer, 'x-polyhistor-error')],
        [502, 'store-content-damaged'],
      )
  })

  test('what is written to', async () => {
    const archive = await withPage()
    const target = `/web/${noon}mp_/http://a.org/`
    for (const asked of [
      { method: 'POST', host: 'archive' },
      { method: 'TRACE', host: 'replay' },
    ] as const) {
      const answer = await archive.ask(target, asked)
      assert.deepEqual([answer.status, headerOf(answer, 'x-polyhistor-error')], [405, 'replay-method'])
    }
  })

  test('a text too large to be rewritten goes out as it was, and says so', async () => {
    const archive = await ReplayedStore.open({ rewrittenBytesMax: 50_000, wholeBytesMax: 10_000 })
    const large = `${page}${' '.repeat(60_000)}`
    await archive.keep({ url: 'http://a.org/', type: 'text/html', body: large })
    const answer = await archive.ask(`/web/${noon}mp_/http://a.org/`)
    assert.equal(headerOf(answer, 'x-polyhistor-unrewritten'), 'too-large')
    assert.equal((await bodyOf(answer)).toString(), large)
    const bomb = codings.gzip!(large)
    await archive.keep({
      url: 'http://b.org/',
      type: 'text/html',
      headers: ['Content-Encoding: gzip'],
      body: bomb,
    })
    const unpacked = await archive.ask(`/web/${noon}mp_/http://b.org/`)
    assert.equal(headerOf(unpacked, 'x-polyhistor-unrewritten'), 'too-large')
    assert.deepEqual(await bodyOf(unpacked), bomb)
  })
})
