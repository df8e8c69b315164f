import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { localWorld } from '../platform/real/local-world.ts'
import type { SimulatedMachine } from '../platform/simulated/machine.ts'
import { type SimulatedWorld, simulatedWorld } from '../platform/simulated/world.ts'
import { CaptureSigner } from '../proof/capture-signer.ts'
import { areEqual } from '../proof/merkle-tree.ts'
import type { Capture, NewCapture } from './capture.ts'
import { sourceOf } from './fixtures/archive-source.ts'
import { openStore } from './fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from './fixtures/sample-captures.ts'
import { rebuildIndex } from './rebuild/rebuild.ts'
import { Store } from './store.ts'

const ours = Buffer.alloc(32, 5)

async function openOn(machine: SimulatedMachine, seed?: Uint8Array): Promise<Store> {
  const store = await Store.open(machine, '/store', sampleOptions)
  if (seed !== undefined) store.signWith(new CaptureSigner(machine, seed))
  return store
}

function withStores(
  body: (ours: Store, other: Store, world: SimulatedWorld) => Promise<void>,
): Promise<void> {
  const world = simulatedWorld({ seed: 1 })
  const run = async (): Promise<void> => {
    const [one, other] = [await openOn(world.machine('a'), ours), await openOn(world.machine('b'))]
    await body(one, other, world)
    await one.close()
    await other.close()
  }
  return world.complete(run())
}

async function keep(store: Store, capture: NewCapture): Promise<Capture> {
  return (await store.append(capture, { isOurs: true })).capture
}

/** Of every kind: whole, the same again, a small change, not modified, without HTTP. */
async function keepAll(store: Store, nowMs: number): Promise<Capture[]> {
  const url = 'http://a.test/'
  const body = pageText(1, 20_000)
  const about = { ipAddress: '192.0.2.1', certificate: 'ab'.repeat(32) }
  const first = await keep(store, { ...pageCapture(url, nowMs, body), ...about })
  const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')
  const notModified = Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n')
  const of = { url, capturedAtMs: first.capturedAtMs, recordId: first.recordId }
  return [
    first,
    await keep(store, { ...pageCapture('http://b.test/', nowMs + 1, body), ...about }),
    await keep(store, pageCapture(url, nowMs + 2, body.replace('Page', 'Sheet'))),
    await keep(store, {
      ...pageCapture(url, nowMs + 3, ''),
      block: notModified,
      revisit: { kind: 'not-modified', of },
    }),
    await keep(store, { ...pageCapture('http://c.test/', nowMs + 4, ''), block: chunked }),
    await keep(store, {
      ...pageCapture('http://d.test/', nowMs + 5, ''),
      block: Buffer.from('bytes'),
      contentType: 'text/plain',
    }),
  ]
}

/** The copy of a capture, unpacked and with this done to it. */
function forged(copy: Uint8Array, change: (text: string) => string): Uint8Array {
  const text = gunzipSync(copy).toString('latin1')
  const changed = change(text)
  assert.notEqual(changed, text)
  return Buffer.concat(
    changed.split(/(?<=\r\n\r\n)(?=WARC\/1\.1\r\n)/).map((record) => gzipSync(Buffer.from(record, 'latin1'))),
  )
}

describe('signed captures', () => {
  test('hold in whatever way they are stored, here and elsewhere', () =>
    withStores(async (store, other, world) => {
      const kept = await keepAll(store, world.machine('a').clock.nowMs())
      assert.deepEqual(
        kept.map(({ kind }) => kind),
        ['full', 'same', 'delta', 'not-modified', 'full', 'plain'],
      )
      for (const capture of kept) {
        for (const isWhole of [false, true]) {
          const copy = await store.give(capture.cursor, { isWhole })
          if (!isWhole || capture.kind !== 'not-modified') await other.take(copy!)
        }
      }
      for (const from of [store, other]) {
        const captures = [...from.scan({ kind: 'all' })]
        assert.equal(captures.length, kept.length)
        for (const capture of captures) {
          const { isRight, signature } = await from.proof(capture)
          assert(isRight && signature !== undefined, `${capture.kind} ${capture.url}`)
          assert(areEqual(signature.key, new CaptureSigner(world.machine('a'), ours).key.publicKey))
        }
      }
      // Ours are for our log, and not for that of who keeps a copy.
      assert.equal(store.unlogged.entries(100).length, kept.length)
      assert.equal(other.unlogged.entries(100).length, 0)
    }))

  test('are refused when anything that was signed is another', () =>
    withStores(async (store, other, world) => {
      const nowMs = world.machine('a').clock.nowMs()
      const about = { ipAddress: '192.0.2.1', certificate: 'ab'.repeat(32) }
      const capture = await keep(store, { ...pageCapture('http://a.test/', nowMs, 'page'), ...about })
      const later = await keep(store, {
        ...pageCapture('http://a.test/', nowMs + 9_000, 'other page'),
        ...about,
      })
      const copy = (await store.give(capture.cursor)) as Uint8Array
      const otherCopy = (await store.give(later.cursor)) as Uint8Array
      const [, signature] = /Polyhistor-Signature: (\S+)/.exec(gunzipSync(otherCopy).toString('latin1'))!
      const lies: ((text: string) => string)[] = [
        (text) => text.replaceAll('http://a.test/', 'http://b.test/'),
        (text) => text.replaceAll(/WARC-Date: 2\d/g, 'WARC-Date: 19'),
        (text) => text.replace('192.0.2.1', '192.0.2.2'),
        (text) => text.replace('sha256:abab', 'sha256:cdab'),
        (text) => text.replace('HTTP/1.1 200', 'HTTP/1.1 203').replace(/WARC-Block-Digest: \S+\r\n/, ''),
        (text) =>
          text.replace(
            /(Polyhistor-Signature: .{20})./,
            (all, start) => start + (all.endsWith('A') ? 'B' : 'A'),
          ),
        // Replayed: true, of another capture.
        (text) => text.replace(/Polyhistor-Signature: \S+/, `Polyhistor-Signature: ${signature}`),
        (text) => text.replace(/Polyhistor-Signature: \S+/, 'Polyhistor-Signature: none'),
      ]
      for (const lie of lies)
        await assert.rejects(other.take(forged(copy, lie)), { name: 'WarcDamage' }, String(lie))
      assert.deepEqual([...other.scan({ kind: 'all' })], [])
      assert.equal(await other.take(copy), 'kept')
    }))

  test('are verified when they are read: one that was changed on disk is not served', async () => {
    const store = await openStore({})
    store.signWith(new CaptureSigner(localWorld(), ours))
    const nowMs = Date.now()
    for (const [host, address] of [
      ['a', '192.0.2.1'],
      ['b', '192.0.2.7'],
    ])
      await keep(store, { ...pageCapture(`http://${host}.test/`, nowMs, host!), ipAddress: address })
    const read = async (from: Store, url: string) =>
      bytesOf((await from.read(from.nearest(parseUrl(url), 0)!)).payload())
    assert.equal((await read(store, 'http://a.test/')).toString(), 'a')
    const { path } = (await store.stat()).volumes[0]!
    await store.close()
    const bytes = readFileSync(path)
    writeFileSync(
      path,
      forged(bytes, (text) => text.replaceAll('192.0.2.1', '192.0.2.2')),
    )
    const { indexBytesMax, volumeBytesMax } = sampleOptions
    await rebuildIndex(localWorld(), store.folder, { indexBytesMax, volumeBytesMax })
    const again = await openStore({}, store.folder)
    await assert.rejects(read(again, 'http://a.test/'), { code: 'store-content-damaged' })
    assert.equal((await read(again, 'http://b.test/')).toString(), 'b')
  })

  test('cannot be dated back by who signs them', () =>
    withStores(async (store, other, world) => {
      const nowMs = world.machine('a').clock.nowMs()
      const lying = new CaptureSigner(world.machine('a'), ours)
      const early = await keep(store, pageCapture('http://a.test/', nowMs - 3 * 86_400_000, 'page'))
      assert.equal((await store.proof(early)).field, undefined)
      const { facts } = await store.proof(early)
      const { field } = await lying.sign({ facts, isImported: false })
      const copy = forged((await store.give(early.cursor)) as Uint8Array, (text) =>
        text.replace('WARC-Type: response\r\n', `WARC-Type: response\r\nPolyhistor-Signature: ${field}\r\n`),
      )
      await assert.rejects(other.take(copy), { message: /the signature of .* does not hold/ })
    }))

  test('keep the signature of who made them when they are imported; others are signed as imported', () =>
    withStores(async (store, other, world) => {
      await keepAll(store, world.machine('a').clock.nowMs())
      const file = await bytesOf(store.export({ format: 'warc' }).chunks)
      other.signWith(new CaptureSigner(world.machine('b'), Buffer.alloc(32, 6)))
      const unsigned = gzipSync(
        gunzipSync(file)
          .toString('latin1')
          .replaceAll(/Polyhistor-Signature: \S+\r\n/g, '')
          .replaceAll('.test/', '.example/'),
      )
      const { damaged } = await other.import(sourceOf(file), { importedBy: 'b' })
      assert.equal(damaged, 0)
      await other.import(sourceOf(unsigned), { importedBy: 'b' })
      for (const capture of other.scan({ kind: 'all' })) {
        const { isRight, signature } = await other.proof(capture)
        assert(isRight, capture.url)
        assert.equal(signature?.isImported, capture.url.includes('.example/'), capture.url)
        assert.equal(capture.importedBy, 'b')
      }
    }))
})
