import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { calm, stormy } from '../../platform/simulated/network.ts'
import { AnnouncingPeers } from '../replication/fixtures/announcing-peers.ts'
import { valueBytesMax } from './announcement.ts'

const few = ['a', 'b', 'c', 'd', 'e']
const hundred = Array.from({ length: 100 }, (_, index) => `peer-${index}`)

describe('an announcement', () => {
  test('reaches everybody at once', async () => {
    const peers = new AnnouncingPeers(1)
    await peers.start(...few)
    await peers.put('b', 'job', 'x', 'running')
    await peers.world.advance(1_000)
    assert.deepEqual(peers.values('job', 'x'), new Set(['running']))
  })

  test('is told to listeners once, wherever it was written', async () => {
    const peers = new AnnouncingPeers(1)
    await peers.start(...few)
    const heard: string[] = []
    for (const [name, announcements] of peers.peers)
      announcements.onChange(({ kind, value }) => heard.push(`${name} ${kind} ${Buffer.from(value)}`))
    await peers.put('a', 'job', 'x', 'running')
    await peers.world.advance(120_000)
    assert.deepEqual(
      heard.sort(),
      few.map((name) => `${name} job running`),
    )
  })

  test('is told to listeners before a comparison ends that found it here, brought by another one', async () => {
    // Answers come sooner than the disk has anything.
    const link = { ...calm, delayMsMin: 0.1, delayMsMax: 0.1 }
    const peers = new AnnouncingPeers(13, { compareMs: 1e9 }, link)
    await peers.start('b', 'c')
    await peers.put('b', 'job', 'x', 'running')
    await peers.world.advance(1_000)
    peers.knows = (peer) => peer !== 'a'
    await peers.start('a')
    const a = peers.peers.get('a')!
    const heard: string[] = []
    a.onChange(({ value }) => heard.push(`${Buffer.from(value)}`))
    const fromOther = a.pull('b')
    while (peers.value('a', 'job', 'x') === undefined) await peers.world.advance(0.1)
    assert.deepEqual(heard, [], 'it is not on disk yet')
    await peers.world.complete(a.pull('c'))
    assert.deepEqual(heard, ['running'])
    await peers.world.complete(fromOther)
  })

  test('written last counts, whoever heard of what in which order', async () => {
    const peers = new AnnouncingPeers(2)
    await peers.start(...few)
    await peers.put('a', 'job', 'x', 'running')
    await peers.world.advance(1_000)
    peers.world.network.cut(['a', 'b'], ['c', 'd', 'e'])
    await peers.put('a', 'job', 'x', 'paused')
    await peers.world.advance(5_000)
    await peers.put('e', 'job', 'x', 'done')
    await peers.world.advance(5_000)
    assert.deepEqual(peers.values('job', 'x'), new Set(['paused', 'done']))
    peers.world.network.heal()
    await peers.world.advance(300_000)
    assert.deepEqual(peers.values('job', 'x'), new Set(['done']))
  })

  test('that is put again is later than what it replaces, also by a clock that is behind', async () => {
    const peers = new AnnouncingPeers(3)
    await peers.start('a', 'b')
    peers.world.machine('a').faults.clock.offsetMs = 5 * 60_000
    await peers.put('a', 'job', 'x', 'running')
    await peers.world.advance(1_000)
    await peers.put('b', 'job', 'x', 'done')
    await peers.world.advance(1_000)
    assert.deepEqual(peers.values('job', 'x'), new Set(['done']))
  })

  test('survives a power cut once it was put', async () => {
    const peers = new AnnouncingPeers(4)
    await peers.start('a')
    await peers.put('a', 'takedown', 'x', 'hidden')
    peers.crash('a')
    await peers.start('a')
    assert.equal(peers.value('a', 'takedown', 'x'), 'hidden')
    assert.deepEqual([...peers.peers.get('a')!.all('takedown')].length, 1)
    assert.deepEqual([...peers.peers.get('a')!.all('take')].length, 0)
  })

  test('that must outlive its author is with others when it is put, also when some of them are silent', async () => {
    const peers = new AnnouncingPeers(11, { compareMs: 1e9 })
    await peers.start(...few)
    // Cut off, and not known to be: whoever is told of it at first does not hear.
    peers.world.network.cut(['a'], ['b', 'c', 'd', 'e'])
    peers.world.simulation.schedule(5_000, () => peers.world.network.heal())
    const put = peers.peers
      .get('a')!
      .putWithOthers('takedown', 'x', Buffer.from('hidden'), { heardMin: 2, withinMs: 60_000 })
    assert.deepEqual((await peers.world.complete(put)).unheard, [])
    const having = ['b', 'c', 'd', 'e'].filter((name) => peers.value(name, 'takedown', 'x') === 'hidden')
    assert.ok(having.length >= 2, `only ${having.join()} have it`)
  })

  test('that nobody hears is put all the same, after a while, and tells who is silent', async () => {
    const peers = new AnnouncingPeers(12, { compareMs: 1e9 })
    await peers.start('a', 'b')
    peers.world.network.cut(['a'], ['b'])
    const sinceMs = peers.world.simulation.nowMs
    const put = peers.peers
      .get('a')!
      .putWithOthers('takedown', 'x', Buffer.from('hidden'), { heardMin: 2, withinMs: 20_000 })
    assert.deepEqual(await peers.world.complete(put), { heard: [], unheard: ['b'] })
    assert.ok(peers.world.simulation.nowMs - sinceMs >= 20_000)
    assert.equal(peers.value('a', 'takedown', 'x'), 'hidden')
  })
})

test('what is no question gets a typed error, and changes nothing', async () => {
  const peers = new AnnouncingPeers(9)
  await peers.start('a')
  const announcements = peers.peers.get('a')!
  const context = { channel: 'control' as const, signal: new AbortController().signal }
  for (const bytes of [[], [9], [0, 200], [0, 1, 3, 97], [1, 1, 2, 3], [2, 255, 255]]) {
    const answering = async (): Promise<unknown> =>
      announcements.answer('stranger', Uint8Array.from(bytes), context)
    await assert.rejects(peers.world.complete(answering()), { code: 'message-malformed' })
  }
  assert.deepEqual([...announcements.all('a')], [])
})

describe('who was not there', () => {
  test('learns everything when it joins, however much that is', async () => {
    const peers = new AnnouncingPeers(5)
    await peers.start('a', 'b')
    for (let index = 0; index < 200; index++) await peers.put('a', 'takedown', `t${index}`, `${index}`)
    const large = 'x'.repeat(valueBytesMax - 10)
    for (const name of ['1', '2', '3']) await peers.put('b', 'job', name, large)
    await peers.world.advance(5_000)
    await peers.start('c')
    await peers.world.advance(5_000)
    assert.equal([...peers.peers.get('c')!.all('takedown')].length, 200)
    assert.equal(peers.value('c', 'job', '3'), large)
  })

  test('brings what it knows', async () => {
    const peers = new AnnouncingPeers(6)
    await peers.start('a')
    for (let index = 0; index < 100; index++) await peers.put('a', 'takedown', `t${index}`, `${index}`)
    await peers.start('b')
    await peers.put('b', 'job', 'x', 'running')
    await peers.world.advance(5_000)
    assert.equal([...peers.peers.get('b')!.all('takedown')].length, 100)
    assert.deepEqual(peers.values('job', 'x'), new Set(['running']))
  })

  test('can be asked for what it knows at once', async () => {
    const peers = new AnnouncingPeers(7, { toldMax: 0, compareMs: 1e9 })
    await peers.start('a', 'b')
    await peers.world.advance(5_000)
    await peers.put('a', 'job', 'x', 'running')
    assert.equal(peers.value('b', 'job', 'x'), undefined)
    await peers.world.complete(peers.peers.get('b')!.pull('a'))
    assert.equal(peers.value('b', 'job', 'x'), 'running')
  })
})

test('of a hundred peers that know some others only, torn, crashing and losing messages, all know the same in the end', async () => {
  const peers = new AnnouncingPeers(8, {}, stormy)
  const { world } = peers
  const placeOf = new Map(hundred.map((name, index) => [name, index]))
  // A few neighbours, and some further away.
  peers.knows = (peer, other) =>
    [1, 2, 3, 99, 98, 8, 16, 32, 64].includes((placeOf.get(other)! - placeOf.get(peer)! + 100) % 100)
  await peers.start(...hundred)
  const last = new Map<string, string>()
  for (let round = 0; round < 12; round++) {
    const [writer] = [...peers.peers.keys()].slice(world.random.below(peers.peers.size))
    const name = `job-${round % 5}`
    await peers.put(writer!, 'job', name, `round ${round}`)
    last.set(name, `round ${round}`)
    await peers.put(writer!, 'takedown', `takedown-${round}`, 'hidden')
    await world.advance(3_000)
    if (round % 4 === 1) world.network.cut(hundred.slice(0, 50), hundred.slice(50))
    if (round % 4 === 3) world.network.heal()
    const crashed = [...peers.peers.keys()].filter((peer) => peer !== writer && world.random.chance(0.1))
    for (const peer of crashed) peers.crash(peer)
    await world.advance(3_000)
    await peers.start(...crashed)
  }
  world.network.heal()
  await world.advance(400_000)
  for (const [name, value] of last) assert.deepEqual(peers.values('job', name), new Set([value]))
  for (let round = 0; round < 12; round++)
    assert.deepEqual(peers.values('takedown', `takedown-${round}`), new Set(['hidden']))
})
