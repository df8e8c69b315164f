import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './cdxj.fuzz.ts'
import { parseCdxjLine, printCdxjLine } from './cdxj.ts'
import { compareLines, type IndexLine, lineCharsMax } from './index-line.ts'

const digest = 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
const capture: IndexLine = {
  surt: 'com,example)/a?b=1',
  timestamp: '20240229235958',
  url: 'http://www.example.com/a?b=1',
  mime: 'text/html',
  status: 200,
  digest,
  length: 1043,
  offset: 333,
  filename: 'a.warc.gz',
}

describe('a CDXJ line', () => {
  const asPywb = `com,example)/a?b=1 20240229235958 {"url": "http://www.example.com/a?b=1", "mime": "text/html", "status": "200", "digest": "${digest}", "length": "1043", "offset": "333", "filename": "a.warc.gz"}`

  test('is written as pywb writes it', () => {
    assert.equal(printCdxjLine(capture), asPywb)
    assert.deepEqual(parseCdxjLine(asPywb), capture)
  })

  test('is read with numbers and without spaces too', () => {
    const line = `com,example)/a?b=1 20240229235958 {"url":"http://www.example.com/a?b=1","mime":"text/html","status":200,"digest":"${digest}","length":1043,"offset":333,"filename":"a.warc.gz"}`
    assert.deepEqual(parseCdxjLine(line), capture)
    assert.match(printCdxjLine(capture, { numbers: true }), /"status": 200, .*"length": 1043, "offset": 333/)
  })

  test('may have 17 digits, an end of line, and a revisit without a status', () => {
    const line =
      'com,example)/ 20240229235958123 {"url": "http://example.com/", "mime": "warc/revisit", "status": "-"}\r\n'
    assert.deepEqual(parseCdxjLine(line), {
      surt: 'com,example)/',
      timestamp: '20240229235958123',
      url: 'http://example.com/',
      mime: 'warc/revisit',
    })
  })

  test('keeps the fields that we do not know', () => {
    const line =
      'com,example)/ 20240229235958 {"url": "http://example.com/", "requestBody": "a=1", "__proto__": {"x":1}}'
    const parsed = parseCdxjLine(line)
    assert.deepEqual(Object.keys(parsed.more!), ['requestBody', '__proto__'])
    assert.equal(printCdxjLine(parsed), line)
    assert.equal(({} as { x?: number }).x, undefined)
  })

  const refused: readonly (readonly [line: string, why: RegExp])[] = [
    ['', /a key, a timestamp and JSON/],
    ['com,example)/', /a key, a timestamp and JSON/],
    ['com,example)/ 20240229235958', /a key, a timestamp and JSON/],
    [' 20240229235958 {"url": "x"}', /its key is empty/],
    ['com,example)/ 2024 {"url": "x"}', /14 or 17 digits/],
    ['com,example)/ 20230229000000 {"url": "x"}', /no such date/],
    ['com,example)/ 20240229235958 {"url": "x"', /JSON cannot be read/],
    ['com,example)/ 20240229235958 ["x"]', /JSON must be an object/],
    ['com,example)/ 20240229235958 null', /JSON must be an object/],
    ['com,example)/ 20240229235958 {}', /it has no url/],
    ['com,example)/ 20240229235958 {"url": ["x"]}', /its url must be a string/],
    ['com,example)/ 20240229235958 {"url": "x", "status": "2x"}', /its status must be a whole number/],
    ['com,example)/ 20240229235958 {"url": "x", "offset": -1}', /its offset must be a whole number/],
    ['com,example)/ 20240229235958 {"url": "x", "length": 1.5}', /its length must be a whole number/],
    [
      'com,example)/ 20240229235958 {"url": "x", "length": "9999999999999999"}',
      /its length must be a whole number/,
    ],
  ]
  test.each(refused)('%j is refused: %s', (line, why) => {
    assert.throws(() => parseCdxjLine(line), {
      name: 'IndexLineError',
      code: 'index-line-malformed',
      message: why,
    })
  })

  test('that is too long is refused, read or written', () => {
    const url = `http://example.com/${'a'.repeat(lineCharsMax)}`
    assert.throws(() => printCdxjLine({ ...capture, url }), { code: 'index-line-too-long' })
    assert.throws(() => parseCdxjLine(`com,example)/ 20240229235958 {"url": "${url}"}`), {
      code: 'index-line-too-long',
    })
  })

  test.each([
    { ...capture, surt: 'a b' },
    { ...capture, surt: '' },
    { ...capture, surt: 'a\nb' },
    { ...capture, timestamp: '2024' },
  ])('is not written from a bad record', (line) => {
    assert.throws(() => printCdxjLine(line), { code: 'index-line-malformed' })
  })
})

test('lines sort as LC_ALL=C sort does', () => {
  const lines = [
    'com,example)/a',
    'com,example)/',
    'com,example,b)/',
    'com,example:8080)/',
    'com,example)/\u{1f600}',
    'com,example)/\ufffd',
  ]
  assert.deepEqual(lines.toSorted(compareLines), [
    'com,example)/',
    'com,example)/a',
    'com,example)/\ufffd',
    'com,example)/\u{1f600}',
    'com,example,b)/',
    'com,example:8080)/',
  ])
})

describe('whatever the text', () => {
  testProperties(properties, 500)
})
