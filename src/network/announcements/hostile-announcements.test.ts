import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { AnnouncingPeers, anyKind, simulatedSigner } from '../replication/fixtures/announcing-peers.ts'
import { type Announcement, idOf, statementOf, type UnsignedAnnouncement } from './announcement.ts'
import { nameStart } from './announcement-kind.ts'
import { announcementsQuestion, refusedIds } from './questions.ts'

const context = { channel: 'control' as const, signal: new AbortController().signal }
const evenKind = anyKind('even', {
  countMax: 20,
  bytesMax: 10_000,
  changes: { burst: 5, perMinute: 1 },
  fault: ({ value }) => (value.length % 2 === 0 ? undefined : 'it is odd'),
})

async function network(...names: string[]): Promise<AnnouncingPeers> {
  const peers = new AnnouncingPeers(1, { compareMs: 1_000 })
  peers.kinds = [evenKind, anyKind('job', { bytesMax: 2_000_000 })]
  await peers.start(...names)
  return peers
}

function announcement(
  peers: AnnouncingPeers,
  more: Partial<UnsignedAnnouncement> = {},
  signer = more.peer ?? 'mallory',
): Announcement {
  const version = peers.world.machine('a').clock.nowMs()
  const unsigned = { kind: 'even', name: 'x', value: Buffer.from('22'), peer: 'mallory', version, ...more }
  return { ...unsigned, signature: simulatedSigner(signer).sign(statementOf(unsigned)) }
}

/** Gives the ids that are refused for good. */
async function tell(
  peers: AnnouncingPeers,
  to: string,
  announcements: readonly Announcement[],
): Promise<readonly Uint8Array[]> {
  const bytes = announcementsQuestion.encode({ kind: 'tell', announcements })
  const answering = async (): Promise<Uint8Array> =>
    Buffer.concat([(await peers.peers.get(to)!.answer('mallory', bytes, context)) as Uint8Array])
  return refusedIds.decode(await peers.world.complete(answering()))
}

describe('what a member tells', () => {
  test('is refused when it is unsound, and what is sound in the same message is kept', async () => {
    const peers = await network('a', 'b')
    const odd = announcement(peers, { name: 'odd', value: Buffer.from('333') })
    const unknown = announcement(peers, { kind: 'unheard-of' })
    const forged = announcement(peers, { name: 'forged', peer: 'b' }, 'mallory')
    const ahead = announcement(peers, { name: 'ahead', version: 2 ** 50 })
    const refused = await tell(peers, 'a', [odd, unknown, forged, ahead, announcement(peers)])
    assert.deepEqual(
      refused,
      [idOf(odd), idOf(unknown)].map((id) => Uint8Array.from(id)),
    )
    await peers.world.advance(10_000)
    for (const peer of ['a', 'b']) {
      assert.equal(peers.value(peer, 'even', 'x'), '22')
      for (const name of ['odd', 'forged', 'ahead']) assert.equal(peers.value(peer, 'even', name), undefined)
    }
    const { bySender, byAuthor } = peers.peers.get('a')!.refusals()
    assert.equal(bySender.get('mallory'), 4)
    // Not counted against whom it was forged of.
    assert.deepEqual([...byAuthor], [['mallory', 1]])
  })

  test('cannot be kept from being heard by a copy with a wrong signature', async () => {
    const peers = await network('a')
    const right = announcement(peers, { peer: 'b' })
    await tell(peers, 'a', [{ ...right, signature: new Uint8Array(32) }])
    assert.equal(peers.value('a', 'even', 'x'), undefined)
    await tell(peers, 'a', [right])
    assert.equal(peers.value('a', 'even', 'x'), '22')
  })

  test('is stored within the budget of its author only, and others are heard all the same', async () => {
    const peers = await network('a', 'b')
    for (let count = 0; count < 5; count++) {
      const many = Array.from({ length: 20 }, (_, index) =>
        announcement(peers, { name: `${count} ${index}` }),
      )
      await tell(peers, 'a', many)
    }
    const large = Array.from({ length: 24 }, (_, index) =>
      announcement(peers, { kind: 'job', name: `${index}`, value: new Uint8Array(500_000) }),
    )
    for (const each of large) await tell(peers, 'a', [each])
    await tell(peers, 'a', [announcement(peers, { peer: 'c', name: 'of c' })])
    await peers.world.advance(10_000)
    for (const peer of peers.peers.values()) {
      assert.equal([...peer.all('even')].length, 21)
      assert.equal([...peer.all('job')].length, 3)
    }
  })

  test('does not fill the store beyond its bound, and who has little in it is heard all the same', async () => {
    const peers = new AnnouncingPeers(1, { storeBytesMax: 1_000_000 })
    peers.kinds = [anyKind('job')]
    await peers.start('a')
    for (let author = 0; author < 10; author++) {
      for (let index = 0; index < 3; index++) {
        const peer = `author-${author}`
        await tell(peers, 'a', [
          announcement(peers, {
            kind: 'job',
            name: `${author} ${index}`,
            peer,
            value: new Uint8Array(300_000),
          }),
        ])
      }
    }
    await tell(peers, 'a', [announcement(peers, { kind: 'job', name: 'small', peer: 'honest' })])
    const bytes = [...peers.peers.get('a')!.all('job')].reduce((sum, { value }) => sum + value.length, 0)
    assert(bytes <= 1_000_000, `${bytes} bytes`)
    assert.equal(peers.value('a', 'job', 'small'), '22')
  })

  test('changes only so often', async () => {
    const peers = await network('a')
    for (let change = 0; change < 50; change++)
      await tell(peers, 'a', [
        announcement(peers, { version: 1_000 + change, value: Buffer.from(`${1_000 + change}`) }),
      ])
    assert.equal(peers.value('a', 'even', 'x'), '1005')
  })

  test('is not fetched again and again where it is refused', async () => {
    const peers = await network('a')
    // One that keeps what others refuse.
    peers.kinds = [anyKind('even'), anyKind('job')]
    await peers.start('lax')
    for (let index = 0; index < 5; index++) await peers.put('lax', 'even', `${index}`, 'odd')
    await peers.put('lax', 'even', 'sound', 'even')
    await peers.world.advance(5_000)
    const { bySender } = peers.peers.get('a')!.refusals()
    const refusedOnce = bySender.get('lax')
    await peers.world.advance(60_000)
    assert.equal(peers.value('a', 'even', 'sound'), 'even')
    assert.equal(bySender.get('lax'), refusedOnce)
  })
})

test('an error that an announcement causes in a listener ends with that notice, which is set aside', async () => {
  const peers = await network('a', 'b')
  const a = peers.peers.get('a')!
  const heard: string[] = []
  a.onChange(({ name }) => {
    if (name === 'bad') throw new TypeError('not for me')
    heard.push(name)
  })
  await tell(peers, 'a', [announcement(peers, { name: 'bad' }), announcement(peers, { name: 'good' })])
  await peers.world.advance(60_000)
  assert.deepEqual(heard, ['good'])
  assert.equal(a.get('even', 'bad'), undefined)
  assert.equal(a.status().quarantined, 1)
  peers.crash('a')
  await peers.start('a')
  assert.equal(peers.peers.get('a')!.status().quarantined, 1)
})

describe('a home', () => {
  test('with stored announcements that are unsound opens, sets them aside, and goes on', async () => {
    const peers = await network('a', 'b')
    await peers.put('a', 'even', 'x', '22')
    peers.kinds = [anyKind('even'), anyKind('job')]
    peers.crash('a')
    await peers.start('a')
    await peers.put('a', 'even', 'y', 'odd')
    peers.crash('a')
    peers.kinds = [evenKind]
    const map = await peers.world.complete(restarted(peers, 'a').keyValues.open('/notices'))
    const table = map.table('signed notices')
    await peers.world.complete(
      map.transaction(() => table.put(Buffer.from('garbage'), Buffer.from('garbage garbage garbage'))),
    )
    await peers.world.complete(map.close())
    await peers.start('a')
    const a = peers.peers.get('a')!
    assert.deepEqual(
      [...a.all('even')].map(({ name }) => name),
      ['x'],
    )
    assert.equal(a.status().quarantined, 2)
    await peers.world.advance(10_000)
    await peers.put('a', 'even', 'z', '4444')
    await peers.world.advance(10_000)
    assert.equal(peers.value('b', 'even', 'z'), '4444')
  })

  test('of before announcements were signed opens: they are told in its name, with their versions', async () => {
    const peers = await network('b')
    const map = await peers.world.complete(restarted(peers, 'a').keyValues.open('/notices'))
    const [table, sums] = [map.table('notices'), map.table('sums')]
    const put = (old: UnsignedAnnouncement): void => {
      const bytes = statementOf(old)
      const key = nameStart(old.kind, old.name)
      table.put(key, Buffer.concat([idOf(old), bytes]))
    }
    const old = { kind: 'even', name: 'x', value: Buffer.from('22'), peer: 'somebody', version: 7 }
    await peers.world.complete(
      map.transaction(() => {
        put(old)
        put({ ...old, name: 'ahead', version: 2 ** 50 })
        put({ ...old, name: 'odd', value: Buffer.from('333') })
        sums.put(Buffer.from([1]), Buffer.from([2]))
      }),
    )
    await peers.world.complete(map.close())
    await peers.start('a')
    await peers.world.advance(10_000)
    for (const peer of peers.peers.values()) {
      const [found] = [...peer.named('even', 'x')]
      assert.deepEqual([found?.peer, found?.version], ['a', 7])
      assert.equal(peer.get('even', 'odd'), undefined)
      assert(peer.get('even', 'ahead')!.version < 2 ** 49)
    }
    assert.equal(peers.peers.get('a')!.status().quarantined, 1)
    peers.crash('a')
    await peers.start('a')
    assert.equal([...peers.peers.get('a')!.all('even')].length, 2)
  })
})

function restarted(peers: AnnouncingPeers, name: string) {
  const machine = peers.world.machine(name)
  if (!machine.isUp) machine.restart()
  return machine
}
