import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { cut } from '../warc/fixtures/sample-records.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import {
  HttpSplitter,
  isChunked,
  parseHttpHead,
  parseRequestLine,
  parseStatusLine,
  printHttpHead,
} from './http-message.ts'

const head = (text: string) => parseHttpHead(Buffer.from(text, 'latin1'))

describe('heads', () => {
  test('are read as servers send them', () => {
    const parsed = head(
      'HTTP/1.1 200 OK\r\nA: 1\r\na : 2 \r\nFolded: x\r\n y\r\nno header\r\n: nameless\r\nEmpty:\r\n\r\nbody',
    )!
    assert.deepEqual(
      [...parsed.headers],
      [
        ['A', '1'],
        ['a', '2'],
        ['Folded', 'x y'],
        ['Empty', ''],
      ],
    )
    assert.deepEqual(parsed.headers.getAll('A'), ['1', '2'])
    assert.equal(parsed.startLine, 'HTTP/1.1 200 OK')
    assert.equal(head('HTTP/1.0 404 Not Found\nA: 1\n\nbody')!.headers.get('a'), '1')
    assert.equal(head('HTTP/1.0 404 Not Found\nA: 1\n\nbody')!.length, 29)
  })

  test('keep bytes outside ASCII', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nX: \xe9\xff\r\n\r\n', 'latin1')
    const parsed = parseHttpHead(bytes)!
    assert.deepEqual(printHttpHead(parsed.startLine, parsed.headers), bytes)
  })

  test('may lack their end, or be absent', () => {
    assert.equal(head('HTTP/1.1 200 OK\r\nA: 1')!.headers.get('A'), '1')
    assert.equal(head('<html>\r\n\r\n'), undefined)
    assert.equal(head('GET me\r\n\r\n'), undefined)
    assert.equal(head(''), undefined)
    assert.equal(head(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(300_000)}`), undefined)
  })

  test('first lines', () => {
    assert.deepEqual(parseStatusLine('HTTP/1.1 200 OK'), { protocol: 'HTTP/1.1', status: 200, reason: 'OK' })
    assert.deepEqual(parseStatusLine('HTTP/2 204'), { protocol: 'HTTP/2', status: 204, reason: '' })
    assert.equal(parseStatusLine('HTTP/1.1 OK'), undefined)
    assert.deepEqual(parseRequestLine('GET /a?b HTTP/1.1'), {
      method: 'GET',
      target: '/a?b',
      protocol: 'HTTP/1.1',
    })
    assert.equal(parseRequestLine('nonsense'), undefined)
  })

  test('that would smuggle in a line are not written', () => {
    for (const [line, name, value] of [
      ['HTTP/1.1 200 OK\r\nX: y', 'A', 'b'],
      ['HTTP/1.1 200 OK', 'A', 'b\r\nX: y'],
      ['HTTP/1.1 200 OK', 'A\r\nX', 'b'],
      ['HTTP/1.1 200 OK', 'A', '☃'],
    ] as const) {
      assert.throws(() => printHttpHead(line, [[name, value]]), { code: 'http-bad-head' })
    }
  })

  test('are parted from bodies wherever the bytes are cut', () => {
    const texts = [
      'HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody\r\n\r\nmore',
      'no head\r\n\r\nat all',
      'HTTP/1.1 200 OK',
      '',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const bytes = Buffer.from(text)
        const splitter = new HttpSplitter()
        const parts = cut(bytes, cuts).map((chunk) => Buffer.from(splitter.push(chunk)))
        const body = Buffer.concat([...parts, splitter.end()])
        assert.deepEqual(splitter.head?.startLine, parseHttpHead(bytes)?.startLine)
        assert.deepEqual(body, bytes.subarray(parseHttpHead(bytes)?.length ?? 0))
      }),
      { seed: 1 },
    )
  })
})

describe('chunked', () => {
  const decode = (text: string) => {
    const decoder = new ChunkedDecoder()
    const parts = [...decoder.push(Buffer.from(text)), ...decoder.end()]
    return { text: Buffer.concat(parts).toString(), malformed: decoder.malformed }
  }

  test('is said by the last transfer-coding', () => {
    const coded = (...values: string[]) =>
      isChunked(
        head(`HTTP/1.1 200 OK\r\n${values.map((value) => `Transfer-Encoding: ${value}\r\n`).join('')}\r\n`)!,
      )
    assert(coded('chunked'))
    assert(coded('Chunked'))
    assert(coded('gzip, chunked'))
    assert(coded('gzip', 'chunked'))
    assert(!coded('identity'))
    assert(!coded('chunked, gzip'))
    assert(!coded())
  })

  test('is undone, extensions and trailers too', () => {
    assert.deepEqual(decode('4\r\nWiki\r\n5;a="b"\r\npedia\r\n0\r\nX: y\r\n\r\n'), {
      text: 'Wikipedia',
      malformed: false,
    })
    assert.deepEqual(decode('0\r\n\r\n'), { text: '', malformed: false })
    assert.deepEqual(decode(''), { text: '', malformed: false })
    assert.deepEqual(decode('A \nabcdefghij\n0\n\n'), { text: 'abcdefghij', malformed: false })
  })

  test('that is not there passes unchanged', () => {
    for (const text of [
      '<html>',
      'add\r\nsome text that is no chunk',
      '5\r\nhel',
      '5\r\nhelloX',
      'x'.repeat(5000),
    ]) {
      assert.deepEqual(decode(text), { text, malformed: true })
    }
  })

  test('that breaks off or goes wrong later gives what it can', () => {
    assert.deepEqual(decode('4\r\nWiki\r\n5\r\nped'), { text: 'Wikiped', malformed: true })
    assert.deepEqual(decode('4\r\nWiki\r\nzz\r\nrest'), { text: 'Wikizz\r\nrest', malformed: true })
    assert.deepEqual(decode('4\r\nWiki\r\n4\r\npediaXY'), { text: 'WikipediaXY', malformed: true })
    assert.deepEqual(decode('4\r\nWiki\r\n'), { text: 'Wiki', malformed: true })
  })
})
