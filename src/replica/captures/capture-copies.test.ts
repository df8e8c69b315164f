import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../record/url.ts'
import { pageCapture, pageText } from '../../store/fixtures/sample-captures.ts'
import type { PeerId } from '../../world/network.ts'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { KeepingPeers, type Lie } from './fixtures/keeping-peers.ts'
import { readPage, writePage } from './wire/answers.ts'

const site = (number: number): string => `http://site-${number}.test/`
const ringKeyOf = (url: string) => parseUrl(url).ringKey

/** Three captures of each site: a page, a revisit of it, and a small change. */
async function keepSome(peers: KeepingPeers, sites = 12, first = 0): Promise<void> {
  for (let number = first; number < first + sites; number++) {
    const url = site(number)
    const [owner] = peers.ring.replicasOf(ringKeyOf(url))
    const body = pageText(number, 4_000)
    await peers.keep(owner!, pageCapture(url, 1_000, body))
    await peers.keep(owner!, pageCapture(url, 2_000, body))
    await peers.keep(owner!, pageCapture(url, 3_000, body.replace('Page', 'Sheet')))
  }
}

/** By capture, with what it reads as: the same everywhere. */
async function holdersOf(peers: KeepingPeers): Promise<Map<string, PeerId[]>> {
  const holders = new Map<string, PeerId[]>()
  const texts = new Map<string, string>()
  for (const name of peers.names) {
    for (const [capture, text] of await peers.contentsOf(name)) {
      holders.set(capture, [...(holders.get(capture) ?? []), name])
      assert.equal(texts.get(capture) ?? text, text, `${capture} reads otherwise at ${name}`)
      texts.set(capture, text)
    }
  }
  return holders
}

/** Each capture is at least with those that are to have it. */
async function checkHolders(peers: KeepingPeers, count: number): Promise<void> {
  const holders = await holdersOf(peers)
  assert.equal(holders.size, count)
  for (const [capture, names] of holders) {
    for (const replica of peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)))
      assert(names.includes(replica), `${replica} lacks ${capture}`)
  }
  for (const name of peers.names) {
    assert.deepEqual(await peers.world.complete(peers.at(name).store.checkIndex()), [])
  }
}

const five = ['a', 'b', 'c', 'd', 'e']

async function fivePeers(seed = 1, options = {}): Promise<KeepingPeers> {
  const peers = new KeepingPeers(simulatedWorld({ seed }), options)
  await peers.start(...five)
  return peers
}

describe('new captures', () => {
  test('are on every peer of their replica set when they are safe, and nowhere else', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 36)
    for (const [capture, names] of holders) {
      assert.deepEqual(names.sort(), peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)).sort())
    }
    await peers.close()
  })

  test('of a site that is not ours go to its owner and the others that keep it', async () => {
    const peers = await fivePeers()
    const url = site(1)
    const replicas = peers.ring.replicasOf(ringKeyOf(url))
    const stranger = five.find((name) => !replicas.includes(name))!
    await peers.keep(stranger, pageCapture(url, 1_000, 'page'))
    const [names] = (await holdersOf(peers)).values()
    assert.deepEqual(names, [...replicas, stranger].sort())
    await peers.close()
  })

  test('are safe at once where there is nobody else', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }))
    await peers.start('a')
    const before = peers.world.simulation.nowMs
    await peers.keep('a', pageCapture(site(1), 1_000, 'page'))
    assert(peers.world.simulation.nowMs - before < 100)
    assert(peers.at('a').copies.isComplete(ringKeyOf(site(1))))
    await peers.close()
  })

  test('are safe with one of the set silent only after patience, and it gets them when it is back', async () => {
    const peers = await fivePeers()
    const url = site(1)
    const [owner, silent] = peers.ring.replicasOf(ringKeyOf(url))
    peers.world.network.cut(
      [silent!],
      five.filter((name) => name !== silent),
    )
    const before = peers.world.simulation.nowMs
    await peers.keep(owner!, pageCapture(url, 1_000, 'page'))
    assert(peers.world.simulation.nowMs - before >= 3_000)
    assert.equal((await peers.contentsOf(silent!)).size, 0)
    peers.world.network.heal()
    await peers.world.advance(120_000)
    assert.equal((await peers.contentsOf(silent!)).size, 1)
    await peers.close()
  })

  test('are not called safe with fewer than must have them', async () => {
    const peers = await fivePeers(1, { spreadGiveUpMs: 10_000 })
    const url = site(1)
    const [owner] = peers.ring.replicasOf(ringKeyOf(url))
    peers.world.network.cut(
      [owner!],
      five.filter((name) => name !== owner),
    )
    await assert.rejects(peers.keep(owner!, pageCapture(url, 1_000, 'page')), { code: 'copies-too-few' })
    await peers.close()
  })
})

describe('when peers come and go', () => {
  test('a wiped disk is filled again, and reads the same', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.crash('c')
    peers.draw('c')
    await peers.restart('c', { isWiped: true })
    assert.equal((await peers.contentsOf('c')).size, 0)
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 36)
    await peers.close()
  })

  test('so it is when nobody noticed that the peer was away, and it never calls itself complete before', async () => {
    const peers = await fivePeers(1, { compareEveryMs: 3_600_000 })
    await keepSome(peers)
    await peers.world.advance(60_000)
    const held = (await peers.contentsOf('c')).size
    peers.crash('c')
    await peers.restart('c', { isWiped: true })
    const keys = Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number)))
    for (let second = 0; second < 60; second++) {
      await peers.world.advance(1_000)
      const { copies, store } = peers.at('c')
      const isFilled = [...store.scan({ kind: 'all' })].length === held
      if (!isFilled)
        assert(keys.some((key) => peers.ring.replicasOf(key).includes('c') && !copies.isComplete(key)))
    }
    await checkHolders(peers, 36)
    await peers.close()
  })

  test('who comes back with its disk gets what it missed, and no more', async () => {
    const peers = await fivePeers()
    await keepSome(peers, 10)
    await peers.stop('b')
    peers.draw('b')
    await keepSome(peers, 4, 10)
    await peers.restart('b')
    peers.draw()
    const before = (await peers.contentsOf('b')).size
    await peers.world.advance(60_000)
    await checkHolders(peers, 42)
    const missed = (await peers.contentsOf('b')).size - before
    const { bytesIn } = peers.at('b').copies.status()
    assert(missed > 0)
    assert(bytesIn > 0 && bytesIn < missed * 3_000, `${bytesIn} bytes for ${missed} captures`)
    await peers.close()
  })

  test('nothing is copied for one who is missed; who is gone for good is made up for', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.stop('d')
    peers.draw('d')
    await peers.world.advance(60_000)
    const counts = async (): Promise<number[]> =>
      Array.from((await holdersOf(peers)).values(), (names) => names.length)
    assert((await counts()).includes(2))
    peers.draw()
    await peers.world.advance(60_000)
    assert.deepEqual([...new Set(await counts())], [3])
    await checkHolders(peers, 36)
    await peers.close()
  })

  test('who joins gets what is to be kept there, and is complete then and not before', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(60_000)
    await peers.world.complete(Promise.resolve())
    await peers.start('new')
    const owned = Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number))).filter((key) =>
      peers.ring.replicasOf(key).includes('new'),
    )
    assert(owned.length > 0)
    assert(owned.every((key) => !peers.at('new').copies.isComplete(key)))
    await peers.world.advance(60_000)
    assert(owned.every((key) => peers.at('new').copies.isComplete(key)))
    await checkHolders(peers, 36)
    await peers.close()
  })

  test('two that both own an arc in a torn ring end up with all that both took', async () => {
    const peers = await fivePeers()
    const [left, right] = [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]
    peers.world.network.cut(left!, right!)
    peers.ring.setView(left!, { present: left!, missed: right! })
    peers.ring.setView(right!, { present: right!, missed: left! })
    for (let number = 0; number < 6; number++) {
      for (const [index, side] of [left!, right!].entries()) {
        const key = ringKeyOf(site(number))
        const owner = side.find((name) => peers.ring.seenBy(name).replicaSet(key) !== undefined)!
        await peers.keep(owner, pageCapture(site(number), 1_000 + index, `seen by ${owner}`))
      }
    }
    peers.world.network.heal()
    peers.draw()
    await peers.world.advance(120_000)
    await checkHolders(peers, 12)
    await peers.close()
  })
})

describe('completeness', () => {
  test("is every keeper's after a while, nobody else's, and ends with the owner's word", async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(60_000)
    for (let number = 0; number < 12; number++) {
      const key = ringKeyOf(site(number))
      const replicas = peers.ring.replicasOf(key)
      for (const name of five)
        assert.equal(peers.at(name).copies.isComplete(key), replicas.includes(name), `${name} ${number}`)
    }
    const key = ringKeyOf(site(0))
    const [owner, second] = peers.ring.replicasOf(key)
    peers.world.network.cut(
      [owner!],
      five.filter((name) => name !== owner),
    )
    await peers.world.advance(40_000)
    assert(!peers.at(second!).copies.isComplete(key))
    await peers.close()
  })

  test('is not claimed by a new owner while the only one that knows is away', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { copies: 2, copiesMin: 1 })
    await peers.start('a')
    await keepSome(peers)
    await peers.stop('a')
    // Alone at first, as every peer is before it joins.
    await peers.start('b')
    await peers.world.advance(5_000)
    peers.draw('a')
    await peers.world.advance(60_000)
    assert(
      Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number))).every(
        (key) => !peers.at('b').copies.isComplete(key),
      ),
    )
    await peers.restart('a')
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 36)
    for (const name of ['a', 'b']) assert(peers.at(name).copies.isComplete(ringKeyOf(site(0))))
    await peers.close()
  })
})

describe('copies too many', () => {
  test('are dropped when all that are to have them say so, and not while one is silent', async () => {
    const peers = await fivePeers(1, { sparesMax: 0 })
    await keepSome(peers)
    await peers.stop('d')
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 36)
    await peers.restart('d')
    const others = five.filter((name) => name !== 'd')
    peers.world.network.cut(['d'], others)
    peers.draw()
    await peers.world.advance(200_000)
    const silent = await holdersOf(peers)
    assert([...silent.values()].some((names) => names.length > 3))
    peers.world.network.heal()
    await peers.world.advance(300_000)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 36)
    for (const [capture, names] of holders) {
      assert.deepEqual(names.sort(), peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)).sort())
    }
    assert(peers.names.some((name) => peers.at(name).copies.status().dropped > 0))
    await peers.close()
  })

  test('are kept as spares where there is room', async () => {
    const peers = await fivePeers(1, { sparesMax: 3 })
    await keepSome(peers)
    await peers.stop('d')
    peers.draw()
    await peers.world.advance(60_000)
    await peers.restart('d')
    peers.draw()
    await peers.world.advance(300_000)
    assert([...(await holdersOf(peers)).values()].some((names) => names.length > 3))
    await peers.close()
  })

  test('are never dropped where there are fewer peers than copies wanted', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { sparesMax: 0, copies: 3 })
    await peers.start('a', 'b')
    await keepSome(peers)
    await peers.world.advance(300_000)
    for (const names of (await holdersOf(peers)).values()) assert.deepEqual(names, ['a', 'b'])
    await peers.close()
  })
})

describe('who leaves for good', () => {
  test('hands over first: as many copies are there without it', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.complete(peers.at('b').copies.handOver(new AbortController().signal))
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 36)
    for (const names of holders.values()) assert.equal(names.length, 3)
    await peers.close()
  })
})

describe('takedowns', () => {
  test('win: what one took down does not come back to it, and comparing ends', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const [owner, second] = peers.ring.replicasOf(ringKeyOf(site(3)))
    for (const name of [owner!, second!])
      await peers.world.complete(peers.at(name).store.takedown({ kind: 'url', url: site(3) }))
    await peers.world.advance(120_000)
    for (const name of [owner!, second!]) {
      const captures = [...(await peers.contentsOf(name)).keys()]
      assert(captures.every((capture) => !capture.startsWith(site(3))))
    }
    assert(peers.at(owner!).copies.isComplete(ringKeyOf(site(3))))
    await peers.close()
  })
})

describe('a peer that lies', () => {
  const lies: Record<string, Lie> = {
    'gives nothing of what it says it has': (question, answer) =>
      question.kind === 'fetch' ? writePage({ captures: [], next: undefined }) : answer,
    'gives wrong bytes': (question, answer) => {
      if (question.kind !== 'fetch') return answer
      const { captures, next } = readPage(answer)
      const spoilt = captures.map((capture) => {
        const bytes = Uint8Array.from(capture.bytes!)
        bytes[bytes.length >> 1]! ^= 255
        return { ...capture, bytes }
      })
      return writePage({ captures: spoilt, next })
    },
    'never comes to an end': (question, answer) => {
      if (question.kind !== 'fetch') return answer
      return writePage({
        captures: readPage(answer).captures,
        next: { want: 0, from: question.wants[0]!.range.from },
      })
    },
    'says that it has everything': (question, answer) =>
      question.kind === 'compare' ? Uint8Array.of(...answer.subarray(0, 1), 0) : answer,
    'answers nonsense': () => Buffer.from('nonsense that is long enough to be something'),
  }

  test.each(Object.keys(lies))('that %s does no harm: others give what is missing', async (name) => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.lie('a', lies[name]!)
    peers.crash('c')
    await peers.restart('c', { isWiped: true })
    peers.draw()
    await peers.world.advance(120_000)
    const held = await peers.contentsOf('c')
    const wanted = Array.from({ length: 12 }, (_, number) => site(number)).filter((url) =>
      peers.ring.replicasOf(ringKeyOf(url)).includes('c'),
    )
    // What the liar owns nobody else sees to: the owner is the one who must.
    const ownedByOthers = wanted.filter((url) => peers.ring.replicasOf(ringKeyOf(url))[0] !== 'a')
    assert(ownedByOthers.length > 0)
    for (const url of ownedByOthers)
      assert.equal([...held.keys()].filter((capture) => capture.startsWith(`${url} `)).length, 3, url)
    for (const text of held.values()) assert(text.includes('Page') || text.includes('Sheet'))
    await peers.close()
  })
})

describe('who has no room', () => {
  test('is passed over, and the others get theirs', async () => {
    const peers = await fivePeers()
    peers.world.machine('d').faults.disk.capacityBytes = 0
    const others = Array.from({ length: 12 }, (_, number) => number).filter(
      (number) => peers.ring.replicasOf(ringKeyOf(site(number)))[0] !== 'd',
    )
    for (const number of others) await keepSome(peers, 1, number)
    await peers.world.advance(60_000)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 3 * others.length)
    for (const [capture, names] of holders) {
      const replicas = peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!))
      assert.deepEqual(names.sort(), replicas.filter((name) => name !== 'd').sort())
    }
    const lacking = peers.names.reduce((sum, name) => sum + peers.at(name).copies.status().lacking, 0)
    assert(lacking > 0)
    peers.world.machine('d').faults.disk.capacityBytes = Number.MAX_SAFE_INTEGER
    await peers.world.advance(300_000)
    await checkHolders(peers, 3 * others.length)
    await peers.close()
  })
})

describe('the status', () => {
  test('tells how many captures have how many copies', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(30_000)
    const total = (): number[] => {
      const sums: number[] = []
      for (const name of peers.names)
        for (const [copies, count] of peers.at(name).copies.status().histogram.entries())
          sums[copies] = (sums[copies] ?? 0) + count
      return sums
    }
    assert.deepEqual(total(), [0, 0, 0, 36])
    await peers.stop('d')
    peers.draw('d')
    await peers.world.advance(30_000)
    const [none, one, two, three] = total()
    assert.deepEqual([none, one], [0, 0])
    assert(two! > 0)
    assert.equal(two! + three!, 36)
    const lacking = peers.names.reduce((sum, name) => sum + peers.at(name).copies.status().lacking, 0)
    assert.equal(lacking, two)
    await peers.close()
  })
})
