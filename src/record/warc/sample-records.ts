// Records for tests: one of every type, and arbitrary ones for fast-check.

import fc from 'fast-check'
import { digestOf } from '../digest.ts'
import { FieldList } from '../field-list.ts'
import { printHttpHead } from '../http-message.ts'
import { type Compression, gzip, uncompressed, zstd } from './compression.ts'
import type { WarcRecord } from './record.ts'
import {
  continuation,
  conversion,
  metadata,
  request,
  resource,
  response,
  revisit,
  warcinfo,
} from './record-builder.ts'

export const compressions: readonly Compression[] = [
  uncompressed,
  gzip,
  { kind: 'gzip', level: 1 },
  zstd,
  {
    kind: 'zstd',
    dictionary: Buffer.from('WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:'.repeat(4)),
  },
]

export const date = '2024-05-06T07:08:09.123Z'
export const targetUri = 'http://example.test/page?q=1'

export function id(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function httpResponse(body: Uint8Array | string, headers: [string, string][] = []): Buffer {
  const head = printHttpHead('HTTP/1.1 200 OK', [['Content-Type', 'text/html; charset=utf-8'], ...headers])
  return Buffer.concat([head, Buffer.from(body)])
}

const requestBlock = Buffer.from('GET /page?q=1 HTTP/1.1\r\nHost: example.test\r\n\r\n')
const context = { date, targetUri, warcinfoId: id(1) }

/** One record of every type, in the order of a file. */
export function sampleRecords(): WarcRecord[] {
  const body = '<!doctype html><title>Sample</title><p>Grüße</p>'
  const payloadDigest = digestOf('sha256', body)
  const refersTo = { id: id(2), targetUri, date }
  return [
    warcinfo({
      id: id(1),
      date,
      filename: 'sample.warc',
      fields: [
        ['software', 'polyhistor'],
        ['format', 'WARC 1.1'],
      ],
    }),
    response({
      ...context,
      id: id(2),
      block: httpResponse(body),
      ipAddress: '192.0.2.1',
      protocols: ['http/1.1'],
    }),
    request({ ...context, id: id(3), block: requestBlock, concurrentTo: [id(2)] }),
    metadata({ ...context, id: id(4), concurrentTo: [id(2)], fields: [['fetchTimeMs', '12']] }),
    resource({ ...context, id: id(5), block: Buffer.from('plain'), contentType: 'text/plain' }),
    revisit({
      ...context,
      id: id(6),
      kind: 'identical-payload-digest',
      payloadDigest,
      refersTo,
      block: httpResponse(''),
      truncated: 'length',
    }),
    revisit({
      ...context,
      id: id(7),
      kind: 'server-not-modified',
      refersTo,
      block: Buffer.from('HTTP/1.1 304 Not Modified\r\n\r\n'),
    }),
    conversion({
      ...context,
      id: id(8),
      block: Buffer.from('# Sample'),
      contentType: 'text/markdown',
      refersToId: id(2),
    }),
    continuation({
      ...context,
      id: id(9),
      block: Buffer.from('the rest'),
      originId: id(2),
      segmentNumber: 2,
      totalLength: 99,
    }),
    response({
      ...context,
      id: id(10),
      block: httpResponse('4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\n\r\n', [['Transfer-Encoding', 'chunked']]),
    }),
    response({ ...context, id: id(11), block: Buffer.alloc(0) }),
  ]
}

const fieldName = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/)
const fieldValue = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.replace(/[\x00-\x1f\x7f]/g, '').trim())

/** Any record that we would write. */
export const anyRecord: fc.Arbitrary<WarcRecord> = fc
  .record({
    version: fc.constantFrom('1.0', '1.1'),
    type: fc.constantFrom('warcinfo', 'response', 'resource', 'request', 'metadata', 'revisit', 'made-up'),
    extra: fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 5 }),
    block: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .constantFrom('', '\r\n\r\n', 'WARC/1.1\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\nhello')
        .map((text) => Buffer.from(text)),
    ),
  })
  .map(({ version, type, extra, block }) => ({
    version,
    fields: new FieldList([
      ['WARC-Type', type],
      ['WARC-Record-ID', `<urn:uuid:${id(1)}>`],
      ['WARC-Date', date],
      ...extra.filter(
        ([name]) => !/^(content-length|warc-(?:target-uri|(?:block|payload)-digest))$/i.test(name),
      ),
      ['Content-Length', String(block.length)],
    ]),
    block,
  }))

export const anyCompression: fc.Arbitrary<Compression> = fc.constantFrom(...compressions)

/** Cuts bytes into chunks, anywhere. */
export function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const points = [...new Set(cuts.map((point) => point % (bytes.length + 1)))].sort((a, b) => a - b)
  const starts = [0, ...points]
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length))
}
