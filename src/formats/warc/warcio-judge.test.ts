// warcio, the reference reader of the browser world, judges what we write; and we read what it writes.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { AsyncIterReader, WARCParser, WARCRecord, WARCSerializer } from 'warcio'
import { digestOf, equalDigests, parseDigest, printDigest } from '../../model/digest.ts'
import { type Compression, gzip, uncompressed } from './compression/compression.ts'
import { checkDigests } from './digest-check.ts'
import { sampleRecords } from './fixtures/sample-records.ts'
import { contentOf, payloadOf } from './payload.ts'
import { readWarc } from './reading/reader.ts'
import { targetUriOf, typeOf, type WarcRecord } from './record.ts'
import { encodeRecord } from './record-encoding.ts'

async function* chunksOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

describe('warcio reads every record of ours, with matching digests', () => {
  for (const compression of [uncompressed, gzip, { kind: 'gzip', level: 9 }] satisfies Compression[]) {
    test(JSON.stringify(compression), async () => {
      const records = sampleRecords()
      const members = records.map((record) => encodeRecord(record, compression))
      const blocks = new WARCParser(chunksOf(Buffer.concat(members)), {
        keepHeadersCase: true,
        parseHttp: false,
      })
      let index = 0
      let offset = 0
      for await (const theirs of blocks) {
        const ours = records[index]!
        assert.equal(blocks.offset, offset)
        assert.equal(theirs.warcHeaders.statusline, 'WARC/1.1')
        for (const [name, value] of ours.fields) assert.equal(theirs.warcHeader(name), value)
        const block = await theirs.readFully(false)
        assert.deepEqual(Buffer.from(block), Buffer.from(ours.block))
        assert(equalDigests(digestOf('sha256', block), parseDigest(theirs.warcBlockDigest!)))
        offset += members[index]!.length
        index++
      }
      assert.equal(index, records.length)
    })

    test(`${JSON.stringify(compression)}: payloads`, async () => {
      const records = sampleRecords().filter((record) => record.block.length > 0)
      const file = Buffer.concat(records.map((record) => encodeRecord(record, compression)))
      let judged = 0
      for await (const theirs of new WARCParser(chunksOf(file), { keepHeadersCase: true })) {
        if (theirs.warcType !== 'response' && theirs.warcType !== 'resource') continue
        const isChunked = theirs.httpHeaders?.headers.get('Transfer-Encoding') === 'chunked'
        const body = await theirs.readFully(false)
        const payload = isChunked ? await new AsyncIterReader([body], null, true).readFully() : body
        assert.equal(printDigest(digestOf('sha256', payload)), theirs.warcPayloadDigest)
        judged++
      }
      assert.equal(judged, 3)
    })
  }
})

describe('we read every record of warcio', () => {
  for (const isGzip of [true, false]) {
    for (const digest of [{}, { algo: 'sha-1', prefix: 'sha1:', base32: true }]) {
      test(`gzip: ${isGzip}, ${JSON.stringify(digest)}`, async () => {
        const shared = {
          url: 'http://example.test/a b?c=ü',
          date: '2020-01-02T03:04:05.678Z',
          warcVersion: 'WARC/1.1' as const,
        }
        const httpHeaders: [string, string][] = [
          ['Content-Type', 'text/plain'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
        ]
        const theirs = [
          WARCRecord.createWARCInfo({ filename: 'x.warc', date: shared.date }, { software: 'warcio' }),
          WARCRecord.create({ ...shared, type: 'response', httpHeaders }, chunksOf(Buffer.from('hello'))),
          WARCRecord.create({
            ...shared,
            type: 'request',
            statusline: 'GET / HTTP/1.1',
            httpHeaders: { Host: 'example.test' },
          }),
          WARCRecord.create({
            ...shared,
            type: 'revisit',
            httpHeaders,
            refersToUrl: 'http://example.test/',
            refersToDate: shared.date,
          }),
          WARCRecord.create(
            { ...shared, type: 'resource', warcHeaders: { 'Content-Type': 'image/png' } },
            chunksOf(Buffer.from([1, 2, 3])),
          ),
        ]
        const members: Uint8Array[] = []
        for (const record of theirs)
          members.push(await WARCSerializer.serialize(record, { gzip: isGzip, digest }))
        const items = await Array.fromAsync(readWarc(chunksOf(...members), { verify: true }))
        const records = items.map((item) => {
          assert(item.kind === 'record', JSON.stringify(item))
          assert.deepEqual(item.warnings, [])
          return item.record as WarcRecord
        })
        assert.deepEqual(records.map(typeOf), ['warcinfo', 'response', 'request', 'revisit', 'resource'])
        assert.deepEqual(
          records.slice(1).map(targetUriOf),
          Array(4).fill('http://example.test/a%20b?c=%C3%BC'),
        )
        assert.equal(Buffer.from(payloadOf(records[1]!)).toString(), 'hello')
        assert.deepEqual(checkDigests(records[1]!), { block: 'match', payload: 'match' })
        assert.deepEqual(contentOf(records[1]!).head!.headers.getAll('set-cookie'), ['a=1', 'b=2'])
      })
    }
  }
})
