import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { typeOf } from '../../formats/warc/record.ts'
import { digestHex, digestOf } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { textOf } from '../../store/fixtures/sample-captures.ts'
import { StoreArchive } from '../crawl/store-archive.ts'
import type { PageTask } from './page-task.ts'
import { given, work } from './page-thread.ts'

const href = 'http://example.com/page'
const html = `<a href="/next">next</a>${'<p>text</p>'.repeat(1_000)}`
const capture = {
  capturedAtMs: Date.parse('2024-01-01T00:00:00Z'),
  request: 'GET /page HTTP/1.1\r\nhost: example.com\r\n\r\n',
  metadata: [['via', 'http://example.com/']] as const,
  ipAddress: '192.0.2.1',
  protocols: ['http/1.1'],
  truncated: undefined,
}

function taskOf(body: Uint8Array, more: Partial<PageTask> = {}): PageTask {
  const coding = more.contentEncoding === undefined ? '' : `Content-Encoding: ${more.contentEncoding}\r\n`
  const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${coding}\r\n`)
  return {
    href,
    bytes: new Uint8Array(Buffer.concat([head, body])),
    headBytes: head.length,
    contentType: 'text/html',
    contentEncoding: undefined,
    headers: [],
    agent: 'test',
    compression: { kind: 'gzip', level: 4 },
    ...more,
  }
}

describe('a page thread', () => {
  test('finds the links of a response, also of one that came encoded', async () => {
    for (const task of [taskOf(Buffer.from(html)), taskOf(gzipSync(html), { contentEncoding: 'gzip' })]) {
      const { links, records } = await work(task)
      assert.equal(links.hrefs, 'http://example.com/next')
      assert.equal(records, undefined)
    }
  })

  test('compares two versions of a page, also of one that came encoded', async () => {
    const facts = { contentType: 'text/html', url: href, capturedAtMs: 0 }
    const before = { ...facts, bytes: new Uint8Array(Buffer.from(html)), contentEncoding: undefined }
    const edited = gzipSync(html.replace('text', 'edited'))
    const after = { ...facts, bytes: new Uint8Array(edited), contentEncoding: 'gzip' }
    const difference = await work({ before, after })
    assert.deepEqual(
      difference.blocks.map((block) => [block.path, block.before, block.after]),
      [['p', 'text', 'edited']],
    )
    assert.deepEqual(given(difference), [])
  })

  test.each(['gzip', 'zstd', 'none'] as const)(
    'makes records that a store of %s volumes takes as they are',
    async (kind) => {
      const store = await openStore({ compression: { kind } })
      const task = taskOf(Buffer.from(html), { capture, compression: { kind } })
      const { records } = await work(task)
      const kept = await new StoreArchive(store).keep(
        {
          ...capture,
          url: parseUrl(href),
          block: task.bytes,
          request: Buffer.from(capture.request),
          records,
        },
        'none',
      )
      assert.deepEqual([kept.as, kept.isKnownPayload], ['new', false])
      const [found] = store.versions(parseUrl(href))
      assert.equal(found!.recordId, records!.recordId)
      assert.equal(found!.storedBytes, records!.mainBytes)
      assert.equal(digestHex(found!.content!.digest), digestHex(digestOf('sha256', html)))
      assert.equal(await textOf((await store.read(found!)).payload()), html)
      assert.deepEqual(await store.checkIndex(), [])
      await store.close()
      assert.deepEqual(await recordTypes(join(store.folder, 'volumes')), ['response', 'request', 'metadata'])
    },
  )

  test('gives the response back, in the same memory', async () => {
    const task = taskOf(Buffer.from(html), { capture })
    const read = await work(task)
    assert.equal(read.bytes, task.bytes)
    assert.deepEqual(given(read), [task.bytes.buffer, read.records!.bytes.buffer])
    const unkept = await work(taskOf(Buffer.from(html)))
    assert.deepEqual(given(unkept), [unkept.bytes.buffer])
  })

  test('a payload that the store has already is kept as a revisit all the same', async () => {
    const store = await openStore()
    const archive = new StoreArchive(store)
    for (const [place, url] of ['http://example.com/a', 'http://example.com/b'].entries()) {
      const task = taskOf(Buffer.from(html), { href: url, capture })
      const { records } = await work(task)
      const kept = await archive.keep(
        { ...capture, url: parseUrl(url), block: task.bytes, request: Buffer.from(capture.request), records },
        'none',
      )
      assert.equal(kept.isKnownPayload, place === 1)
    }
    const [revisit] = store.versions(parseUrl('http://example.com/b'))
    assert.equal(revisit!.kind, 'same')
    assert.equal(await textOf((await store.read(revisit!)).payload()), html)
  })
})

async function recordTypes(folder: string): Promise<string[]> {
  const types: string[] = []
  for (const name of (await readdir(folder)).filter((file) => file.includes('.warc')))
    for await (const item of readWarc(createReadStream(join(folder, name)), { verify: true })) {
      assert(item.kind === 'record')
      types.push(typeOf(item.record)!)
    }
  return types.filter((type) => type !== 'warcinfo')
}
