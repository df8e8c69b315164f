import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { gzip, zstd } from '../../formats/warc/compression/compression.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import { digestOf, printDigest } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import type { Capture } from '../capture.ts'
import { foreignRecord, sourceOf } from '../fixtures/archive-source.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from '../fixtures/sample-captures.ts'
import { Store, type StoreOptions } from '../store.ts'
import type { CaptureCopy, ReceiveOutcome } from './copying.ts'

const url = 'http://a.test/page'
const request = Buffer.from('GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n')
const metadata = [['fetchTimeMs', '7'] as const]
const world = simulatedWorld({ seed: 1 })
const open: Store[] = []
let machines = 0

afterEach(async () => {
  for (const store of open.splice(0)) await world.complete(store.close())
})

async function storeWith(options: Partial<StoreOptions> = {}): Promise<Store> {
  const machine = world.machine(`machine ${machines++}`)
  const store = await world.complete(Store.open(machine, '/store', { ...sampleOptions, ...options }))
  open.push(store)
  return store
}

async function keep(store: Store, atMs: number, body: string | Uint8Array, where = url): Promise<Capture> {
  const { capture } = await world.complete(
    store.append(pageCapture(where, atMs, body, { request, metadata })),
  )
  return capture
}

const give = (store: Store, { cursor }: Capture, isWhole = false) =>
  world.complete(store.give(cursor, { isWhole })) as Promise<CaptureCopy>
const take = (store: Store, copy: CaptureCopy, isWhole = false): Promise<ReceiveOutcome> =>
  world.complete(store.take(copy, { isWhole }))

async function contentsOf(store: Store): Promise<string[]> {
  const read = async (): Promise<string[]> => {
    const found: string[] = []
    for (const capture of store.scan({ kind: 'all' })) {
      const { head, payload } = await store.read(capture)
      found.push(
        [capture.url, capture.capturedAtMs, capture.recordId, head, await bytesOf(payload())].join('\n'),
      )
    }
    return found
  }
  return world.complete(read())
}

const makes = {
  gzip: { compression: gzip },
  zstd: { compression: zstd },
  none: { compression: { kind: 'none' } },
} as const
const pairs = Object.keys(makes).flatMap((from) => Object.keys(makes).map((to) => [from, to] as const))

describe('a capture that is given and taken', () => {
  test.each(pairs)('reads the same there, from %s to %s', async (from, to) => {
    const [sender, receiver] = [await storeWith(makes[from as 'gzip']), await storeWith(makes[to as 'gzip'])]
    const body = pageText(1, 20_000)
    const captures = [
      await keep(sender, 1_000, body),
      await keep(sender, 2_000, body),
      await keep(sender, 3_000, body.replace('Page', 'Sheet')),
      await keep(sender, 4_000, ''),
    ]
    assert.deepEqual(
      captures.map(({ kind }) => kind),
      ['full', 'same', 'delta', 'full'],
    )
    for (const capture of captures) assert.equal(await take(receiver, await give(sender, capture)), 'kept')
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
    assert.deepEqual(await world.complete(receiver.checkIndex()), [])
  })

  test('is a view of a page there, too: also one that looks as before', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const page = parseUrl(url)
    const views: Capture[] = []
    for (const [index, bytes] of ['picture', 'picture', 'other'].entries()) {
      const view = {
        url: viewUrl(page, 'thumbnail')!,
        targetUri: viewTarget(url, 'thumbnail'),
        capturedAtMs: 1_000 * index,
        contentType: 'image/jpeg',
        block: Buffer.from(bytes.repeat(100)),
      }
      views.push((await world.complete(sender.append(view))).capture)
    }
    const right = [
      ['plain', 'image/jpeg'],
      ['same', 'image/jpeg'],
      ['plain', 'image/jpeg'],
    ]
    const kept = (captures: Iterable<Capture>) => [...captures].map(({ kind, mime }) => [kind, mime])
    assert.deepEqual(kept(views), right)
    for (const view of views) assert.equal(await take(receiver, await give(sender, view)), 'kept')
    assert.deepEqual(kept(receiver.scan({ kind: 'all' })), right)
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
    assert.deepEqual(await world.complete(receiver.checkIndex()), [])
    assert.equal(await world.complete(receiver.takedown({ kind: 'url', url })), 3)
    assert.deepEqual([...receiver.scan({ kind: 'all' })], [])
  })

  test('is a delta there, too, and reads from the disk', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith({ cacheBytes: 0 })]
    const body = pageText(1, 20_000)
    const bodies = [body, body.replace('Page', 'Sheet'), body.replace('Page', 'Leaf')]
    for (const [index, text] of bodies.entries()) {
      await take(receiver, await give(sender, await keep(sender, 1_000 * index, text)))
    }
    const kinds = Array.from(receiver.scan({ kind: 'all' }), ({ kind }) => kind)
    assert.deepEqual(kinds, ['full', 'delta', 'delta'])
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
    assert.deepEqual(await world.complete(receiver.checkIndex()), [])
  })

  test('is no delta where chains are not to be so long', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith({ deltaChainMax: 0, cacheBytes: 0 })]
    const body = pageText(1, 20_000)
    for (const [index, text] of [body, body.replace('Page', 'Sheet')].entries()) {
      await take(receiver, await give(sender, await keep(sender, 1_000 * index, text)))
    }
    const kinds = Array.from(receiver.scan({ kind: 'all' }), ({ kind }) => kind)
    assert.deepEqual(kinds, ['full', 'full'])
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
  })

  test('has the same records there, byte for byte, where both compress alike', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const capture = await keep(sender, 1_000, pageText(2, 5_000))
    const copy = await give(sender, capture)
    await take(receiver, copy)
    const [taken] = receiver.scan({ kind: 'all' })
    assert.deepEqual(await give(receiver, taken!), copy)
  })

  test('is known the second time', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const capture = await keep(sender, 1_000, 'page')
    await take(receiver, await give(sender, capture))
    assert.equal(await take(receiver, await give(sender, capture)), 'known')
    assert.equal((await contentsOf(receiver)).length, 1)
  })

  test('goes back and forth without becoming two', async () => {
    const [one, other] = [await storeWith(), await storeWith({ compression: zstd })]
    await take(other, await give(one, await keep(one, 1_000, 'page')))
    const [taken] = other.scan({ kind: 'all' })
    assert.equal(await take(one, await give(other, taken!)), 'known')
  })

  test('may be too large for one piece', async () => {
    // On a real disk: what flows through a decompressor is not simulated.
    const [sender, receiver] = [await openStore(), await openStore()]
    const body = createHash('shake256', { outputLength: 3_000_000 }).update('large').digest()
    const { capture } = await sender.append(pageCapture(url, 1_000, body, { request, metadata }))
    const copy = await sender.give(capture.cursor)
    assert(copy !== undefined && !(copy instanceof Uint8Array))
    assert.equal(await receiver.take(copy), 'kept')
    const [taken] = receiver.scan({ kind: 'all' })
    const { payload } = await receiver.read(taken!)
    assert.deepEqual(await bytesOf(payload()), body)
    assert.deepEqual(await receiver.checkIndex(), [])
  })
})

describe('what the receiver cannot resolve', () => {
  test.each([
    ['same', (body: string) => body],
    ['delta', (body: string) => body.replace('Page', 'Sheet')],
  ])('goes whole when it says so: %s', async (kind, change) => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const body = pageText(3, 20_000)
    await keep(sender, 1_000, body)
    const capture = await keep(sender, 2_000, change(body))
    assert.equal(capture.kind, kind)
    assert.equal(await take(receiver, await give(sender, capture)), 'lacking')
    assert.deepEqual(await contentsOf(receiver), [])
    assert.equal(await take(receiver, await give(sender, capture, true)), 'kept')
    assert.deepEqual(await contentsOf(receiver), (await contentsOf(sender)).slice(1))
  })
})

describe('a revisit of what is nowhere', () => {
  const body = 'what it repeats'
  const fields = (id: number, date: string) => ({
    'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-00000000000${id}>`,
    'WARC-Date': date,
    'WARC-Target-URI': url,
    'WARC-Payload-Digest': printDigest(digestOf('sha1', body)),
    'Content-Type': 'application/http; msgtype=response',
  })
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
  const profile = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'
  const repeated = {
    ...fields(2, '2024-01-02T00:00:00Z'),
    'WARC-Profile': profile,
    'WARC-Refers-To-Target-URI': url,
    'WARC-Refers-To-Date': '2024-01-01T00:00:00Z',
  }
  const revisit = foreignRecord('revisit', repeated, head)
  const original = foreignRecord('response', fields(1, '2024-01-01T00:00:00Z'), head + body)

  test('is copied as it is, and reads once what it repeats has come', async () => {
    const [sender, receiver, third] = [await storeWith(), await storeWith(), await storeWith()]
    await world.complete(sender.import(sourceOf(revisit)))
    const [waiting] = [...sender.scan({ kind: 'all' })]
    assert.equal(await take(receiver, await give(sender, waiting!)), 'lacking')
    assert.equal(await take(receiver, await give(sender, waiting!, true), true), 'kept')
    assert.equal(await take(receiver, await give(sender, waiting!, true), true), 'known')
    const [copied] = [...receiver.scan({ kind: 'all' })]
    await assert.rejects(world.complete(receiver.read(copied!)), { code: 'store-content-missing' })
    assert.deepEqual(await world.complete(receiver.checkIndex()), [])
    await world.complete(third.import(sourceOf(original)))
    const [whole] = [...third.scan({ kind: 'all' })]
    assert.equal(await take(receiver, await give(third, whole!)), 'kept')
    const { payload } = await world.complete(receiver.read(copied!))
    assert.equal(String(await world.complete(bytesOf(payload()))), body)
  })
})

describe('what is wrong', () => {
  test('a byte of it: nothing is kept, whichever it is', async () => {
    const [sender, receiver] = [await storeWith(makes.none), await storeWith()]
    const copy = (await give(sender, await keep(sender, 1_000, 'a page with words'))) as Uint8Array
    const start = Buffer.from(copy).indexOf('a page with words')
    for (let at = start; at < start + 17; at++) {
      const spoilt = Uint8Array.from(copy)
      spoilt[at]! ^= 1
      await assert.rejects(take(receiver, spoilt), { code: 'warc-digest-mismatch' })
    }
    assert.deepEqual(await contentsOf(receiver), [])
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['no record', Buffer.from('what is this?')],
    ['a request alone', Buffer.from('WARC/1.1\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\n')],
  ])('%s is refused', async (_, bytes) => {
    const receiver = await storeWith()
    await assert.rejects(take(receiver, bytes), /./)
  })

  test.each(Object.keys(makes))('whatever is done to its bytes, it is taken or refused: %s', async (make) => {
    const [sender, receiver] = [await storeWith(makes[make as 'gzip']), await storeWith()]
    const body = pageText(4, 3_000)
    const copies: Uint8Array[] = []
    for (const [index, text] of [body, body, body.replace('Page', 'Sheet')].entries()) {
      copies.push((await give(sender, await keep(sender, 1_000 * index, text))) as Uint8Array)
    }
    for (let round = 0; round < 300; round++) {
      const copy = Buffer.from(copies[round % copies.length]!)
      const at = world.random.below(copy.length)
      const spoilt = [
        () => copy.fill(world.random.below(256), at, Math.min(copy.length, at + 1 + world.random.below(8))),
        () => copy.subarray(0, at),
        () => copy.subarray(at),
        () => Buffer.concat([copy.subarray(0, at), world.random.bytes(20), copy.subarray(at)]),
      ][world.random.below(4)]!()
      await take(receiver, spoilt).catch((error) => assert(error instanceof PolyhistorError, error))
    }
    // Nothing covers the head of a record that is not compressed: with another date it is another capture of the same id.
    const problems = await world.complete(receiver.checkIndex())
    assert.deepEqual(
      problems.filter((problem) => !/record id/.test(problem)),
      [],
    )
    if (make !== 'none') assert.deepEqual(problems, [])
    const bodies = await contentsOf(receiver)
    assert(
      bodies.every((content) => content.includes(body) || content.includes(body.replace('Page', 'Sheet'))),
    )
  })

  test('two captures in one copy are refused', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const copies = [
      await give(sender, await keep(sender, 1_000, 'a')),
      await give(sender, await keep(sender, 2_000, 'b')),
    ]
    await assert.rejects(take(receiver, Buffer.concat(copies as Uint8Array[])), { code: 'warc-not-a-record' })
    assert.deepEqual(await contentsOf(receiver), [])
  })

  test('what was taken down here is not taken, and not given', async () => {
    const [sender, receiver] = [await storeWith(), await storeWith()]
    const capture = await keep(sender, 1_000, 'page')
    const copy = await give(sender, capture)
    await world.complete(receiver.takedown({ kind: 'url', url }))
    assert.equal(await take(receiver, copy), 'taken-down')
    await world.complete(sender.takedown({ kind: 'url', url }))
    assert.equal(await give(sender, capture), undefined)
  })
})
