import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { FieldList } from '../../formats/http/field-list.ts'
import { encodeGzipMember } from '../../formats/warc/compression/gzip-member.ts'
import { printHead } from '../../formats/warc/record-head.ts'
import { digestHex, digestOf, printDigest } from '../../model/digest.ts'
import { checkCopies, type PlainCopy, plainCopiesIn } from './copy-check.ts'

interface Sample {
  type?: string
  block?: string
  /** Of the payload, when it is not just what follows the head. */
  payload?: string
  more?: Record<string, string>
}

const head = 'HTTP/1.1 404 Not Found\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\n'

/** As it stands in a volume, not compressed. */
function record({ type = 'response', block = `${head}a body`, payload, more = {} }: Sample): Buffer {
  const body = payload ?? block.slice(block.indexOf('\r\n\r\n') + 4)
  const values = {
    'WARC-Type': type,
    'WARC-Record-ID': '<urn:uuid:01234567-89ab-7def-8123-456789abcdef>',
    'WARC-Date': '2024-02-29T23:59:59.123Z',
    'WARC-Target-URI': 'http://Example.test/a?b=1',
    'Content-Type':
      type === 'request' || type === 'response' ? `application/http; msgtype=${type}` : 'image/png',
    'WARC-Block-Digest': printDigest(digestOf('sha256', block)),
    'WARC-Payload-Digest': printDigest(digestOf('sha256', body)),
    ...more,
  }
  const length = Buffer.byteLength(block)
  return Buffer.from(`${printHead('1.1', new FieldList(Object.entries(values)), length)}${block}\r\n\r\n`)
}

function check(...copies: Uint8Array[]): (PlainCopy | undefined)[] {
  const lengths = copies.map(({ length }) => length)
  return plainCopiesIn(checkCopies({ bytes: Buffer.concat(copies), lengths }))
}

/** What does not depend on how it is compressed. */
function saidOf(found: PlainCopy | undefined): unknown {
  return found && { ...found, mainBytes: undefined, checksum: undefined }
}

const request = record({ type: 'request', block: 'GET /a HTTP/1.1\r\n\r\n' })

const samples: Record<string, Buffer[]> = {
  'a page': [record({})],
  'a page with its request': [record({}), request],
  'a page of nothing': [record({ block: head })],
  'a page in chunks': [
    record({
      block: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\na body\r\n0\r\n\r\n',
      payload: 'a body',
    }),
  ],
  'an answer without status or type': [record({ block: 'HTTP/1.1 OK\r\n\r\na body' })],
  'an answer without a head': [record({ block: 'a body', payload: 'a body' })],
  'a picture without HTTP': [record({ type: 'resource', block: 'a body', payload: 'a body' })],
  'a digest in another spelling': [
    record({ more: { 'WARC-Payload-Digest': `SHA-256:${digestHex(digestOf('sha256', 'a body'))}` } }),
  ],
  'a part of a record': [record({ more: { 'WARC-Segment-Number': '1' } })],
  'a revisit': [record({ type: 'revisit' })],
  'another payload than is told': [record({ payload: 'another body' })],
  'no digest': [record({ more: { 'WARC-Payload-Digest': '' } })],
  'a digest that we do not know payloads by': [
    record({ more: { 'WARC-Payload-Digest': printDigest(digestOf('sha1', 'a body')) } }),
  ],
  'a URL that is none': [record({ more: { 'WARC-Target-URI': 'here and there' } })],
  'a date that is none': [record({ more: { 'WARC-Date': 'yesterday' } })],
  'a request alone': [request],
  'two captures': [record({}), record({})],
}
const whole = [
  'a page',
  'a page with its request',
  'a page of nothing',
  'a page in chunks',
  'an answer without status or type',
  'an answer without a head',
  'a picture without HTTP',
  'a digest in another spelling',
]

describe('looking into copies', () => {
  test.each(Object.keys(samples))('%s is found in gzip as it is without', (name) => {
    const records = samples[name]!
    const [plain] = check(Buffer.concat(records))
    const [found] = check(Buffer.concat(records.map((bytes) => encodeGzipMember(bytes))))
    assert.deepEqual(saidOf(found), saidOf(plain))
    assert.equal(found !== undefined, whole.includes(name))
  })

  test('a page comes out as it is told', () => {
    const compressed = encodeGzipMember(record({}))
    const [found] = check(Buffer.concat([compressed, encodeGzipMember(request)]))
    const { capture, facts, mainBytes } = found!
    assert.equal(mainBytes, compressed.length)
    assert.equal(capture.url.href, 'http://example.test/a?b=1')
    assert.equal(capture.capturedAtMs, Date.UTC(2024, 1, 29, 23, 59, 59, 123))
    assert.equal(capture.recordId, '01234567-89ab-7def-8123-456789abcdef')
    assert.deepEqual([facts.status, facts.mime, facts.payloadBytes], [404, 'text/html', 6])
    assert.deepEqual(Buffer.compare(facts.payloadDigest.bytes, digestOf('sha256', 'a body').bytes), 0)
  })

  test('whatever byte is wrong, it is found out, and its neighbours are not', () => {
    const good = encodeGzipMember(record({ block: `${head}${'a body '.repeat(40)}` }))
    // Name, time and system in the header of gzip say nothing of what is in it.
    for (let at = 10; at < good.length; at++) {
      const bad = Buffer.from(good)
      bad[at]! ^= 1
      const [before, spoilt, after] = check(good, bad, good)
      assert(before !== undefined && after !== undefined)
      assert.equal(spoilt, undefined, `byte ${at}`)
    }
  })
})
