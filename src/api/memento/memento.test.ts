// Clauses of RFC 7089, by section.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { interfacesOf, sharedStoreOf, storeOf } from '../fixtures/test-archive.ts'

const url = 'http://a.test/?b=//c&d=%2F'
const captures = ['2001', '20100315', '20200101120000500'].map((at) => ({ url, at }))
const archive = sharedStoreOf(captures)

const at = (text: string) => ({ headers: { 'accept-datetime': text } })
const mementoOf = (timestamp: string) => `http://localhost:7070/web/${timestamp}/${url}`

describe('a TimeGate (4.1, pattern 2.1: a 302 on a resource of its own)', () => {
  test('leads to the memento nearest to Accept-Datetime, and says that it negotiates by it (2.1.2)', async () => {
    const api = interfacesOf(archive())
    const cases = {
      'Tue, 20 Mar 2001 20:35:00 GMT': '20010101000000',
      'Sat, 01 Jan 2011 00:00:00 GMT': '20100315000000',
      // Dates are whole seconds, this capture was half a second later.
      'Wed, 01 Jan 2020 12:00:00 GMT': '20200101120000',
    }
    for (const [date, timestamp] of Object.entries(cases)) {
      const answer = await api.ask(`/timegate/${url}`, at(date))
      assert.deepEqual(
        [answer.status, answer.headers.location, answer.headers.vary],
        [302, mementoOf(timestamp), 'accept-datetime'],
      )
    }
  })

  test('prefers the very second that was asked for to one that is nearer by a fraction', async () => {
    const store = await storeOf(['20200101115959900', '20200101120000500'].map((at) => ({ url, at })))
    const answer = await interfacesOf(store).ask(`/timegate/${url}`, at('Wed, 01 Jan 2020 12:00:00 GMT'))
    assert.equal(answer.headers.location, mementoOf('20200101120000'))
  })

  test('without Accept-Datetime leads to the newest (4.5.3)', async () => {
    const answer = await interfacesOf(archive()).ask(`/timegate/${url}`)
    assert.deepEqual([answer.status, answer.headers.location], [302, mementoOf('20200101120000')])
    assert.equal(answer.headers.vary, 'accept-datetime')
  })

  test('before the first and after the last gives the first and the last (4.5.3)', async () => {
    const api = interfacesOf(archive())
    const first = await api.ask(`/timegate/${url}`, at('Fri, 01 Jan 1971 00:00:00 GMT'))
    assert.equal(first.headers.location, mementoOf('20010101000000'))
    const last = await api.ask(`/timegate/${url}`, at('Fri, 01 Jan 2100 00:00:00 GMT'))
    assert.equal(last.headers.location, mementoOf('20200101120000'))
  })

  test('links to original, TimeMap and mementos, and has no Memento-Datetime of its own (4.2.1, 2.1.1)', async () => {
    const answer = await interfacesOf(archive()).ask(`/timegate/${url}`, at('Mon, 15 Mar 2010 00:00:00 GMT'))
    assert.equal(answer.headers['memento-datetime'], undefined)
    assert.equal(
      answer.headers.link,
      [
        `<${url}>; rel="original"`,
        `<http://localhost:7070/timegate/${url}>; rel="timegate"`,
        `<http://localhost:7070/timemap/link/${url}>; rel="timemap"; type="application/link-format"`,
        `<${mementoOf('20010101000000')}>; rel="prev first memento"; datetime="Mon, 01 Jan 2001 00:00:00 GMT"`,
        `<${mementoOf('20100315000000')}>; rel="memento"; datetime="Mon, 15 Mar 2010 00:00:00 GMT"`,
        `<${mementoOf('20200101120000')}>; rel="next last memento"; datetime="Wed, 01 Jan 2020 12:00:00 GMT"`,
      ].join(', '),
    )
  })

  test.each([
    '2020-01-01T00:00:00Z',
    'Wed, 01 Jan 2020 12:00:00',
    'Wed, 01 Jan 2020 12:00:00 +0000',
    'Wednesday, 01-Jan-20 12:00:00 GMT',
    'Wed, 32 Jan 2020 12:00:00 GMT',
    'Sat, 30 Feb 2020 12:00:00 GMT',
    'Wed, 01 Jan 2020 25:00:00 GMT',
    'wed, 01 jan 2020 12:00:00 gmt',
    '',
    'now',
  ])('answers 400 to the date "%s" (4.5.4)', async (date) => {
    const answer = await interfacesOf(archive()).ask(`/timegate/${url}`, at(date))
    assert.equal(answer.status, 400)
    assert.match(answer.text, /must look like "Tue, 20 Mar 2001 20:35:00 GMT"/)
  })

  test('answers 404 to what was never archived, 451 to what was taken down, 400 to what is no URL', async () => {
    const store = await storeOf(captures)
    const api = interfacesOf(store)
    assert.equal((await api.ask('/timegate/http://b.test/')).status, 404)
    assert.equal((await api.ask('/timegate/javascript:1')).status, 400)
    assert.equal((await api.ask('/timegate/')).status, 400)
    await store.takedown({ kind: 'site', site: 'a.test' })
    assert.equal((await api.ask(`/timegate/${url}`)).status, 451)
    assert.equal((await api.ask(`/timemap/link/${url}`)).status, 451)
  })

  test('can be read by pages of other sites, which is how tools in a browser work', async () => {
    const { headers } = await interfacesOf(archive()).ask(`/timegate/${url}`)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.match(headers['access-control-expose-headers']!, /Link/)
  })
})

describe('a TimeMap (5)', () => {
  test('as link-format: original, self with its span, TimeGate, then every memento (5.1)', async () => {
    const answer = await interfacesOf(archive()).ask(`/timemap/link/${url}`)
    assert.equal(answer.headers['content-type'], 'application/link-format')
    assert.equal(
      answer.text,
      `${[
        `<${url}>; rel="original"`,
        `<http://localhost:7070/timemap/link/${url}>; rel="self"; type="application/link-format"; from="Mon, 01 Jan 2001 00:00:00 GMT"; until="Wed, 01 Jan 2020 12:00:00 GMT"`,
        `<http://localhost:7070/timegate/${url}>; rel="timegate"`,
        `<${mementoOf('20010101000000')}>; rel="first memento"; datetime="Mon, 01 Jan 2001 00:00:00 GMT"`,
        `<${mementoOf('20100315000000')}>; rel="memento"; datetime="Mon, 15 Mar 2010 00:00:00 GMT"`,
        `<${mementoOf('20200101120000')}>; rel="last memento"; datetime="Wed, 01 Jan 2020 12:00:00 GMT"`,
      ].join(',\n')}\n`,
    )
  })

  test('of a single memento, which is the first and the last', async () => {
    const store = await storeOf([{ url, at: '2020' }])
    assert.match((await interfacesOf(store).ask(`/timemap/link/${url}`)).text, /rel="first last memento"/)
  })

  test('as JSON and as CDXJ has the same mementos', async () => {
    const api = interfacesOf(archive())
    const json = JSON.parse((await api.ask(`/timemap/json/${url}`)).text)
    assert.equal(json.original_uri, url)
    assert.deepEqual(
      json.mementos.list.map(({ uri }: { uri: string }) => uri),
      ['20010101000000', '20100315000000', '20200101120000'].map(mementoOf),
    )
    assert.deepEqual(json.mementos.first, json.mementos.list[0])
    const cdxj = (await api.ask(`/timemap/cdxj/${url}`)).text.trim().split('\n')
    const lines = cdxj.filter((line) => !line.startsWith('!'))
    assert.equal(lines.length, 3)
    assert.match(lines[0]!, /^test,a\)\/\?b=\/\/c&d=\/ 20010101000000 \{"url":/)
    assert.ok(cdxj.some((line) => line.startsWith('!meta {"original_uri"')))
  })

  test('that is huge comes in parts, each naming the next (5.1.1), with nothing lost between them', async () => {
    const times = Array.from({ length: 25 }, (_, index) => `200001010000${String(10 + index)}`)
    const store = await storeOf(times.map((time) => ({ url, at: time })))
    const api = interfacesOf(store, 10)
    const seen: string[] = []
    let next: string | undefined = `/timemap/link/${url}`
    let parts = 0
    for (; next !== undefined; parts++) {
      const { text } = await api.ask(next)
      seen.push(...text.matchAll(/\/web\/([0-9]{14})\//g).map((match) => match[1]!))
      next = /<http:\/\/localhost:7070([^>]+)>; rel="timemap"/.exec(text)?.[1]
    }
    assert.deepEqual([seen, parts], [times, 3])
  })

  test('is also where the Internet Archive has it', async () => {
    assert.equal((await interfacesOf(archive()).ask(`/web/timemap/link/${url}`)).status, 200)
  })

  test('of what was never archived is a 404, of no URL a 400', async () => {
    const api = interfacesOf(archive())
    assert.equal((await api.ask('/timemap/json/http://b.test/')).status, 404)
    assert.equal((await api.ask('/timemap/link/http://')).status, 400)
    assert.equal((await api.ask('/timemap/xml/http://a.test/')).status, 404)
  })
})
