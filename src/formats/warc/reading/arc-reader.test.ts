import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { payloadOf } from '../payload.ts'
import { targetUriOf, typeOf, type WarcRecord } from '../record.ts'
import { readArc } from './arc-reader.ts'
import type { ReadOptions, WarcItem } from './reader.ts'

const description = '1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n'
const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello</p>'
const record = (url: string, block: string, type = 'text/html') =>
  `${url} 192.0.2.7 20080430204825 ${type} ${block.length}\n${block}\n`
const records = [
  `filedesc://old.arc 0.0.0.0 20080430204825 text/plain ${description.length}\n${description}\n`,
  record('http://a.test/', page),
  record('dns:a.test', '20080430204825\na.test. 600 IN A 192.0.2.7\n', 'text/dns'),
  record('http://a.test/with space', page),
  `http://a.test/two 192.0.2.7 20080430204825 text/html 200 CHECKSUM - 1234 old.arc ${page.length}\n${page}\n`,
]

function read(bytes: Buffer, options?: ReadOptions): Promise<WarcItem[]> {
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += 50) yield bytes.subarray(start, start + 50)
  }
  return Array.fromAsync(readArc(chunks(), options))
}

const found = (items: WarcItem[]) =>
  items.map((item) => (item.kind === 'record' ? targetUriOf(item.record) : item.error.code))
const uris = [undefined, 'http://a.test/', 'dns:a.test', 'http://a.test/with space', 'http://a.test/two']

describe('ARC files', () => {
  const plain = Buffer.from(records.join(''))
  const members = records.map((text) => gzipSync(text))

  for (const [name, bytes] of [
    ['plain', plain],
    ['gzip', Buffer.concat(members)],
    ['one member', gzipSync(plain)],
  ] as const) {
    test(`${name}: records come out as WARC would have them`, async () => {
      const items = await read(bytes)
      assert.deepEqual(found(items), uris)
      const [info, answer, dns] = items.map((item) => (item as { record: WarcRecord }).record)
      assert.deepEqual([typeOf(info!), typeOf(answer!), typeOf(dns!)], ['warcinfo', 'response', 'resource'])
      assert.equal(answer!.fields.get('WARC-Date'), '2008-04-30T20:48:25Z')
      assert.equal(answer!.fields.get('WARC-IP-Address'), '192.0.2.7')
      assert.equal(dns!.fields.get('Content-Type'), 'text/dns')
      assert.equal(Buffer.from(payloadOf(answer!)).toString(), '<p>hello</p>')
      assert.match(answer!.fields.get('WARC-Record-ID')!, /^<urn:uuid:[0-9a-f-]{36}>$/)
      const again = await read(bytes)
      assert.deepEqual((again[1] as { record: WarcRecord }).record.fields.toJSON(), answer!.fields.toJSON())
    })
  }

  test('offsets and lengths lead to each record', async () => {
    const items = await read(Buffer.concat(members))
    let offset = 0
    for (const [index, item] of items.entries()) {
      assert(item.kind === 'record')
      assert.deepEqual([item.offset, item.length], [offset, members[index]!.length])
      offset += members[index]!.length
    }
  })

  test('damage costs the record that has it', async () => {
    const torn = Buffer.concat([...members.slice(0, 2), members[2]!.subarray(0, 60), ...members.slice(3)])
    const codes = found(await read(torn))
    assert.deepEqual([codes[0], codes[1], ...codes.slice(-2)], [uris[0], uris[1], uris[3], uris[4]])
    assert.match(codes[2]!, /^warc-/)
    const broken = Buffer.from(plain.toString().replace('dns:a.test 192', 'dns:a.test\t192'))
    assert.deepEqual(found(await read(broken)), [uris[0], uris[1], 'warc-not-a-record', uris[3], uris[4]])
  })

  test('every byte flipped, every length', async () => {
    for (const bytes of [plain, Buffer.concat(members)]) {
      for (let index = 0; index < bytes.length; index += 3) {
        const flipped = Buffer.from(bytes)
        flipped[index]! ^= 1 << (index % 8)
        await read(flipped)
        await read(bytes.subarray(0, index))
      }
    }
  })

  test('large blocks flow', async () => {
    const large = Buffer.from(record('http://a.test/large', `${page}${'x'.repeat(10_000)}`))
    for (const bytes of [large, gzipSync(large)]) {
      let length = 0
      async function* chunks() {
        yield bytes
      }
      for await (const item of readArc(chunks(), { blockBytesBuffered: 100 })) {
        assert(item.kind === 'record' && typeOf(item.record) === 'response')
        for await (const chunk of item.record.block as AsyncIterable<Uint8Array>) length += chunk.length
        assert.equal(item.length, bytes.length)
      }
      assert.equal(length, page.length + 10_000)
    }
  })
})
