// Every parameter of both dialects, against a real store.

import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import type { ArchivedCapture, CaptureIndex } from '../../model/archive.ts'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { TestApi, testRequest } from '../fixtures/test-api.ts'
import { interfacesOf, sharedStoreOf, storeOf } from '../fixtures/test-archive.ts'
import { MementoLinks } from '../memento/memento-links.ts'
import { properties } from './cdx.fuzz.ts'
import { CdxServer } from './cdx-server.ts'

const page = 'http://www.a.test/page'

/** Of /page: three contents, one of them four times. */
const captures = [
  { url: page, at: '2010', body: 'one' },
  { url: page, at: '20100601', body: 'one' },
  { url: page, at: '2011', body: 'two', status: 404 },
  { url: page, at: '2012', body: 'one' },
  { url: page, at: '201206', body: 'one' },
  { url: page, at: '2013', body: 'three' },
  { url: 'http://www.a.test/page/below', at: '2012', body: 'b' },
  { url: 'http://www.a.test/pages.png', at: '2012', body: 'png', type: 'image/png' },
  { url: 'http://a.test:8080/page', at: '2012', body: 'port' },
  { url: 'http://sub.a.test/page', at: '2012', body: 'sub' },
  { url: 'http://b.test/page', at: '2012', body: 'other site' },
]

const wayback = '/cdx/search/cdx'
const pywb = '/all/cdx'

const store = sharedStoreOf(captures)

async function server() {
  const api = interfacesOf(store())
  const ask = (path: string, query: string) => api.ask(`${path}?${query}`)
  const lines = async (path: string, query: string) => {
    const { status, text } = await ask(path, query)
    assert.equal(status, 200, text)
    return text.split('\n').filter((line) => line !== '')
  }
  /** The values of a field or several, in the order of the lines. */
  const values = (query: string, fields = 'timestamp') => lines(wayback, `${query}&fl=${fields}`)
  return { api, ask, lines, values }
}

const years = (timestamps: string[]) => timestamps.map((timestamp) => timestamp.slice(0, 6))

describe('the Internet Archive’s dialect', () => {
  test('text has the seven fields, in order', async () => {
    const { lines } = await server()
    const [first] = await lines(wayback, 'url=a.test/page')
    assert.match(
      first!,
      /^test,a\)\/page 20100101000000 http:\/\/www\.a\.test\/page text\/html 200 sha256:[0-9a-f]{64} [0-9]+$/,
    )
  })

  test('output=json is an array of arrays with a head; nothing found is an empty one', async () => {
    const { ask } = await server()
    const rows = JSON.parse((await ask(wayback, 'url=a.test/page&output=json')).text)
    assert.deepEqual(rows[0], [
      'urlkey',
      'timestamp',
      'original',
      'mimetype',
      'statuscode',
      'digest',
      'length',
    ])
    assert.equal(rows.length, 7)
    assert.deepEqual(rows[1].slice(0, 5), ['test,a)/page', '20100101000000', page, 'text/html', '200'])
    assert.deepEqual(JSON.parse((await ask(wayback, 'url=c.test&output=json')).text), [])
  })

  test('what only this archive keeps once is no revisit', async () => {
    const { values } = await server()
    assert.deepEqual(await values('url=a.test/page&limit=2', 'mimetype,statuscode'), [
      'text/html 200',
      'text/html 200',
    ])
    assert.deepEqual(await values('url=a.test/page&filter=mimetype:warc/revisit'), [])
  })
})

describe('pywb’s dialect', () => {
  test('output=json is an object a line, with its own names', async () => {
    const { lines } = await server()
    const [first] = (await lines(pywb, 'url=a.test/page&output=json')).map((line) => JSON.parse(line))
    assert.deepEqual(Object.keys(first), ['urlkey', 'timestamp', 'url', 'mime', 'status', 'digest', 'length'])
    assert.deepEqual([first.url, first.mime, first.status], [page, 'text/html', '200'])
  })

  test('any collection is the archive', async () => {
    const { ask } = await server()
    assert.equal((await ask('/my-archive/cdx', 'url=a.test/page')).status, 200)
  })
})

describe('output', () => {
  test('cdxj and link in both', async () => {
    const { lines } = await server()
    for (const path of [wayback, pywb]) {
      assert.match((await lines(path, 'url=a.test/page&output=cdxj'))[0]!, /^test,a\)\/page 2010\d+ \{/)
      const link = await lines(path, 'url=a.test/page&output=link')
      assert.equal(link[0], '<http://a.test/page>; rel="original",')
      assert.equal(
        link[3],
        `<http://localhost:7070/web/20100101000000/${page}>; rel="memento"; datetime="Fri, 01 Jan 2010 00:00:00 GMT",`,
      )
    }
  })

  test('fl and fields choose, under either name, in the order given', async () => {
    const { lines } = await server()
    for (const query of ['fl=status,timestamp', 'fields=statuscode,timestamp'])
      assert.equal((await lines(wayback, `url=a.test/page&${query}`))[2], '404 20110101000000')
  })

  test('is compressed for who can read that, unless gzip=false', async () => {
    const { api } = await server()
    const headers = { 'accept-encoding': 'gzip, br' }
    const zipped = await api.ask(`${wayback}?url=a.test/page`, { headers })
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    const plain = await api.ask(`${wayback}?url=a.test/page&gzip=false`, { headers })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(gunzipSync(zipped.bytes).toString(), plain.text)
  })
})

describe('url and matchType', () => {
  const urls = ['http://www.a.test/page', 'http://www.a.test/page/below', 'http://www.a.test/pages.png']
  test.each([
    ['url=a.test/page', [urls[0]]],
    ['url=https://www.a.test:443/page%23x', [urls[0]]],
    ['url=a.test/pag', []],
    ['url=a.test/page&matchType=exact', [urls[0]]],
    ['url=a.test/page*', urls],
    ['url=a.test/page&matchType=prefix', urls],
    ['url=a.test/page/*', [urls[1]]],
    ['url=a.test&matchType=host', [...urls, 'http://a.test:8080/page']],
    ['url=*.a.test', [...urls, 'http://sub.a.test/page', 'http://a.test:8080/page']],
    ['url=a.test&matchType=domain', [...urls, 'http://sub.a.test/page', 'http://a.test:8080/page']],
    ['url=sub.a.test&matchType=domain', ['http://sub.a.test/page']],
    // A public suffix; site after site, in the order of the ring.
    ['url=*.test', [...urls, 'http://sub.a.test/page', 'http://a.test:8080/page', 'http://b.test/page']],
  ])('%s', async (query, expected) => {
    const { values } = await server()
    assert.deepEqual([...new Set(await values(query, 'original'))], expected)
  })
})

describe('from, to, limit, offset, sort', () => {
  test.each([
    ['from=2012', ['201201', '201206', '201301']],
    ['to=2011', ['201001', '201006', '201101']],
    ['from=20100601&to=20120101', ['201006', '201101', '201201']],
    ['limit=2', ['201001', '201006']],
    ['limit=-2', ['201206', '201301']],
    ['limit=-2&fastLatest=true', ['201206', '201301']],
    ['limit=-2&filter=statuscode:404', ['201101']],
    ['limit=-2&collapse=digest', ['201201', '201301']],
    ['offset=4', ['201206', '201301']],
    ['offset=1&limit=2', ['201006', '201101']],
    ['sort=reverse', ['201301', '201206', '201201', '201101', '201006', '201001']],
    ['sort=reverse&limit=1', ['201301']],
    ['sort=reverse&from=2011&to=2012', ['201206', '201201', '201101']],
    ['sort=closest&closest=20110102', ['201101', '201006', '201201', '201001', '201206', '201301']],
    ['closest=2012&limit=1', ['201206']],
    ['closest=2009&limit=2', ['201001', '201006']],
    ['closest=2020&limit=2&to=2012', ['201206', '201201']],
  ])('%s', async (query, expected) => {
    const { values } = await server()
    assert.deepEqual(years(await values(`url=a.test/page&${query}`)), expected)
  })

  test('limit=-N and sort=reverse over many URLs', async () => {
    const { values } = await server()
    const all = await values('url=a.test/page*', 'urlkey,timestamp')
    assert.deepEqual(await values('url=a.test/page*&limit=-3', 'urlkey,timestamp'), all.slice(-3))
    assert.deepEqual(
      await values('url=a.test/page*&sort=reverse&limit=3', 'urlkey,timestamp'),
      all.slice(-3).reverse(),
    )
  })
})

describe('filter', () => {
  test.each([
    // The Internet Archive's: regular expressions on the whole value.
    [wayback, 'filter=statuscode:404', 1],
    [wayback, 'filter=statuscode:4', 0],
    [wayback, 'filter=statuscode:4..', 1],
    [wayback, 'filter=!statuscode:404', 7],
    [wayback, 'filter=mimetype:image/.*', 1],
    [wayback, 'filter=!mimetype:image/.*&filter=statuscode:200', 6],
    [wayback, 'filter=original:.*(page|below)', 7],
    [wayback, 'filter==statuscode:404', 1],
    // pywb's: contained, equal, or a regular expression from the start.
    [pywb, 'filter=status:4', 1],
    [pywb, 'filter=!status:4', 7],
    [pywb, 'filter==status:4', 0],
    [pywb, 'filter==status:404', 1],
    [pywb, 'filter=!=status:404', 7],
    [pywb, 'filter=~mime:im', 1],
    [pywb, 'filter=~mime:.*png', 1],
    [pywb, 'filter=!~mime:image', 7],
    [pywb, 'filter=urlkey:below', 1],
  ])('%s %s', async (path, query, count) => {
    const { lines } = await server()
    assert.equal((await lines(path, `url=a.test/page*&${query}&fl=timestamp`)).length, count)
  })

  test('an expression made to take for ever takes no time', async () => {
    const url = `http://a.test/${'a'.repeat(5_000)}`
    const api = interfacesOf(await storeOf([{ url, at: '2020' }]))
    for (const expression of ['.*(a%2B)%2Bb', '(a|a)*b', '(.*.*)*x'])
      assert.equal((await api.ask(`${wayback}?url=a.test/*&filter=original:${expression}`)).text, '')
  })
})

describe('collapse', () => {
  test.each([
    ['collapse=digest', ['201001', '201101', '201201', '201301']],
    ['collapse=timestamp:4', ['201001', '201101', '201201', '201301']],
    ['collapse=timestamp:6', ['201001', '201006', '201101', '201201', '201206', '201301']],
    ['collapse=urlkey', ['201001']],
    ['collapse=statuscode&collapse=timestamp:3', ['201001', '201101', '201201']],
    ['collapseTime=4', ['201001', '201101', '201201', '201301']],
  ])('%s', async (query, expected) => {
    const { values } = await server()
    assert.deepEqual(years(await values(`url=a.test/page&${query}`)), expected)
  })

  test('showSkipCount and lastSkipTimestamp tell what was left out behind each line', async () => {
    const { values } = await server()
    const rows = await values('url=a.test/page&collapse=digest&showSkipCount=true&lastSkipTimestamp=true')
    assert.deepEqual(
      rows.map((row) =>
        row
          .split(' ')
          .slice(1)
          .map((value) => value.slice(0, 6)),
      ),
      [
        ['1', '201006'],
        ['0', '-'],
        ['1', '201206'],
        ['0', '-'],
      ],
    )
    const filtered = await values('url=a.test/page&filter=!statuscode:404&showSkipCount=true')
    assert.deepEqual(
      filtered.map((row) => row.split(' ')[1]),
      ['0', '1', '0', '0', '0'],
    )
  })

  test('showDupeCount tells how often the content was there before', async () => {
    const { values } = await server()
    const rows = await values('url=a.test/page&showDupeCount=true', 'timestamp')
    assert.deepEqual(
      rows.map((row) => row.split(' ')[1]),
      ['0', '1', '0', '2', '3', '0'],
    )
  })
})

test('contents are counted for each URL by itself', async () => {
  const urls = ['http://a.test/1', 'http://a.test/1', 'http://a.test/2', 'http://a.test/2']
  const store = await storeOf(urls.map((url, index) => ({ url, at: String(2010 + index), body: 'same' })))
  const { text } = await interfacesOf(store).ask(`${wayback}?url=a.test/*&fl=original&showDupeCount=true`)
  assert.deepEqual(text.trim().split('\n'), [
    'http://a.test/1 0',
    'http://a.test/1 1',
    'http://a.test/2 0',
    'http://a.test/2 1',
  ])
})

test('captures a moment apart are all there, in any order', async () => {
  const times = Array.from({ length: 250 }, (_, index) => `20200101000000${String(index).padStart(3, '0')}`)
  const store = await storeOf(times.map((at) => ({ url: 'http://a.test/', at, body: 'same' })))
  const lines = async (query: string) =>
    (await interfacesOf(store).ask(`${wayback}?url=a.test&fl=timestamp${query}`)).text.trim().split('\n')
  for (const query of ['', '&sort=reverse', '&closest=20200101', '&limit=-250'])
    assert.equal((await lines(query)).length, 250, query)
})

describe('resume keys', () => {
  /** Goes on until there is no key; gives the lines of each answer. */
  async function pages(query: string): Promise<string[][]> {
    const { ask } = await server()
    const found: string[][] = []
    let key = ''
    for (let round = 0; round < 20; round++) {
      const { text } = await ask(wayback, `${query}&showResumeKey=true&resumeKey=${key}`)
      const [rows, next] = text.split('\n\n')
      found.push(rows!.split('\n').filter((line) => line !== ''))
      if (next === undefined) return found
      key = next.trim()
    }
    throw new Error('it never ends')
  }

  test.each([
    '',
    '&collapse=digest',
    '&collapse=urlkey',
    '&filter=statuscode:200',
    '&showSkipCount=true&collapse=digest',
  ])('several answers have together what one has (%s)', async (more) => {
    const { lines } = await server()
    const query = `url=*.a.test${more}`
    for (const limit of [1, 2, 3, 100]) {
      const found = await pages(`${query}&limit=${limit}`)
      assert.deepEqual(found.flat(), await lines(wayback, query), `limit=${limit}`)
      assert.ok(found.every((rows) => rows.length <= limit))
    }
  })

  test('in JSON follows an empty row', async () => {
    const { ask } = await server()
    const rows = JSON.parse(
      (await ask(wayback, 'url=a.test/page&output=json&limit=1&showResumeKey=true')).text,
    )
    assert.equal(rows.length, 4)
    assert.deepEqual(rows[2], [])
    assert.match(rows[3][0], /^[\w-]{40,}$/)
    const whole = JSON.parse((await ask(wayback, 'url=a.test/page&output=json&showResumeKey=true')).text)
    assert.equal(whole.length, 7)
  })
})

describe('pages', () => {
  test('showNumPages counts, page gives one of them, pageSize says how large', async () => {
    const { ask, lines, values } = await server()
    assert.equal((await ask(wayback, 'url=a.test/page&showNumPages=true')).text, '1\n')
    assert.deepEqual(JSON.parse((await ask(pywb, 'url=a.test/page&showNumPages=true')).text), {
      pages: 1,
      pageSize: 5,
      blocks: 1,
    })
    assert.equal((await ask(wayback, 'url=c.test&showNumPages=true')).text, '0\n')
    assert.equal((await values('url=a.test/page&page=0&pageSize=1')).length, 6)
    assert.deepEqual(await lines(wayback, 'url=c.test&page=0'), [])
    const beyond = await ask(wayback, 'url=a.test/page&page=1')
    assert.equal(beyond.status, 400)
    assert.match(beyond.text, /There is no page 1: the last one is page 0/)
  })

  test('showPagedIndex gives the first line of each block', async () => {
    const { lines } = await server()
    assert.deepEqual(await lines(wayback, 'url=a.test/page&showPagedIndex=true'), [
      'test,a)/page 20100101000000\tarchive\t0\t6\t0',
    ])
    const [line] = await lines(pywb, 'url=a.test/page&showPagedIndex=true')
    assert.equal(JSON.parse(line!).urlkey, 'test,a)/page 20100101000000')
  })
})

describe('a result of any size', () => {
  const capture = (number: number): ArchivedCapture => ({
    url: `http://a.test/${number}`,
    surt: `test,a)/${number}`,
    capturedAtMs: number,
    status: 200,
    mime: 'text/html',
    kind: 'full',
    content: undefined,
    payloadBytes: 1,
    storedBytes: 1,
    recordId: '',
    cursor: String(number).padStart(40, '0'),
  })

  /** As many captures as one likes, made when they are asked for. */
  function endless(count: number) {
    let made = 0
    const archive: CaptureIndex = {
      *scan(_selection, { after, fromMs, toMs, limit = Number.POSITIVE_INFINITY } = {}) {
        // One look at the index is short, whatever is looked for.
        assert.ok(limit <= 2_000 && fromMs === undefined && toMs === undefined)
        const start = after === undefined ? 0 : Number(after) + 1
        for (let number = start; number < Math.min(count, start + limit); number++) {
          made++
          yield capture(number)
        }
      },
      versions: () => [],
      nearest: () => undefined,
      isTakenDown: () => false,
    }
    const needs = { archive, clock: new RealClock(), links: new MementoLinks('http://localhost:7070') }
    return { api: new TestApi(new CdxServer(needs).routes()), made: () => made }
  }

  test('is read from the index only as fast as it is read from us', async () => {
    const { api, made } = endless(1_000_000)
    const { body } = await api.api.answer(testRequest(`${wayback}?url=a.test/*`))
    const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    for (let reads = 0; reads < 3; reads++) {
      const { value } = await chunks.next()
      assert.ok(value!.length < 400_000)
    }
    assert.ok(made() < 10_000, String(made()))
    await chunks.return?.()
    assert.ok(made() < 10_000)
  })

  test('comes whole, and is counted, paged and cut without being kept', async () => {
    const { api } = endless(100_000)
    const { text } = await api.ask(`${wayback}?url=a.test/*&fl=original`)
    assert.equal(text.split('\n').length, 100_001)
    assert.equal((await api.ask(`${wayback}?url=a.test/*&showNumPages=true`)).text, '7\n')
    const page = await api.ask(`${wayback}?url=a.test/*&page=6&fl=original`)
    assert.equal(page.text.split('\n')[0], 'http://a.test/90000')
    assert.equal(page.text.trim().split('\n').length, 10_000)
    const index = await api.ask(`${wayback}?url=a.test/*&showPagedIndex=true`)
    assert.equal(index.text.trim().split('\n').length, 34)
    const last = await api.ask(`${wayback}?url=a.test/*&limit=-3&fl=original`)
    assert.equal((await api.ask(`${wayback}?url=a.test/*&from=2030`)).text, '')
    assert.equal(last.text, 'http://a.test/99997\nhttp://a.test/99998\nhttp://a.test/99999\n')
  })
})

describe('a mistake is a 400 that says what to write instead', () => {
  // pywb has words of its own for these, or an answer.
  test.each([
    ['', 'Say what to look for'],
    ['url=', 'Say what to look for'],
    ['url=a.test&matchType=fuzzy', 'one of exact, prefix, host, domain'],
    ['url=a.test*&closest=2020', 'about one URL'],
    ['url=a.test*&sort=reverse', 'needs a limit'],
    ['url=a.test&filter=statuscode', 'must look like statuscode:200'],
    ['url=a.test&output=xml', 'one of json, cdxj, link, text'],
  ])('%s', async (query, sentence) => {
    const { ask } = await server()
    const answer = await ask(wayback, query)
    assert.equal(answer.status, 400, answer.text)
    assert.ok(answer.text.includes(sentence), answer.text)
  })

  test.each([
    ['url=ftp://a.test/', 'only http and https'],
    ['url=a b', 'no URL'],
    ['url=a.test&from=x', '1 to 14 digits'],
    ['url=a.test&to=20201332', 'no such date'],
    ['url=a.test&from=2020&to=2010', 'earlier time first'],
    ['url=a.test&limit=0', 'other than 0'],
    ['url=a.test&limit=many', 'a whole number'],
    ['url=a.test&limit=-100000', 'at most 10000'],
    ['url=a.test&offset=-1', 'from 0 on'],
    ['url=a.test&sort=up', 'reverse or closest'],
    ['url=a.test&sort=closest', 'closest=20200131'],
    ['url=a.test&filter=colour:red', 'is no field'],
    ['url=a.test&filter=~original:(', 'cannot be used as a regular expression'],
    ['url=a.test&filter=~original:a)(b', 'cannot be used as a regular expression'],
    ['url=a.test&filter=~original:(?=a)', 'look-around'],
    ['url=a.test&collapse=timestamp:x', 'FIELD:N'],
    ['url=a.test&fl=colour', 'is no field'],
    ['url=a.test&page=-1', 'from 0 on'],
    ['url=a.test&page=0&limit=-5', 'Pages go forward'],
    ['url=a.test&pageSize=5000', 'at most 1000'],
    ['url=a.test&resumeKey=x', 'an earlier answer'],
    ['url=a.test&sort=reverse&showResumeKey=true', 'goes on forward'],
    ['url=a.test&showDupeCount=maybe', 'true or false'],
  ])('%s', async (query, sentence) => {
    const { ask } = await server()
    for (const path of [wayback, pywb]) {
      const answer = await ask(path, query)
      assert.equal(answer.status, 400, answer.text)
      assert.ok(answer.text.includes(sentence), answer.text)
    }
  })

  test('what was taken down is a 451 by name, and not to be seen otherwise', async () => {
    const store = await storeOf(captures)
    await store.takedown({ kind: 'url', url: page })
    const api = interfacesOf(store)
    assert.equal((await api.ask(`${wayback}?url=a.test/page`)).status, 451)
    const { text } = await api.ask(`${wayback}?url=a.test/page*&fl=original`)
    assert.deepEqual(text.trim().split('\n'), ['http://www.a.test/page/below', 'http://www.a.test/pages.png'])
  })
})

testProperties(properties, 200)
