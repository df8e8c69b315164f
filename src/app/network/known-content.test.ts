import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'vitest'
import { digestOf } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { placeOfDigest } from '../../network/content-directory/content-row.ts'
import { ownerAnswers } from '../../network/content-directory/questions.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { sourceOf } from '../../store/fixtures/archive-source.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText } from '../../store/fixtures/sample-captures.ts'
import type { ArchivingOptions, ArchivingPeer } from '../fixtures/archiving-peer.ts'
import { ArchivingPeers } from '../fixtures/archiving-peers.ts'
import { otherKeepers } from '../store/store-elsewhere.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
const body = pageText(1, 20_000)
const digest = digestOf('sha256', Buffer.from(body))
const first = 'http://first.test/'
const open: ArchivingPeers[] = []

afterEach(async () => {
  for (const peers of open.splice(0)) await peers.close()
})

async function peersOf(count: number, options: ArchivingOptions = {}): Promise<ArchivingPeers> {
  const peers = new ArchivingPeers(simulatedWorld({ seed: count }), options)
  open.push(peers)
  await peers.start(...names.slice(0, count))
  return peers
}

/** URLs of sites whose owners have never had the payload. */
function strangers(peers: ArchivingPeers, count: number, wanted = digest): string[] {
  const urls = Array.from({ length: 300 }, (_, number) => `http://site-${number}.test/`)
  return urls.filter((url) => !peers.ownerOf(url).store.elsewhere.has(wanted)).slice(0, count)
}

const has = ({ store }: ArchivingPeer): boolean => store.elsewhere.has(digest)
const everywhere = (peers: ArchivingPeers): (string | undefined)[] => peers.all.map(() => body)

async function volumeBytes(peers: ArchivingPeers): Promise<number> {
  let bytes = 0
  for (const { store } of peers.all) {
    const { volumes } = await peers.world.complete(store.stat())
    for (const volume of volumes) bytes += volume.bytes
  }
  return bytes
}

describe('a payload that another site had', () => {
  test('is kept once in the network, and every capture of it reads back byte-exact from every peer', async () => {
    const taken: number[] = []
    const large = pageText(2, 200_000)
    const largeDigest = digestOf('sha256', Buffer.from(large))
    for (const hasKnownContent of [true, false]) {
      const peers = await peersOf(7, { hasKnownContent })
      await peers.visit(first, 1_000, large)
      const urls = strangers(peers, 6, largeDigest)
      const beforeBytes = await volumeBytes(peers)
      for (const url of urls) {
        const { kept, capture } = await peers.visit(url, 2_000, large)
        assert.equal(kept.as, 'new')
        assert.equal(capture.isElsewhere, hasKnownContent)
      }
      await peers.world.advance(60_000)
      taken.push((await volumeBytes(peers)) - beforeBytes)
      if (hasKnownContent)
        assert.equal(peers.all.filter(({ store }) => store.elsewhere.has(largeDigest)).length, 3)
      for (const url of [first, ...urls])
        assert.deepEqual(
          await peers.readEverywhere(url),
          peers.all.map(() => large),
        )
      assert.deepEqual(await peers.checkIndexes(), [])
    }
    assert.ok(taken[0]! * 10 < taken[1]!, `${taken[0]} bytes instead of ${taken[1]}`)
  })

  test('is kept once also where the owner of a site keeps it for another, and those with copies do not', async () => {
    const peers = await peersOf(7)
    await peers.visit(first, 1_000, body)
    const urls = Array.from({ length: 300 }, (_, number) => `http://site-${number}.test/`)
    const url = urls.find((one) => has(peers.ownerOf(one)) && !peers.keepersOf(one).every(has))!
    assert.ok((await peers.visit(url, 2_000, body)).capture.isElsewhere)
    await peers.world.advance(30_000)
    assert.equal(peers.all.filter(has).length, 3)
    assert.deepEqual(await peers.readEverywhere(url), everywhere(peers))
  })

  test('is asked about when an archive is imported, many at once, and what is new there is told', async () => {
    const peers = await peersOf(6)
    await peers.visit(first, 1_000, body)
    const [second] = strangers(peers, 1) as [string]
    const archive = await openStore()
    for (const [number, path] of ['', 'a', 'b'].entries())
      await archive.append(pageCapture(`${second}${path}`, 2_000 + number, body))
    for (let number = 0; number < 20; number++)
      await archive.append(pageCapture(`${second}new/${number}`, 3_000, pageText(number + 2, 9_000)))
    const exported = await bytesOf(archive.export({ format: 'warc', selection: { kind: 'all' } }).chunks)
    const { store, contents } = peers.ownerOf(second)
    const importing = () => store.import(sourceOf(exported), { others: otherKeepers(contents), again: true })
    const result = await peers.world.complete(importing())
    assert.deepEqual([result.kept, result.damaged], [23, 0])
    for (const path of ['', 'a', 'b']) {
      const [capture] = store.versions(parseUrl(`${second}${path}`))
      assert.ok(capture!.isElsewhere, path)
    }
    assert.ok(!has(peers.ownerOf(second)))
    assert.ok(contents!.status().asked >= 21)
    await peers.world.advance(60_000)
    for (const path of ['', 'a', 'b'])
      assert.deepEqual(await peers.readEverywhere(`${second}${path}`), everywhere(peers))
    assert.equal((await peers.world.complete(importing())).known, 23)
    // What came with it is known to the others.
    const text = pageText(7, 9_000)
    const [other] = strangers(peers, 1, digestOf('sha256', Buffer.from(text)))
    assert.ok((await peers.visit(other!, 5_000, text)).capture.isElsewhere)
    assert.deepEqual(await peers.checkIndexes(), [])
  })

  test('is not asked about when it is small', async () => {
    const peers = await peersOf(5)
    const small = body.slice(0, 4_000)
    await peers.visit(first, 1_000, small)
    const [url] = strangers(peers, 1)
    const { capture } = await peers.visit(url!, 2_000, small)
    assert.equal(capture.kind, 'full')
    for (const { contents } of peers.all) assert.equal(contents!.status().asked, 0)
  })

  test('stays as long as it is needed, whatever becomes of the capture that it came with; a takedown hides that all the same', async () => {
    const peers = await peersOf(6, { endingMs: 1_000, graceMs: 10_000, renewMs: 5_000 })
    await peers.visit(first, 1_000, body)
    const [second, third] = strangers(peers, 2) as [string, string]
    await peers.visit(second, 2_000, body)
    await peers.visit(third, 2_000, body)
    const takeDown = async (url: string): Promise<void> => {
      for (const { store } of peers.all) await peers.world.complete(store.takedown({ kind: 'url', url }))
      await peers.world.advance(40_000)
      await peers.compact()
    }
    await takeDown(first)
    for (const { store } of peers.all) assert.deepEqual([...store.versions(parseUrl(first))], [])
    for (const url of [second, third]) assert.deepEqual(await peers.readEverywhere(url), everywhere(peers))
    await takeDown(second)
    assert.deepEqual(await peers.readEverywhere(third), everywhere(peers))
    await takeDown(third)
    assert.deepEqual(peers.all.filter(has), [])
    assert.deepEqual(await peers.checkIndexes(), [])
  })

  test('is held by those who keep its site now, and let go by who does not any more', async () => {
    const peers = await peersOf(4, { renewMs: 5_000 })
    await peers.visit(first, 1_000, body)
    const [second] = strangers(peers, 1) as [string]
    await peers.visit(second, 2_000, body)
    const before = peers.keepersOf(first)
    await peers.start('v', 'w', 'x', 'y', 'z')
    const now = peers.keepersOf(first)
    const former = before.filter((peer) => !now.includes(peer))
    assert.ok(former.length > 0)
    for (const { store } of former) {
      const cursors = [...store.versions(parseUrl(first))].map(({ cursor }) => cursor)
      await peers.world.complete(store.drop(cursors))
      assert.ok(store.elsewhere.has(digest))
    }
    await peers.world.advance(20_000)
    assert.deepEqual(former.filter(has), [])
    // As if their indexes had been made anew: they are told again.
    for (const { store } of now) await peers.world.complete(store.elsewhere.letGo([digest]))
    await peers.world.advance(20_000)
    for (const { store } of now) await peers.world.complete(store.takedown({ kind: 'url', url: first }))
    await peers.compact()
    assert.deepEqual(now.filter(has), now)
    assert.deepEqual(await peers.readEverywhere(second), everywhere(peers))
    assert.deepEqual(await peers.checkIndexes(), [])
  })

  test('that is lost with all who kept it shows as damaged, and is fetched anew at the next visit', async () => {
    const peers = await peersOf(8)
    await peers.visit(first, 1_000, body)
    const [url] = strangers(peers, 1) as [string]
    await peers.visit(url, 2_000, body)
    assert.ok((await peers.visit(url, 3_000, body)).hadValidators)
    await peers.lose(...peers.keepersOf(first))
    const { store } = peers.ownerOf(url)
    const capture = store.newestNotNewer(parseUrl(url), 3_000)!
    const reading = store.read(capture).then(async ({ payload }) => {
      for await (const _ of payload());
    })
    await assert.rejects(peers.world.complete(reading), { code: 'store-content-damaged' })
    const again = await peers.visit(url, 4_000, body)
    assert.ok(!again.hadValidators)
    assert.equal(again.capture.kind, 'full')
    await peers.world.advance(30_000)
    assert.deepEqual(await peers.readEverywhere(url), everywhere(peers))
    // Known again, with its new place.
    const [other] = strangers(peers, 1)
    assert.ok((await peers.visit(other!, 5_000, body)).capture.isElsewhere)
  })
})

describe('a directory', () => {
  test('that is wrong costs a question: what its keepers have not is kept whole', async () => {
    const peers = await peersOf(6)
    const [url] = strangers(peers, 1) as [string]
    const recordId = '01234567-89ab-7cde-8f01-23456789abcd'
    const capture = { url: first, capturedAtMs: 1_000, recordId }
    peers.all[0]!.contents!.register({ digest, sizeBytes: body.length, capture })
    await peers.world.advance(5_000)
    assert.equal((await peers.visit(url, 2_000, body)).capture.kind, 'full')
  })

  test('whose owner lies is not believed either', async () => {
    const peers = await peersOf(6)
    const recordId = '01234567-89ab-7cde-8f01-23456789abcd'
    const lie = ownerAnswers.encode([
      { kind: 'known', capture: { url: first, capturedAtMs: 1_000, recordId } },
    ])
    const liar = peers.ownerOfKey(placeOfDigest(digest))
    liar.services.service('content').answer((_, bytes) => (bytes[0] === 0 ? lie : new Uint8Array([0])))
    const url = strangers(peers, 20).find((one) => peers.ownerOf(one) !== liar)!
    assert.equal((await peers.visit(url, 2_000, body)).capture.kind, 'full')
  })

  test('that is silent is not waited for', async () => {
    const peers = await peersOf(6)
    await peers.visit(first, 1_000, body)
    const owner = peers.ownerOfKey(placeOfDigest(digest))
    owner.services.service('content').answer(() => new Promise(() => {}))
    const url = strangers(peers, 20).find((one) => peers.ownerOf(one) !== owner)!
    const asker = peers.ownerOf(url)
    assert.equal((await peers.visit(url, 2_000, body)).capture.kind, 'full')
    assert.equal(asker.contents!.status().late, 1)
  })

  test('outlives its owner', async () => {
    const peers = await peersOf(7)
    await peers.visit(first, 1_000, body)
    await peers.lose(peers.ownerOfKey(placeOfDigest(digest)))
    const [url] = strangers(peers, 1)
    assert.ok((await peers.visit(url!, 2_000, body)).capture.isElsewhere)
  })

  test('follows the ring: it is known to its owner after others came, and after some were lost', async () => {
    const peers = await peersOf(4)
    await peers.visit(first, 1_000, body)
    await peers.start('x', 'y', 'z')
    const [one] = strangers(peers, 1)
    assert.ok((await peers.visit(one!, 2_000, body)).capture.isElsewhere)
    await peers.lose(peers.ownerOfKey(placeOfDigest(digest)))
    const [other] = strangers(peers, 2).filter((url) => url !== one)
    assert.ok((await peers.visit(other!, 3_000, body)).capture.isElsewhere)
  })
})
