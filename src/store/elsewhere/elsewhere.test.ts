import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { digestHex } from '../../model/digest.ts'
import { ringKeyOfSite } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import type { Capture, EarlierCapture, KeepOptions } from '../capture.ts'
import { sourceOf } from '../fixtures/archive-source.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from '../fixtures/sample-captures.ts'
import { Store } from '../store.ts'
import type { ElsewhereSource } from './elsewhere.ts'

const body = pageText(1, 20_000)
const original: EarlierCapture = {
  url: 'http://first.test/page',
  capturedAtMs: 1_000,
  recordId: '01234567-89ab-7cde-8f01-23456789abcd',
}
const url = 'http://second.test/page'
const site = ringKeyOfSite(parseUrl(url).site)
const knownElsewhere: KeepOptions = { elsewhere: async () => original }
const world = simulatedWorld({ seed: 1 })
const open: Store[] = []
let machines = 0

afterEach(async () => {
  for (const store of open.splice(0)) await world.complete(store.close())
})

async function newStore(): Promise<Store> {
  const store = await world.complete(
    Store.open(world.machine(`machine ${machines++}`), '/store', sampleOptions),
  )
  open.push(store)
  return store
}

async function keep(store: Store, atMs: number, options: KeepOptions = {}, where = url): Promise<Capture> {
  return (await world.complete(store.append(pageCapture(where, atMs, body), options))).capture
}

async function keepNotModified(store: Store, atMs: number, of: Capture): Promise<Capture> {
  const answer = pageCapture(url, atMs, '', { status: 304, revisit: { kind: 'not-modified', of } })
  return (await world.complete(store.append(answer))).capture
}

const textIn = (store: Store, capture: Capture): Promise<string> =>
  world.complete(store.read(capture).then(async ({ payload }) => String(await bytesOf(payload()))))

/** Other peers, who have this content; `asked` counts. */
function otherPeers(content: string | undefined): ElsewhereSource & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    content: async (digest, sizeBytes, refersTo) => {
      asked.push(`${digestHex(digest).slice(0, 6)} ${sizeBytes} ${refersTo}`)
      return content === undefined ? undefined : chunksOf(content)
    },
  }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text.slice(0, 100))
  yield Buffer.from(text.slice(100))
}

describe('a payload that other peers keep', () => {
  test('is not stored, and read from them', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000, knownElsewhere)
    const { kind, isElsewhere, payloadBytes } = capture
    assert.deepEqual(
      { kind, isElsewhere, payloadBytes },
      { kind: 'same', isElsewhere: true, payloadBytes: body.length },
    )
    assert.ok(capture.storedBytes < 600)
    const others = otherPeers(body)
    store.elsewhere.reach(others)
    assert.equal(await textIn(store, capture), body)
    assert.equal(await textIn(store, capture), body)
    const asked = `${digestHex(capture.content!.digest).slice(0, 6)} ${body.length} ${original.url}`
    assert.deepEqual(others.asked, [asked, asked])
    assert.deepEqual(await world.complete(store.checkIndex()), [])
    const { dangling, damagedCount } = await world.complete(store.scrub())
    assert.deepEqual({ dangling, damagedCount }, { dangling: 0, damagedCount: 0 })
  })

  test('is read here when it has come since, and not asked about where its own site has it', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000, knownElsewhere)
    await keep(store, 3_000)
    let isAsked = false
    await keep(store, 4_000, { elsewhere: async () => void (isAsked = true) })
    assert.ok(!isAsked)
    assert.equal(await textIn(store, capture), body)
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })

  test('stays theirs where another site has it here: those who get copies need not have it', async () => {
    const store = await newStore()
    await keep(store, 2_000, {}, 'http://third.test/')
    const capture = await keep(store, 3_000, knownElsewhere)
    assert.ok(capture.isElsewhere)
    assert.equal(await textIn(store, capture), body)
    const unknown = await keep(store, 4_000, { elsewhere: async () => undefined })
    assert.deepEqual([unknown.kind, unknown.isElsewhere], ['same', false])
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })

  test('is no base of a delta: not all who get a copy have it', async () => {
    const store = await newStore()
    await keep(store, 2_000, knownElsewhere)
    await keep(store, 2_000, {}, 'http://third.test/')
    const changed = pageCapture(url, 3_000, body.replace('Page', 'Sheet'))
    assert.equal((await world.complete(store.append(changed))).capture.kind, 'full')
  })

  test('stays theirs when the server says that nothing has changed', async () => {
    const store = await newStore()
    const capture = await keepNotModified(store, 3_000, await keep(store, 2_000, knownElsewhere))
    assert.deepEqual([capture.kind, capture.isElsewhere], ['not-modified', true])
    store.elsewhere.reach(otherPeers(body))
    assert.equal(await textIn(store, capture), body)
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })

  test('is damaged when they have it no more, or give other bytes; missing while they cannot be asked', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000, knownElsewhere)
    await assert.rejects(textIn(store, capture), { code: 'store-content-missing' })
    store.elsewhere.reach(otherPeers(undefined))
    await assert.rejects(textIn(store, capture), { code: 'store-content-damaged' })
    store.elsewhere.reach(otherPeers(`${body} `))
    await assert.rejects(textIn(store, capture), { code: 'store-content-damaged' })
    const content = async () => Promise.reject(new PolyhistorError('peer-unreachable', 'silent'))
    store.elsewhere.reach({ content })
    await assert.rejects(textIn(store, capture), { code: 'store-content-missing' })
  })

  test('does not name what it came with where that was taken down, before or after', async () => {
    const store = await newStore()
    const others = otherPeers(body)
    store.elsewhere.reach(others)
    await keep(store, 2_000, knownElsewhere, 'http://third.test/')
    await world.complete(store.takedown({ kind: 'url', url: original.url }))
    await keep(store, 2_000, knownElsewhere)
    await world.complete(store.compact())
    for (const capture of store.scan({ kind: 'all' })) {
      assert.ok(capture.isElsewhere)
      assert.equal(await textIn(store, capture), body)
      const copy = await world.complete(store.give(capture.cursor))
      assert.ok(!String(gunzipSync(copy as Uint8Array)).includes(original.url))
    }
    assert.ok(others.asked.every((one) => !one.includes(original.url)))
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })

  test('is not fetched by those who get a copy of the capture', async () => {
    const [sender, receiver] = [await newStore(), await newStore()]
    const capture = await keep(sender, 2_000, knownElsewhere)
    await keepNotModified(sender, 3_000, capture)
    for (const { cursor } of sender.scan({ kind: 'all' }))
      assert.equal(await world.complete(receiver.take((await world.complete(sender.give(cursor)))!)), 'kept')
    assert.equal(
      await world.complete(receiver.take((await world.complete(sender.give(capture.cursor)))!)),
      'known',
    )
    receiver.elsewhere.reach(otherPeers(body))
    const taken = [...receiver.scan({ kind: 'all' })]
    assert.deepEqual(
      taken.map(({ kind, isElsewhere }) => [kind, isElsewhere]),
      [
        ['same', true],
        ['not-modified', true],
      ],
    )
    for (const one of taken) assert.equal(await textIn(receiver, one), body)
    assert.deepEqual(await world.complete(receiver.checkIndex()), [])
  })

  test('goes whole into an export', async () => {
    const [store, other] = [await newStore(), await newStore()]
    store.elsewhere.reach(otherPeers(body))
    await keepNotModified(store, 3_000, await keep(store, 2_000, knownElsewhere))
    for (const range of [{}, { fromMs: 2_500 }]) {
      const { chunks, result } = store.export({ format: 'warc', ...range })
      const file = await world.complete(bytesOf(chunks))
      assert.equal(result.failed, 0)
      await world.complete(other.import(sourceOf(file)))
    }
    const there = [...other.scan({ kind: 'all' })]
    assert.deepEqual(
      there.map(({ kind, isElsewhere }) => [kind, isElsewhere]),
      [
        ['full', false],
        ['not-modified', false],
      ],
    )
    for (const one of there) assert.equal(await textIn(other, one), body)
    assert.deepEqual(await world.complete(other.checkIndex()), [])
  })
})

describe('what is held for others', () => {
  const digestOf = ({ content }: Capture) => content!.digest
  const hold = (store: Store, capture: Capture) =>
    world.complete(store.elsewhere.hold([{ digest: digestOf(capture), place: site }]))
  const alone = (store: Store) => [...store.elsewhere.heldAlone()].map(({ place }) => place)

  test('stays when its capture is taken down or dropped, and after a compaction', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000)
    assert.deepEqual(await hold(store, capture), [true])
    assert.deepEqual(await hold(store, capture), [true])
    assert.deepEqual(alone(store), [])
    await world.complete(store.takedown({ kind: 'url', url }))
    await world.complete(store.compact())
    assert.deepEqual(alone(store), [site])
    const content = () => world.complete(bytesOf(store.get(capture.content!)))
    assert.equal(String(await content()), body)
    await assert.rejects(world.complete(store.delete(capture.content!)), { code: 'store-not-found' })
    assert.deepEqual(await world.complete(store.checkIndex()), [])
    await world.complete(store.elsewhere.letGo([digestOf(capture)]))
    await world.complete(store.elsewhere.letGo([digestOf(capture)]))
    await assert.rejects(content(), { code: 'store-content-missing' })
    await world.complete(store.compact())
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })

  test('must be here', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000, knownElsewhere)
    assert.deepEqual(await hold(store, capture), [false])
  })
})

describe('references to what others keep', () => {
  const listed = (store: Store) =>
    [...store.elsewhere.references.all()].map((one) => `${digestHex(one.digest).slice(0, 6)} ${one.site}`)

  test('are told by site, and end with the last capture that is taken down', async () => {
    const store = await newStore()
    const capture = await keep(store, 2_000, knownElsewhere)
    await keep(store, 3_000, knownElsewhere, 'http://second.test/other')
    await keep(store, 3_000, knownElsewhere, 'http://third.test/')
    const name = digestHex(capture.content!.digest).slice(0, 6)
    const third = ringKeyOfSite(parseUrl('http://third.test/').site)
    assert.deepEqual(
      listed(store),
      [site, third].sort().map((key) => `${name} ${key}`),
    )
    await world.complete(store.takedown({ kind: 'url', url }))
    assert.deepEqual(store.elsewhere.references.ended(10), [])
    await world.complete(store.takedown({ kind: 'url', url: 'http://second.test/other' }))
    const ended = store.elsewhere.references.ended(10)
    assert.deepEqual(
      ended.map((one) => one.site),
      [site],
    )
    await world.complete(store.elsewhere.references.forgetEnded(ended))
    assert.deepEqual(store.elsewhere.references.ended(10), [])
    assert.deepEqual(listed(store), [`${name} ${third}`])
    assert.deepEqual(await world.complete(store.checkIndex()), [])
  })
})
