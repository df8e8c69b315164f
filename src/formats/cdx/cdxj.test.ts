import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './cdxj.fuzz.ts'
import { compareLines, type IndexLine, lineCharsMax, printCdxjLine } from './cdxj.ts'
import { parsedCdxjLine } from './fixtures/parsed-line.ts'

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
    assert.deepEqual(parsedCdxjLine(asPywb), capture)
  })

  test('has further fields behind ours', () => {
    const line =
      'com,example)/ 20240229235958123 {"url": "http://example.com/", "requestBody": "a=1", "__proto__": {"x": 1}}'
    const parsed = parsedCdxjLine(line)
    assert.deepEqual(Object.keys(parsed.more!), ['requestBody', '__proto__'])
    assert.equal(printCdxjLine(parsed), line.replace('{"x": 1}', '{"x":1}'))
  })

  test('that is too long is refused', () => {
    const url = `http://example.com/${'a'.repeat(lineCharsMax)}`
    assert.throws(() => printCdxjLine({ ...capture, url }), { code: 'index-line-too-long' })
  })

  test.each([
    { ...capture, surt: 'a b' },
    { ...capture, surt: '' },
    { ...capture, surt: 'a\nb' },
    { ...capture, timestamp: '2024' },
    { ...capture, timestamp: '20230229000000' },
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
