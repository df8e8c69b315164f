import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { uncompressed } from '../../formats/warc/compression/compression.ts'
import { digestOf, printDigest } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { foreignRecord, recordFixture, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'

const origin = 'http://127.0.0.1:18080'
const start = Date.parse('2024-01-01T00:00:00Z')

async function payload(store: Store, url: string, atMs = Number.MAX_SAFE_INTEGER / 1000): Promise<string> {
  const capture = store.nearest(parseUrl(url), atMs)
  assert(capture !== undefined, `${url} is not there`)
  return textOf((await store.read(capture)).payload())
}

/** Everything on disk: names, sizes, and what the store says of itself. */
async function footprint(store: Store): Promise<unknown> {
  const folder = join(store.folder, 'volumes')
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).size]))
  const { captures, distinctPayloads, bytes } = await store.stat()
  return { sizes, captures, distinctPayloads, original: bytes.original, afterDedup: bytes.afterDedup }
}

function page(
  url: string,
  date: string,
  id: number,
  body: string,
  fields: Record<string, string> = {},
): Buffer {
  const block = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`
  return foreignRecord('response', { ...named(url, date, id), ...fields }, block)
}

function named(url: string, date: string, id: number): Record<string, string> {
  return {
    'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${String(id).padStart(12, '0')}>`,
    'WARC-Date': date,
    'WARC-Target-URI': url,
    'Content-Type': 'application/http; msgtype=response',
  }
}

const sha1 = (text: string) => printDigest(digestOf('sha1', text))

describe('archives of other tools', () => {
  for (const name of [
    'wget-gzip.warc.gz',
    'wget-plain.warc',
    'zstd-dictionary.warc.zst',
    'zstd-no-dictionary.warc.zst',
  ]) {
    test(`${name}: every capture, with what was asked`, async () => {
      const store = await openStore()
      const result = await store.import(sourceOf(await recordFixture(name)))
      assert.equal(result.damaged + result.mismatched + result.problemCount, 0)
      assert.equal(result.doneBytes, result.totalBytes)
      assert.match(await payload(store, `${origin}/`), /<html|<!doctype/i)
      assert.equal(await payload(store, `${origin}/chunked`), 'first part, second part')
      assert.equal(store.nearest(parseUrl(`${origin}/missing`), start)?.status, 404)
      assert.equal(store.nearest(parseUrl(`${origin}/moved`), start)?.status, 302)
      const { captures } = await store.stat()
      assert.equal(result.kept, captures)
      // The request for /empty has no answer; requests for the others are kept with theirs.
      assert.ok(result.skippedBy.unpaired! >= 1 && result.skippedBy.unpaired! <= 2)
    })
  }

  test('revisits of wget read as what they repeat, whichever file comes first', async () => {
    for (const order of [
      ['wget-gzip.warc.gz', 'wget-dedup.warc.gz'],
      ['wget-dedup.warc.gz', 'wget-gzip.warc.gz'],
    ]) {
      const store = await openStore()
      for (const name of order) await store.import(sourceOf(await recordFixture(name)))
      for (const capture of store.scan({ kind: 'all' })) {
        assert(capture.content !== undefined, `${capture.url} waits for its content`)
        await bytesOf((await store.read(capture)).payload())
      }
    }
  })

  test('ARC', async () => {
    const answer = 'HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nold page'
    const arc = Buffer.from(
      `filedesc://x.arc 0.0.0.0 19990101000000 text/plain 8\n1 0 Test\n\nhttp://old.test/ 192.0.2.7 19990102030405 text/html ${answer.length}\n${answer}\ndns:old.test 192.0.2.1 19990102030404 text/dns 4\nabcd\n`,
    )
    const store = await openStore()
    const result = await store.import(sourceOf(arc))
    assert.equal(result.format, 'arc')
    assert.deepEqual([result.kept, result.skippedBy], [1, { warcinfo: 1, 'not-http': 1 }])
    assert.equal(await payload(store, 'http://old.test/'), 'old page')
    assert.equal([...store.scan({ kind: 'all' })][0]!.capturedAtMs, Date.parse('1999-01-02T03:04:05Z'))
    const before = await footprint(store)
    assert.equal((await store.import(sourceOf(arc), { again: true })).known, 1)
    assert.deepEqual(await footprint(store), before)
  })

  test('ARC: records with equal lines and other bodies are all kept, and told', async () => {
    const record = (body: string) => {
      const answer = `HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`
      return `http://old.test/ 192.0.2.7 19990102030405 text/html ${answer.length}\n${answer}\n`
    }
    const bodies = ['first', 'other', 'third']
    // Read in one go, where each is under way when the next comes; and in a file of its own each.
    const together = await openStore()
    const arc = Buffer.from([...bodies, bodies[0]!].map(record).join(''))
    const result = await together.import(sourceOf(arc))
    assert.deepEqual([result.kept, result.known, result.problemCount], [3, 1, 2])
    assert.deepEqual(
      result.problems.map(({ kind }) => kind),
      ['same-id', 'same-id'],
    )
    assert.match(result.problems[0]!.message, /stands for other bytes elsewhere: both are kept/)
    const apart = await openStore()
    for (const body of bodies) await apart.import(sourceOf(Buffer.from(record(body))))
    for (const store of [together, apart]) {
      const captures = [...store.scan({ kind: 'all' })]
      const payloads = captures.map(async (capture) => textOf((await store.read(capture)).payload()))
      assert.deepEqual((await Promise.all(payloads)).sort(), bodies)
    }
    assert.equal((await together.import(sourceOf(arc), { again: true })).kept, 0)
    assert.equal((await together.stat()).captures, 3)
  })

  test('a file that is none is refused with a sentence', async () => {
    const store = await openStore()
    for (const bytes of ['', 'hello', 'PK\u0003\u0004 no zip']) {
      await assert.rejects(store.import(sourceOf(Buffer.from(bytes))), { code: 'store-unknown-archive' })
    }
  })
})

describe('importing again', () => {
  test('adds nothing: neither a byte nor a capture', async () => {
    const store = await openStore()
    const files = await Promise.all(['wget-dedup.warc.gz', 'wget-gzip.warc.gz'].map(recordFixture))
    for (const file of files) await store.import(sourceOf(file))
    const before = await footprint(store)
    for (const file of files) {
      const result = await store.import(sourceOf(file), { again: true })
      assert.equal(result.kept, 0)
      assert.ok(result.known > 0)
    }
    assert.deepEqual(await footprint(store), before)
  })

  test('what was imported to its end is known by its bytes, and not read again', async () => {
    const store = await openStore()
    const file = Buffer.concat(
      Array.from({ length: 300 }, (_, i) =>
        page(`http://a.test/${i}`, '2024-01-01T00:00:00Z', i, pageText(i, 3_000)),
      ),
    )
    await store.import(sourceOf(file))
    const source = sourceOf(file)
    const result = await store.import(source)
    assert.equal(result.wasDone, true)
    assert.ok(source.readBytes < 260_000)
  })

  test('versions of a URL that follow each other are kept as deltas', async () => {
    const versions = Array.from({ length: 20 }, (_, i) =>
      page('http://a.test/', `2024-01-01T00:00:${10 + i}Z`, i, `${pageText(1, 9_000)}<p>version ${i}</p>`),
    )
    const store = await openStore()
    await store.import(sourceOf(Buffer.concat(versions)))
    const kinds = Array.from(store.versions(parseUrl('http://a.test/')), ({ kind }) => kind)
    const expected = Array.from({ length: 20 }, (_, i) => (i % 17 === 0 ? 'full' : 'delta'))
    assert.deepEqual(kinds, expected)
  })

  test('mends what has rotted meanwhile', async () => {
    const versions = Array.from({ length: 4 }, (_, i) =>
      page('http://a.test/', `2024-01-01T00:00:${10 + i}Z`, i, `${pageText(1, 9_000)}<p>version ${i}</p>`),
    )
    const file = Buffer.concat(versions)
    const store = await openStore({ cacheBytes: 0 })
    await store.import(sourceOf(file))
    const read = () =>
      Promise.all(
        Array.from(store.versions(parseUrl('http://a.test/')), async (capture) => {
          const { head, payload } = await store.read(capture)
          return `${head}${await textOf(payload())}`
        }),
      )
    const before = await read()
    const { path } = (await store.stat()).volumes[0]!
    const volume = await readFile(path)
    volume[1_000]! ^= 1
    await writeFile(path, volume)
    // All rest on the first.
    await assert.rejects(read())
    assert.ok((await store.scrub()).damagedCount > 0)
    const { kept, known } = await store.import(sourceOf(file), { again: true })
    assert.deepEqual([kept, known], [0, 4])
    assert.deepEqual(await read(), before)
    assert.equal((await store.scrub()).damagedCount, 0)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('after an interruption it goes on where all was durable', async () => {
    const file = Buffer.concat(
      Array.from({ length: 800 }, (_, i) =>
        page(`http://a.test/${i}`, '2024-01-01T00:00:00Z', i, `page ${i} ${pageText(i % 50, 600)}`),
      ),
    )
    const store = await openStore()
    const abort = new AbortController()
    await assert.rejects(
      store.import(sourceOf(file), {
        signal: abort.signal,
        whenProgress: ({ kept }) => {
          if (kept === 500) abort.abort(new Error('enough'))
        },
      }),
      /enough/,
    )
    const result = await store.import(sourceOf(file))
    assert.equal(result.records, 800)
    assert.ok(result.resumedAtBytes > file.length / 2, `${result.resumedAtBytes} of ${file.length}`)
    assert.equal(result.damaged, 0)
    assert.equal((await store.stat()).captures, 800)
    assert.equal(result.doneBytes, file.length)
  })
})

describe('the records of one capture', () => {
  test('are found in any order and linked either way', async () => {
    const request = 'GET /asked HTTP/1.1\r\nHost: a.test\r\n\r\n'
    const about = (url: string, id: number) => ({
      ...named(url, '2024-01-01T00:00:00Z', id),
      'Content-Type': 'application/http; msgtype=request',
    })
    const id = (n: number) => named('', '', n)['WARC-Record-ID']!
    const file = Buffer.concat([
      foreignRecord('request', about('http://a.test/before', 1), request),
      page('http://a.test/before', '2024-01-01T00:00:00Z', 2, 'one', { 'WARC-Concurrent-To': id(1) }),
      page('http://a.test/behind', '2024-01-01T00:00:00Z', 3, 'two'),
      page('http://a.test/between', '2024-01-01T00:00:00Z', 4, 'three'),
      foreignRecord('request', { ...about('http://a.test/behind', 5), 'WARC-Concurrent-To': id(3) }, request),
      foreignRecord(
        'metadata',
        {
          ...named('http://a.test/behind', '2024-01-01T00:00:00Z', 6),
          'Content-Type': 'application/warc-fields',
          'WARC-Concurrent-To': id(3),
        },
        'via: http://b.test/\r\n',
      ),
      foreignRecord('request', about('http://a.test/unlinked', 7), request),
      page('http://a.test/unlinked', '2024-01-01T00:00:00Z', 8, 'four'),
    ])
    const store = await openStore()
    const result = await store.import(sourceOf(file))
    assert.deepEqual([result.kept, result.skipped], [4, 0])
    const companions: Record<string, number> = {}
    for (const name of (await readdir(join(store.folder, 'volumes'))).filter((n) => n.endsWith('.gz'))) {
      const again = await openStore()
      const copied = await again.import(
        sourceOf(await (await import('node:fs/promises')).readFile(join(store.folder, 'volumes', name))),
      )
      companions[name] = copied.records
      assert.equal(copied.kept, 4)
    }
    // A warcinfo, four answers, three requests, one metadata record.
    assert.deepEqual(Object.values(companions), [9])
  })
})

describe('revisits', () => {
  const url = 'http://a.test/'
  const original = page(url, '2024-01-01T00:00:00Z', 1, 'the page', {
    'WARC-Payload-Digest': sha1('the page'),
  })
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Visit: second\r\n\r\n'
  const digestOnly = foreignRecord(
    'revisit',
    {
      ...named('http://a.test/copy', '2024-02-01T00:00:00Z', 2),
      'WARC-Profile': 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest',
      'WARC-Payload-Digest': sha1('the page'),
    },
    head,
  )
  const notModified = foreignRecord(
    'revisit',
    {
      ...named(url, '2024-03-01T00:00:00Z', 3),
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/server-not-modified',
      'WARC-Refers-To-Target-URI': url,
      'WARC-Refers-To-Date': '2024-01-01T00:00:00Z',
    },
    'HTTP/1.1 304 Not Modified\r\n\r\n',
  )
  const orders: Record<string, Buffer[][]> = {
    'original first, in one file': [[original, digestOnly, notModified]],
    'original last, in one file': [[digestOnly, notModified, original]],
    'original in a file before': [[original], [digestOnly, notModified]],
    'original in a file behind': [[notModified, digestOnly], [original]],
  }
  for (const [name, files] of Object.entries(orders)) {
    test(`read as what they repeat: ${name}`, async () => {
      const store = await openStore()
      for (const file of files) await store.import(sourceOf(Buffer.concat(file)))
      assert.equal(await payload(store, 'http://a.test/copy'), 'the page')
      const [first, second] = store.versions(parseUrl(url))
      assert.equal(second!.status, 304)
      assert.equal(await textOf((await store.read(second!)).payload()), 'the page')
      assert.deepEqual(second!.content, first!.content)
      assert.equal((await store.stat()).bytes.original, 3 * 'the page'.length)
      assert.deepEqual(await store.checkIndex(), [])
      assert.equal((await store.stat()).distinctPayloads, 1)
    })
  }

  test('a digest that fits wins over a date that names another answer of the same second', async () => {
    const store = await openStore()
    const revisit = foreignRecord(
      'revisit',
      {
        ...named(url, '2024-02-01T00:00:00Z', 9),
        'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
        'WARC-Payload-Digest': sha1('second'),
        'WARC-Refers-To-Target-URI': url,
        'WARC-Refers-To-Date': '2024-01-01T00:00:00Z',
      },
      head,
    )
    await store.import(
      sourceOf(
        Buffer.concat([
          page(url, '2024-01-01T00:00:00.100Z', 1, 'first', { 'WARC-Payload-Digest': sha1('first') }),
          page(url, '2024-01-01T00:00:00.900Z', 2, 'second', { 'WARC-Payload-Digest': sha1('second') }),
        ]),
      ),
    )
    await store.import(sourceOf(revisit))
    assert.equal(await payload(store, url, Date.parse('2024-02-01T00:00:00Z')), 'second')
  })
})

describe('what is wrong with a file', () => {
  test('a digest that does not fit is reported and the record kept under its true one', async () => {
    const store = await openStore()
    const file = page('http://a.test/', '2024-01-01T00:00:00Z', 1, 'true bytes', {
      'WARC-Payload-Digest': sha1('other bytes'),
    })
    const result = await store.import(
      sourceOf(Buffer.concat([page('http://a.test/x', '2024-01-01T00:00:00Z', 2, 'x'), file])),
    )
    assert.deepEqual([result.kept, result.mismatched, result.damaged], [2, 1, 0])
    assert.equal(result.problems[0]!.kind, 'mismatch')
    assert.ok(result.problems[0]!.offset > 0)
    assert.equal(await payload(store, 'http://a.test/'), 'true bytes')
    assert.equal(store.has([digestOf('sha256', 'true bytes')])[0], true)
  })

  test('damaged records are reported with their place and the rest is kept', async () => {
    const members = Array.from({ length: 5 }, (_, i) =>
      page(`http://a.test/${i}`, '2024-01-01T00:00:00Z', i, pageText(i, 900)),
    )
    members[2]![40]! ^= 0xff
    const offset = members[0]!.length + members[1]!.length
    const store = await openStore()
    const result = await store.import(sourceOf(Buffer.concat([...members, members[0]!.subarray(0, 100)])))
    assert.deepEqual([result.kept, result.damaged], [4, 2])
    assert.equal(result.problems[0]!.offset, offset)
  })

  test('damage at the very start does not hide what the rest is', async () => {
    const members = Array.from({ length: 3 }, (_, i) =>
      page(`http://a.test/${i}`, '2024-01-01T00:00:00Z', i, pageText(i, 900)),
    )
    for (const at of [0, 1, 3, 30]) {
      const file = Buffer.concat(members)
      file[at]! ^= 0xff
      const result = await (await openStore()).import(sourceOf(file))
      assert.deepEqual([result.kept, result.damaged], [2, 1], `byte ${at}`)
    }
  })

  test('a damaged file is not done: a sound copy with the same size and ends is read', async () => {
    const members = Array.from({ length: 300 }, (_, i) =>
      page(`http://a.test/${i}`, '2024-01-01T00:00:00Z', i, pageText(i, 2_000)),
    )
    const sound = Buffer.concat(members)
    const damaged = Buffer.from(sound)
    damaged[sound.length >> 1]! ^= 0xff
    const store = await openStore()
    assert.deepEqual([(await store.import(sourceOf(damaged))).kept], [299])
    assert.equal((await store.import(sourceOf(damaged))).problemCount, 1, 'told again')
    const { wasDone, kept, known } = await store.import(sourceOf(sound))
    assert.deepEqual([wasDone, kept, known], [false, 1, 299])
    assert.equal((await store.import(sourceOf(sound))).wasDone, true)
  })

  test('records that are no captures are counted by reason', async () => {
    const about = { 'WARC-Date': '2024-01-01T00:00:00Z' }
    const id = (n: number) => ({ 'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-00000000000${n}>` })
    const file = Buffer.concat([
      foreignRecord('warcinfo', { ...about, ...id(1) }, 'software: x\r\n'),
      foreignRecord('response', { ...about, ...id(2), 'WARC-Target-URI': 'dns:a.test' }, 'x'),
      foreignRecord('conversion', { ...about, ...id(3), 'WARC-Target-URI': 'http://a.test/' }, 'x'),
      foreignRecord('continuation', { ...about, ...id(4), 'WARC-Target-URI': 'http://a.test/' }, 'x'),
      foreignRecord('made-up', { ...about, ...id(5) }, 'x'),
      foreignRecord(
        'response',
        { ...about, ...id(6), 'WARC-Target-URI': 'http://a..test/' },
        'HTTP/1.1 200 OK\r\n\r\n',
      ),
      foreignRecord(
        'response',
        { ...id(7), 'WARC-Date': 'yesterday', 'WARC-Target-URI': 'http://a.test/' },
        'HTTP/1.1 200 OK\r\n\r\n',
      ),
      foreignRecord(
        'request',
        { ...about, ...id(8), 'WARC-Target-URI': 'http://a.test/' },
        'GET / HTTP/1.1\r\n\r\n',
      ),
    ])
    const result = await (await openStore()).import(sourceOf(file))
    assert.equal(result.kept, 0)
    assert.deepEqual(result.skippedBy, {
      warcinfo: 1,
      'not-http': 1,
      conversion: 1,
      continuation: 1,
      'unknown-type': 1,
      'bad-url': 1,
      'bad-date': 1,
      unpaired: 1,
    })
    // Answers that are lost are named.
    assert.deepEqual(
      result.problems.map(({ kind, message }) => [kind, message.replace(/^.*its /, '')]),
      [
        ['refused', 'WARC-Target-URI is "http://a..test/".'],
        ['refused', 'WARC-Date is "yesterday".'],
      ],
    )
  })

  test('what was taken down stays out', async () => {
    const store = await openStore()
    await store.takedown({ kind: 'site', site: 'a.test' })
    const result = await store.import(sourceOf(page('http://a.test/', '2024-01-01T00:00:00Z', 1, 'x')))
    assert.deepEqual(result.skippedBy, { 'taken-down': 1 })
  })
})

describe('large and odd records', () => {
  test('a block too large for memory is kept, chunked or not, and its spool goes', async () => {
    const large = Buffer.from(pageText(1, 3_000_000))
    const chunked = Buffer.concat([
      Buffer.from(`${large.length.toString(16)}\r\n`),
      large,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    const head = (extra = '') => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${extra}\r\n`)
    const file = (compression = uncompressed) =>
      Buffer.concat([
        foreignRecord(
          'response',
          {
            ...named('http://a.test/1', '2024-01-01T00:00:00Z', 1),
            'WARC-Payload-Digest': printDigest(digestOf('sha1', large)),
          },
          Buffer.concat([head(), large]),
          compression,
        ),
        foreignRecord(
          'response',
          named('http://a.test/2', '2024-01-01T00:00:00Z', 2),
          Buffer.concat([head('Transfer-Encoding: chunked\r\n'), chunked]),
          compression,
        ),
        foreignRecord(
          'resource',
          { ...named('http://a.test/3', '2024-01-01T00:00:00Z', 3), 'Content-Type': 'text/plain' },
          large,
          compression,
        ),
      ])
    const store = await openStore()
    const result = await store.import(sourceOf(file()))
    assert.deepEqual([result.kept, result.mismatched], [3, 0])
    for (const capture of store.scan({ kind: 'all' })) {
      assert.deepEqual(await bytesOf((await store.read(capture)).payload()), large)
    }
    assert.equal((await store.stat()).distinctPayloads, 1)
    assert.deepEqual(await readdir(join(store.folder, 'spool')), [])
    const before = await footprint(store)
    assert.equal((await store.import(sourceOf(file()), { again: true })).known, 3)
    assert.deepEqual(await footprint(store), before)
  })

  test('answers that are no HTTP, and record ids that are no UUIDs', async () => {
    const store = await openStore()
    const fields = {
      ...named('http://a.test/', '2024-01-01T00:00:00.123456Z', 1),
      'WARC-Record-ID': '<http://tool.test/records/17>',
    }
    const file = foreignRecord(
      'response',
      { ...fields, 'WARC-IP-Address': '2001:db8::1', 'WARC-Truncated': 'length' },
      'no head at all',
    )
    assert.equal((await store.import(sourceOf(file))).kept, 1)
    assert.equal((await store.import(sourceOf(file), { again: true })).known, 1)
    const [capture] = store.scan({ kind: 'all' })
    assert.equal(capture!.capturedAtMs, start + 123)
    assert.equal(await textOf((await store.read(capture!)).payload()), 'no head at all')
  })
})

describe('volumes of ours', () => {
  test('are imported with their deltas, revisits and contents, in any order', async () => {
    const store = await openStore()
    let text = pageText(7, 20_000)
    const texts: string[] = []
    for (let version = 0; version < 6; version++) {
      text = text.replace('<p', `<p data-version="${version}"`)
      texts.push(text)
      await store.append(pageCapture('http://a.test/news', start + version * 86_400_000, text))
    }
    await store.append(pageCapture('http://a.test/copy', start, texts[3]!))
    const key = await store.put(Buffer.from('bytes alone'))
    assert.ok([...store.scan({ kind: 'all' })].some(({ kind }) => kind === 'delta'))
    const folder = join(store.folder, 'volumes')
    const { readFile } = await import('node:fs/promises')
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.gz'))
    const volume = await readFile(join(folder, name!))
    const members = splitMembers(volume)
    for (const file of [volume, Buffer.concat(members.toReversed())]) {
      const other = await openStore()
      const result = await other.import(sourceOf(file))
      assert.deepEqual([result.damaged, result.problemCount], [0, 0])
      const versions = [...other.versions(parseUrl('http://a.test/news'))]
      assert.equal(versions.length, texts.length)
      for (const [version, capture] of versions.entries()) {
        assert.equal(await textOf((await other.read(capture)).payload()), texts[version])
      }
      assert.equal(await payload(other, 'http://a.test/copy'), texts[3])
      assert.equal(await textOf(other.get(key)), 'bytes alone')
      const before = await footprint(other)
      await other.import(sourceOf(file), { again: true })
      assert.deepEqual(await footprint(other), before)
    }
  })

  test('a delta whose base is nowhere is reported, and tried again by the next import', async () => {
    const store = await openStore()
    const first = pageText(7, 20_000)
    await store.append(pageCapture('http://a.test/', start, first))
    await store.append(pageCapture('http://a.test/', start + 1000, first.replace('<p', '<p id="x"')))
    const folder = join(store.folder, 'volumes')
    const { readFile } = await import('node:fs/promises')
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.gz'))
    const [info, base, delta] = splitMembers(await readFile(join(folder, name!)))
    const other = await openStore()
    const alone = Buffer.concat([info!, delta!])
    const result = await other.import(sourceOf(alone))
    assert.equal(result.problems[0]!.kind, 'missing-base')
    await other.import(sourceOf(base!))
    assert.equal((await other.import(sourceOf(alone))).kept, 1)
    assert.equal((await other.stat()).captures, 2)
  })
})

/** The gzip members of a volume. */
function splitMembers(volume: Buffer): Buffer[] {
  const starts: number[] = []
  const magic = Buffer.from([0x1f, 0x8b, 0x08, 0x00])
  for (let at = volume.indexOf(magic); at >= 0; at = volume.indexOf(magic, at + 1)) starts.push(at)
  return starts.map((at, i) => volume.subarray(at, starts[i + 1] ?? volume.length))
}

describe('what other tools take is taken', () => {
  const body = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nthe page'
  const record = (lines: string[], block = body, end = '\r\n') =>
    Buffer.from(
      `${[
        'WARC/1.0',
        'WARC-Type: response',
        ...lines,
        `Content-Length: ${Buffer.byteLength(block)}`,
        '',
        block,
      ].join(end)}\r\n\r\n`,
      'latin1',
    )
  const about = () => ['WARC-Target-URI: http://a.test/', 'WARC-Date: 2024-01-01T00:00:00Z']
  const arc = (digits: string, text: string) => {
    const answer = `HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n${text}`
    return `http://a.test/ 192.0.2.1 ${digits} text/html ${answer.length}\n${answer}\n`
  }

  test.each([
    ['a record without an id', record(about()), 'http://a.test/'],
    [
      'a date without Z',
      record([...about().slice(0, 1), 'WARC-Date: 2024-01-01T00:00:00']),
      'http://a.test/',
    ],
    ['lines that end in CR CR LF', record(about(), body, '\r\r\n'), 'http://a.test/'],
    ['an answer that is called text/html', record([...about(), 'Content-Type: text/html']), 'http://a.test/'],
    ['an answer of Shoutcast', record(about(), body.replace('HTTP/1.1', 'ICY')), 'http://a.test/'],
    ['ARC with a date of 10 digits', Buffer.from(arc('2024010100', 'the page')), 'http://a.test/'],
  ])('%s', async (_, file, url) => {
    const store = await openStore()
    const result = await store.import(sourceOf(file))
    assert.deepEqual([result.kept, result.problems], [1, []])
    const [capture] = store.versions(parseUrl(url))
    assert.deepEqual([capture!.status, capture!.capturedAtMs], [200, Date.UTC(2024, 0, 1)])
    assert.equal(await payload(store, url), 'the page')
  })

  test.each([
    [
      'records with one id',
      [1, 2].map((n) => page('http://a.test/', '2024-01-01T00:00:00Z', 1, `page ${n}`)),
    ],
    ['records without any', ['one', 'two'].map((text) => record(about(), body.replace('the page', text)))],
    ['lines of ARC', ['one', 'two'].map((text) => Buffer.from(arc('20240101000000', text)))],
  ])('two different answers in equal %s are both kept, and it is told', async (_, files) => {
    const store = await openStore()
    for (const again of [false, true]) {
      const result = await store.import(sourceOf(Buffer.concat(files)), { again })
      assert.deepEqual([result.kept, result.known], again ? [0, 2] : [2, 0])
      assert.deepEqual(
        result.problems.map(({ kind }) => kind),
        ['same-id'],
      )
    }
    assert.equal([...store.versions(parseUrl('http://a.test/'))].length, 2)
  })

  test('the first segment of a record that was cut up is told of', async () => {
    const store = await openStore()
    const file = page('http://a.test/', '2024-01-01T00:00:00Z', 1, 'the pa', { 'WARC-Segment-Number': '1' })
    const { kept, problems } = await store.import(sourceOf(file))
    assert.deepEqual([kept, problems.map(({ kind }) => kind)], [1, ['segmented']])
  })
})
