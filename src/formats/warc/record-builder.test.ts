import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { digestOf, printDigest } from '../../model/digest.ts'
import { FieldList } from '../http/field-list.ts'
import { captureRecords } from './capture-records.ts'
import { WarcRefusal } from './damage.ts'
import { checkDigests } from './digest-check.ts'
import { warcFileName } from './file-name.ts'
import { date, httpResponse, id, targetUri } from './fixtures/sample-records.ts'
import { revisitTargetOf, typeOf, type WarcRecord } from './record.ts'
import { request, resource, response, revisit } from './record-builder.ts'
import { parseWarcFields, printWarcFields } from './warc-fields.ts'

const chunkedBody = '5\r\nhello\r\n0\r\n\r\n'
const chunked = httpResponse(chunkedBody, [['Transfer-Encoding', 'chunked']])

describe('digests', () => {
  test('the payload is after transfer-decoding and before content-decoding', () => {
    const zipped = httpResponse(Buffer.from([0x1f, 0x8b, 1, 2, 3]), [['Content-Encoding', 'gzip']])
    for (const [block, payload] of [
      [chunked, 'hello'],
      [zipped, Buffer.from([0x1f, 0x8b, 1, 2, 3])],
      [Buffer.from('no head'), 'no head'],
    ] as const) {
      const record = response({ id: id(1), date, targetUri, block })
      assert.equal(record.fields.get('WARC-Payload-Digest'), printDigest(digestOf('sha256', payload)))
      assert.equal(record.fields.get('WARC-Block-Digest'), printDigest(digestOf('sha256', block)))
      assert.deepEqual(checkDigests(record), { block: 'match', payload: 'match' })
    }
  })

  test('of an image is that of its bytes, even if they look like HTTP', () => {
    const block = Buffer.from('HTTP/1.1 200 OK\r\n\r\nimage')
    const record = resource({ id: id(1), date, targetUri, block, contentType: 'image/png' })
    assert.equal(record.fields.get('WARC-Payload-Digest'), record.fields.get('WARC-Block-Digest'))
  })

  const withDigests = (block: string, payload: string, type = 'response'): WarcRecord => ({
    version: '1.0',
    fields: new FieldList([
      ['WARC-Type', type],
      ['WARC-Block-Digest', block],
      ['WARC-Payload-Digest', payload],
    ]),
    block: chunked,
  })
  const sha1 = (bytes: Uint8Array | string) => printDigest(digestOf('sha1', bytes))

  test('match in every spelling, of the payload or of the body as it stands', () => {
    const hex = Buffer.from(digestOf('sha1', 'hello').bytes).toString('hex')
    for (const payload of [sha1('hello'), hex, `SHA1:${hex}`, sha1(chunkedBody)]) {
      assert.deepEqual(checkDigests(withDigests(sha1(chunked), payload)), {
        block: 'match',
        payload: 'match',
      })
    }
  })

  test('that are wrong, absent, unknown or of other bytes', () => {
    assert.deepEqual(checkDigests(withDigests(sha1('x'), sha1('x'))), {
      block: 'mismatch',
      payload: 'mismatch',
    })
    assert.deepEqual(checkDigests(withDigests('md5:abc', 'crc32:1')), {
      block: 'not judged',
      payload: 'not judged',
    })
    assert.deepEqual(checkDigests(withDigests(sha1(chunked), sha1('x'), 'revisit')), {
      block: 'match',
      payload: 'not judged',
    })
    assert.deepEqual(checkDigests({ version: '1.0', fields: new FieldList(), block: chunked }), {
      block: 'absent',
      payload: 'absent',
    })
  })

  test('that the caller knows are believed', () => {
    const payloadDigest = digestOf('sha1', 'known')
    const record = response({ id: id(1), date, targetUri, block: chunked, payloadDigest })
    assert.equal(record.fields.get('WARC-Payload-Digest'), printDigest(payloadDigest))
  })
})

describe('the records of one capture', () => {
  const input = {
    date,
    targetUri,
    ipAddress: '192.0.2.1',
    protocols: ['h2', 'tls/1.3'],
    truncated: 'time',
    warcinfoId: id(9),
    response: { id: id(1), block: httpResponse('hello') },
    request: { id: id(2), block: Buffer.from('GET / HTTP/1.1\r\n\r\n') },
    metadata: { id: id(3), fields: [['via', 'http://example.test/']] },
  } as const

  test('belong together', () => {
    const capture = captureRecords(input)
    const all = [capture.response, capture.request!, capture.metadata!]
    assert.deepEqual(all.map(typeOf), ['response', 'request', 'metadata'])
    for (const { fields } of all) {
      assert.equal(fields.get('WARC-Date'), date)
      assert.equal(fields.get('WARC-Target-URI'), targetUri)
      assert.equal(fields.get('WARC-Warcinfo-ID'), `<urn:uuid:${id(9)}>`)
    }
    assert.equal(capture.request!.fields.get('WARC-Concurrent-To'), `<urn:uuid:${id(1)}>`)
    assert.equal(capture.metadata!.fields.get('WARC-Concurrent-To'), `<urn:uuid:${id(1)}>`)
    assert.deepEqual(capture.response.fields.getAll('WARC-Protocol'), ['h2', 'tls/1.3'])
    assert.equal(capture.response.fields.get('WARC-IP-Address'), '192.0.2.1')
    assert.equal(capture.response.fields.get('WARC-Truncated'), 'time')
    assert.equal(capture.request!.fields.get('WARC-Truncated'), undefined)
  })

  test('may be a revisit', () => {
    const revisited = {
      kind: 'delta-zstd',
      refersTo: { id: id(7), targetUri: 'http://a.test/', date },
    } as const
    const answer = { ...input.response, revisited, payloadDigest: digestOf('sha256', 'new') }
    const { response: record } = captureRecords({ ...input, response: answer })
    assert.deepEqual(revisitTargetOf(record), {
      kind: 'delta-zstd',
      profile: 'https://polyhistor.org/warc/1.1/revisit/delta-zstd',
      recordId: `<urn:uuid:${id(7)}>`,
      targetUri: 'http://a.test/',
      date,
    })
  })
})

test('revisit profiles are known in every spelling', () => {
  const kindOf = (profile: string) =>
    revisitTargetOf({
      fields: new FieldList([
        ['WARC-Type', 'revisit'],
        ['WARC-Profile', profile],
      ]),
    })?.kind
  assert.equal(
    kindOf('http://netpreserve.org/warc/1.0/revisit/identical-payload-digest'),
    'identical-payload-digest',
  )
  assert.equal(kindOf('http://netpreserve.org/warc/1.1/revisit/server-not-modified'), 'server-not-modified')
  assert.equal(kindOf('http://netpreserve.org/warc/1.1/server-not-modified'), 'server-not-modified')
  assert.equal(
    kindOf('http://netpreserve.org/warc/1.0/revisit/uri-agnostic-identical-payload-digest'),
    undefined,
  )
  assert.equal(kindOf('http://elsewhere.test/'), undefined)
})

describe('what is refused', () => {
  const block = Buffer.alloc(0)

  test('a target with spaces, control characters or brackets', () => {
    for (const uri of [
      'http://a b/',
      'http://a/\r\nX: y',
      'http://a/\n',
      '<http://a/>',
      'no scheme',
      '',
      'http://a/\x7f',
    ]) {
      assert.throws(() => response({ id: id(1), date, targetUri: uri, block }), {
        code: 'warc-bad-target-uri',
      })
    }
  })

  test('dates and ids that are none', () => {
    for (const wrong of [
      '2024-05-06',
      '2024-05-06T07:08:09',
      '2024-05-06T07:08:09+01:00',
      '2024-05-06T07:08:09.1234567890Z',
    ]) {
      assert.throws(() => request({ id: id(1), date: wrong, targetUri, block }), { code: 'warc-bad-date' })
    }
    assert.throws(() => request({ id: 'x>\r\nY: z', date, targetUri, block }), { code: 'warc-bad-record-id' })
  })

  test('a revisit without the digest that it stands for', () => {
    const refersTo = { targetUri, date }
    assert.throws(
      () => revisit({ id: id(1), date, targetUri, block, kind: 'identical-payload-digest', refersTo }),
      WarcRefusal,
    )
  })

  test('file names that lead elsewhere', () => {
    const parts = {
      prefix: 'polyhistor',
      timestamp: '20240506070809',
      serial: 7,
      host: 'peer-1.test',
      compression: 'gzip',
    } as const
    assert.equal(warcFileName(parts), 'polyhistor-20240506070809-00007-peer-1.test.warc.gz')
    assert.equal(
      warcFileName({ ...parts, compression: 'zstd' }),
      'polyhistor-20240506070809-00007-peer-1.test.warc.zst',
    )
    for (const wrong of [
      { prefix: '../x' },
      { host: 'a/b' },
      { prefix: '' },
      { timestamp: '2024' },
      { serial: -1 },
      { serial: 0.5 },
    ]) {
      assert.throws(() => warcFileName({ ...parts, ...wrong }), { code: 'warc-bad-file-name' })
    }
  })
})

test('warc-fields blocks read back, and are read leniently', () => {
  const fields = [
    ['software', 'polyhistor/0.1'],
    ['description', 'Grüße: a & b'],
    ['software', 'again'],
  ] as const
  assert.deepEqual(
    [...parseWarcFields(printWarcFields(fields))],
    fields.map((field) => [...field]),
  )
  assert.deepEqual(
    [...parseWarcFields(Buffer.from('\r\na: 1\nnothing\n\nb: 2\n c\n'))],
    [
      ['a', '1'],
      ['b', '2 c'],
    ],
  )
  assert.throws(() => printWarcFields([['a', 'b\r\nc: d']]), { code: 'warc-bad-field' })
})
