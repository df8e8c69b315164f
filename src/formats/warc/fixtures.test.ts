// Files that other programs wrote (see fixtures/), read record for record.

import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { WARCParser } from 'warcio'
import { digestOf, parseDigest, printDigest } from '../../model/digest.ts'
import { parseStatusLine } from '../http/http-message.ts'
import { checkDigests } from './digest-check.ts'
import { contentOf } from './payload.ts'
import { type RecordItem, readWarc } from './reading/reader.ts'
import { decodeRecord } from './reading/record-decoding.ts'
import { revisitTargetOf, targetUriOf, typeOf, type WarcRecord } from './record.ts'
import { parseWarcFields } from './warc-fields.ts'

const path = (name: string) => join(import.meta.dirname, 'fixtures', name)

async function read(name: string): Promise<(RecordItem & { record: WarcRecord })[]> {
  const items = await Array.fromAsync(readWarc(createReadStream(path(name)), { verify: true }))
  return items.map((item) => {
    assert(item.kind === 'record', JSON.stringify(item))
    assert(item.record.block instanceof Uint8Array)
    return item as RecordItem & { record: WarcRecord }
  })
}

const origin = 'http://127.0.0.1:18080'
/** wget keeps the request for /empty, but no record of its answer, a 204. */
const captured: [path: string, status: number][] = [
  ['/', 200],
  ['/chunked', 200],
  ['/moved', 302],
  ['/', 200],
  ['/zipped', 200],
  ['/dot.png', 200],
  ['/missing', 404],
]

describe('wget', () => {
  for (const name of ['wget-gzip.warc.gz', 'wget-plain.warc', 'wget-dedup.warc.gz']) {
    test(`${name}: every capture, every digest`, async () => {
      const items = await read(name)
      const answers = items.filter(({ record }) => ['response', 'revisit'].includes(typeOf(record)!))
      assert.deepEqual(
        answers.map(({ record }) => [
          targetUriOf(record),
          parseStatusLine(contentOf(record).head!.startLine)?.status,
        ]),
        captured.map(([place, status]) => [origin + place, status]),
      )
      assert.equal(items.filter(({ record }) => typeOf(record) === 'request').length, captured.length + 1)
      const [first] = items
      assert.equal(typeOf(first!.record), 'warcinfo')
      assert.match(parseWarcFields(first!.record.block).get('software')!, /^Wget/)
      for (const { record } of items) {
        const isRevisit = typeOf(record) === 'revisit'
        assert.equal(checkDigests(record).block, isRevisit ? 'not judged' : 'match')
        if (typeOf(record) === 'response') assert.equal(checkDigests(record).payload, 'match')
      }
    })

    test(`${name}: the same records as warcio reads, at the same places`, async () => {
      const ours = await read(name)
      const parser = new WARCParser(createReadStream(path(name)), { keepHeadersCase: true, parseHttp: false })
      let index = 0
      for await (const theirs of parser) {
        const { record, offset, length } = ours[index++]!
        assert.equal(record.fields.get('WARC-Record-ID'), theirs.warcHeader('WARC-Record-ID'))
        assert.equal(targetUriOf(record), theirs.warcTargetURI ?? undefined)
        assert.deepEqual(Buffer.from(record.block), Buffer.from(await theirs.readFully(false)))
        assert.equal(offset, parser.offset)
        assert(length! > 0)
      }
      assert.equal(index, ours.length)
    })
  }

  test('offsets of its own index find the same records', async () => {
    const bytes = await readFile(path('wget-gzip.warc.gz'))
    const lines = (await readFile(path('wget-gzip.cdx'), 'utf8')).trim().split('\n').slice(1)
    assert(lines.length >= 7)
    for (const line of lines) {
      const [url, , , , status, digest, , , offset, , id] = line.split(' ')
      const record = decodeRecord(bytes.subarray(Number(offset)))
      assert.equal(record.fields.get('WARC-Record-ID'), id)
      assert.equal(targetUriOf(record), url)
      assert.equal(parseStatusLine(contentOf(record).head!.startLine)?.status, Number(status))
      assert.equal(record.fields.get('WARC-Payload-Digest'), `sha1:${digest}`)
    }
  })

  test('a chunked body is kept as received; payload is without the chunks', async () => {
    const { record } = (await read('wget-plain.warc')).find(
      ({ record: { fields }, record }) =>
        typeOf(record) === 'response' && fields.get('WARC-Target-URI')!.includes('/chunked'),
    )!
    assert(Buffer.from(record.block).includes('\r\nc\r\nfirst part, \r\n'))
    const { payload } = contentOf(record)
    assert.equal(Buffer.from(payload).toString(), 'first part, second part')
    // wget digests the chunks as well, against the specification.
    assert.notEqual(printDigest(digestOf('sha1', payload)), record.fields.get('WARC-Payload-Digest'))
    assert.equal(checkDigests(record).payload, 'match')
  })

  test('its revisits name what they repeat', async () => {
    const revisits = (await read('wget-dedup.warc.gz')).filter(({ record }) => typeOf(record) === 'revisit')
    const originals = await read('wget-gzip.warc.gz')
    assert(revisits.length >= 4)
    for (const { record } of revisits) {
      const target = revisitTargetOf(record)!
      assert.equal(target.kind, 'identical-payload-digest')
      const original = originals.find(
        ({ record: { fields } }) => fields.get('WARC-Record-ID') === target.recordId,
      )!
      assert.deepEqual(
        parseDigest(original.record.fields.get('WARC-Payload-Digest')!),
        parseDigest(record.fields.get('WARC-Payload-Digest')!),
      )
    }
  })
})

describe('zstd', () => {
  for (const name of [
    'zstd-dictionary.warc.zst',
    'zstd-compressed-dictionary.warc.zst',
    'zstd-no-dictionary.warc.zst',
  ]) {
    test(`${name}: the records that went in`, async () => {
      const originals = [...(await read('wget-gzip.warc.gz')), ...(await read('wget-dedup.warc.gz'))]
      const items = await read(name)
      const content = ({ record }: { record: WarcRecord }) => [
        [...record.fields],
        Buffer.from(record.block).toString('latin1'),
      ]
      assert.deepEqual(items.map(content), originals.map(content))
    })
  }
})
