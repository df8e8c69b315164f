// pywb's dialect, case by case as pywb's own tests of its CDX server ask it (tests/test_cdx_server_app.py), on captures of ours.
// What those ask of `offset` and `filename` is left out: records have no lasting place here.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { digestOf, printDigest } from '../../model/digest.ts'
import { foreignRecord, sourceOf } from '../../store/fixtures/archive-source.ts'
import type { Store } from '../../store/store.ts'
import { interfacesOf, sharedStoreOf } from '../fixtures/test-archive.ts'

const css = 'http://www.a.test/style/screen.css'
const text = 'body { color: black }'

const store = sharedStoreOf([
  { url: 'http://www.a.test/', at: '20140126200624', body: 'home' },
  { url: 'http://www.a.test/', at: '20140127171238', body: 'home' },
  { url: 'http://www.a.test/', at: '20140128', body: 'home, new' },
  { url: 'http://www.a.test/about', at: '2015', body: 'about', status: 404 },
  { url: css, at: '20140126200625', body: text, type: 'text/css' },
  { url: css, at: '20140126201054', body: text, type: 'text/css' },
])

/** Another crawler found the style sheet unchanged, and wrote so. */
async function withRevisit(): Promise<Store> {
  const revisit = foreignRecord(
    'revisit',
    {
      'WARC-Record-ID': '<urn:uuid:00000000-0000-4000-8000-000000000001>',
      'WARC-Date': '2014-01-27T17:12:39Z',
      'WARC-Target-URI': css,
      'Content-Type': 'application/http; msgtype=response',
      'WARC-Profile': 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest',
      'WARC-Payload-Digest': printDigest(digestOf('sha256', text)),
    },
    'HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n',
  )
  await store().import(sourceOf(revisit))
  return store()
}

async function query(url: string, more: Readonly<Record<string, string | readonly string[]>> = {}) {
  const parameters = new URLSearchParams({ url })
  for (const [name, value] of Object.entries(more)) {
    for (const one of [value].flat()) parameters.append(name, one as string)
  }
  const answer = await interfacesOf(await withRevisit()).ask(`/pywb/cdx?${parameters}`)
  return {
    status: answer.status,
    type: answer.headers['content-type']?.split(';')[0],
    text: answer.text,
    lines: answer.text.split('\n').filter((line) => line !== ''),
  }
}

/** A CDXJ line as pywb's CDXObject reads it. */
function read(line: string): Record<string, string> {
  const [urlkey, timestamp, ...rest] = line.split(' ')
  return { urlkey: urlkey!, timestamp: timestamp!, ...JSON.parse(rest.join(' ')) }
}

describe('output', () => {
  test('of an exact URL is CDXJ', async () => {
    const { status, type, lines } = await query('http://www.a.test/')
    assert.deepEqual([status, type, lines.length], [200, 'text/x-cdxj', 3])
    assert.equal(read(lines[0]!).url, 'http://www.a.test/')
  })

  test('json is an object a line', async () => {
    const { type, lines } = await query('http://www.a.test/', { output: 'json' })
    assert.deepEqual([type, lines.map((line) => JSON.parse(line)).length], ['text/x-ndjson', 3])
  })

  test('text has the eleven columns of a CDX file', async () => {
    const { type, text, lines } = await query('http://www.a.test/', { output: 'text' })
    assert.equal(type, 'text/plain')
    assert.ok(!text.includes('{'))
    assert.equal(lines.length, 3)
    assert.match(lines[0]!, /^test,a\)\/ 20140126200624 http:\S+ text\/html 200 sha256:\w+ - - \d+ - -$/)
    const resolved = await query('http://www.a.test/', { output: 'text', resolveRevisits: 'true' })
    assert.equal(resolved.lines[0]!.split(' ').length, 14)
  })

  test('with chosen fields is CDXJ all the same, unless told', async () => {
    for (const name of ['fields', 'fl']) {
      const { lines } = await query(css, { [name]: 'urlkey,timestamp,status' })
      assert.deepEqual(Object.keys(read(lines[0]!)), ['urlkey', 'timestamp', 'status'])
      const json = await query(css, { [name]: 'urlkey,timestamp,status', output: 'json' })
      for (const line of json.lines) {
        const { urlkey, timestamp, status, ...more } = JSON.parse(line)
        assert.deepEqual([urlkey, status, more], ['test,a)/style/screen.css', '200', {}])
        assert.match(timestamp, /^\d{14}$/)
      }
      const plain = await query(css, { [name]: 'timestamp,status', output: 'text' })
      assert.equal(plain.lines[0], '20140126200625 200')
    }
  })
})

test('matchType=prefix', async () => {
  const { status, lines } = await query('http://www.a.test/', { matchType: 'prefix' })
  assert.equal(status, 200)
  assert.ok(lines.some((line) => line.startsWith('test,a)/style')))
})

describe('filter', () => {
  test('tells what came as a revisit from what only we keep once', async () => {
    const revisits = await query(css, { filter: 'mime:warc/revisit' })
    assert.deepEqual(
      revisits.lines.map((line) => read(line).timestamp),
      ['20140127171239'],
    )
    const others = await query(css, { filter: '!mime:warc/revisit', allowFuzzy: 'false' })
    assert.deepEqual(
      others.lines.map((line) => [read(line).timestamp, read(line).mime]),
      [
        ['20140126200625', 'text/css'],
        ['20140126201054', 'text/css'],
      ],
    )
    assert.deepEqual((await query(css, { filter: ['!mime:warc/revisit', 'mime:warc/revisit'] })).lines, [])
  })

  test.each([
    ['warc/revisit', 1],
    ['!warc/revisit', 6],
    ['~test,a./style', 3],
    ['!~test,a./style', 4],
    ['=nothing is the whole line', 0],
    ['/about', 1],
    ['m:text/css', 2],
    ['k:style', 3],
    ['t:2015', 1],
  ])('%s, without a field or by a short name', async (filter, count) => {
    const { status, lines, text } = await query('http://www.a.test/', { matchType: 'prefix', filter })
    assert.deepEqual([status, lines.length], [200, count], text)
  })
})

describe('order', () => {
  const timestamps = async (url: string, more: Record<string, string>) =>
    (await query(url, more)).lines.map((line) => read(line).timestamp!)

  test('limit and reverse', async () => {
    const [first] = (await query(css, { limit: '1' })).lines
    assert.deepEqual([read(first!).timestamp, read(first!).mime], ['20140126200625', 'text/css'])
    for (const [name, value] of [
      ['reverse', '1'],
      ['reverse', 'true'],
      ['sort', 'reverse'],
    ] as const) {
      const { type, lines } = await query(css, { limit: '1', [name]: value })
      assert.deepEqual([type, lines.length], ['text/x-cdxj', 1])
      assert.deepEqual([read(lines[0]!).timestamp, read(lines[0]!).mime], ['20140127171239', 'warc/revisit'])
    }
  })

  test('collapseTime goes forward, then it is turned round', async () => {
    const more = { collapseTime: '8', resolveRevisits: 'true', reverse: 'true' }
    assert.deepEqual(await timestamps(css, more), ['20140127171239', '20140126200625'])
  })

  test('reverse and closest of many URLs, without a limit or with one', async () => {
    const all = await timestamps('a.test/*', {})
    assert.deepEqual(await timestamps('a.test/*', { sort: 'reverse' }), all.toReversed())
    assert.deepEqual(
      await timestamps('a.test/*', { reverse: 'true', limit: '2' }),
      all.toReversed().slice(0, 2),
    )
    assert.deepEqual(await timestamps('a.test/*', { closest: '20140127171240', limit: '3' }), [
      '20140127171239',
      '20140127171238',
      '20140128000000',
    ])
    const near = await timestamps('a.test/*', { closest: '20140127171240', reverse: 'true' })
    assert.deepEqual([near.length, near[0]], [7, '20140127171239'])
    assert.deepEqual(await timestamps('a.test/*', { closest: '2015', limit: '1' }), ['20150101000000'])
  })
})

test('resolveRevisits tells what is repeated, and - of all others', async () => {
  const { type, lines } = await query(css, { resolveRevisits: 'true' })
  assert.equal(type, 'text/x-cdxj')
  const [original, same, revisit] = lines.map(read)
  assert.deepEqual([original!['orig.length'], same!['orig.length']], ['-', '-'])
  assert.deepEqual([revisit!['orig.length'], revisit!.mime], [original!.length, 'text/css'])
})

describe('a mistake is a 400, and a message in JSON', () => {
  test.each([
    [{ fields: 'urlkey,timestamp,status', output: 'foo' }, 'output=foo not supported'],
    [{ fields: 'urlkey,timestamp,status', matchType: 'foo' }, 'Invalid match_type: foo'],
    [{ url: '' }, 'The "url" param is required'],
  ])('%o', async (more, message) => {
    const api = interfacesOf(store())
    const answer = await api.ask(`/pywb/cdx?${new URLSearchParams({ url: css, ...more })}`)
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [400, { message }])
    assert.match(answer.headers['content-type']!, /^application\/json/)
  })

  test('also for a field that there is not', async () => {
    for (const output of ['', 'json']) {
      const { status, text } = await query(css, { fields: 'urlkey,nosuchfield', output })
      assert.equal(status, 400)
      assert.match(JSON.parse(text).message, /nosuchfield/)
    }
  })
})
