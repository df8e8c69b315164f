import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { pageCapture, pageText } from '../../../store/fixtures/sample-captures.ts'
import type { KeepingPeers } from '../captures/fixtures/keeping-peers.ts'
import { five, fivePeers, holdersOf, keepSome, ringKeyOf, site } from '../captures/fixtures/kept-sites.ts'
import type { HandOverProgress } from './departure-progress.ts'

/** The first on the ring of which it is to keep copies, and which it does not own. */
function firstSiteOf(peers: KeepingPeers, name: string): string {
  return Array.from({ length: 200 }, (_, number) => site(100 + number))
    .filter((url) => peers.ring.replicasOf(ringKeyOf(url)).indexOf(name) > 0)
    .sort((one, other) => (ringKeyOf(one) < ringKeyOf(other) ? -1 : 1))[0]!
}

/** Resolves when it is acknowledged. */
async function keepAtOwner(peers: KeepingPeers, url: string): Promise<void> {
  const [owner] = peers.ring.replicasOf(ringKeyOf(url))
  const { store, copies } = peers.at(owner!)
  const { capture } = await store.append(pageCapture(url, 5_000, pageText(7, 2_000)))
  await copies.spread(capture)
}

const forever = new AbortController().signal

describe('who leaves for good', () => {
  test.each(['missed', 'givenUp'] as const)(
    'cannot while it is cut off from all others, be they %s or not',
    async (how) => {
      const peers = await fivePeers()
      await keepSome(peers)
      const others = five.filter((name) => name !== 'b')
      peers.world.network.cut(['b'], others)
      peers.ring.setView(['b'], { present: ['b'], [how]: others })
      const leaving = peers.at('b').copies.handOver(forever)
      await assert.rejects(peers.world.complete(leaving), {
        code: 'copies-too-few',
        message: /network forget/,
      })
      peers.world.network.heal()
      await peers.close()
    },
  )

  test('goes when nobody else is left that it could wait for', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.ring.setView(['b'], { present: ['b'] })
    await peers.world.complete(peers.at('b').copies.handOver(forever))
    await peers.close()
  })

  test('tries again when others were out of reach for a while', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const others = five.filter((name) => name !== 'b')
    peers.world.network.cut(['b'], others)
    let passes = 0
    const leaving = peers.at('b').copies.handOver(forever, ({ done, entries }) => {
      if (done === entries && ++passes === 1) peers.world.network.heal()
    })
    await peers.world.complete(leaving)
    assert.ok(passes > 1)
    await peers.stop('b')
    for (const names of (await holdersOf(peers)).values()) assert.equal(names.length, 3)
    await peers.close()
  })

  test('hands over first: as many copies are there without it', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.complete(peers.at('b').copies.handOver(forever))
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const names of holders.values()) assert.equal(names.length, 3)
    await peers.close()
  })

  test('tells how far it has come, and goes on from there when it was called off', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const { copies } = peers.at('b')
    const all = copies.status().entries
    const told: HandOverProgress[] = []
    const stop = new AbortController()
    const first = copies.handOver(stop.signal, (progress) => {
      told.push(progress)
      if (progress.sentBytes > 0) stop.abort()
    })
    await assert.rejects(peers.world.complete(first))
    const before = told.at(-1)!
    assert.equal(before.entries, all)
    assert.ok(before.done < all)
    await peers.world.complete(copies.handOver(forever, (it) => told.push(it)))
    const last = told.at(-1)!
    assert.deepEqual([last.done, last.entries], [all, all])
    assert.ok(last.sentBytes > 0)
    assert.ok([...last.taken.keys()].every((peer) => peer !== 'b'))
    const taken = [...last.taken.values()].reduce((sum, count) => sum + count, 0)
    assert.ok(taken > 0)
    // Nobody lacks anything: nothing more is sent.
    await peers.world.complete(copies.handOver(forever, (it) => told.push(it)))
    const again = told.at(-1)!
    assert.deepEqual([again.done, again.sentBytes, again.taken.size], [all, 0, 0])
    await peers.close()
  })

  test('says how much could not be given to enough others, and which were not found', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.world.network.cut(
      ['b'],
      five.filter((name) => name !== 'b'),
    )
    const leaving = peers.at('b').copies.handOver(forever)
    await assert.rejects(peers.world.complete(leaving), {
      code: 'copies-too-few',
      message: /^\d+ of \d+ entries/,
    })
    await peers.close()
  })

  test('hands over what it was given meanwhile, too', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const url = firstSiteOf(peers, 'b')
    const kept: Promise<void>[] = []
    const leaving = peers.at('b').copies.handOver(forever, ({ sentBytes }) => {
      // What the one lacks that will keep it in its place is known by now.
      if (sentBytes > 0 && kept.length === 0) kept.push(keepAtOwner(peers, url))
    })
    await peers.world.complete(leaving)
    assert.equal(kept.length, 1)
    await peers.world.complete(kept[0]!)
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 49)
    for (const [capture, names] of holders) assert.equal(names.length, 3, capture)
    await peers.close()
  })

  test('is not counted on any more when it has handed over', async () => {
    const peers = await fivePeers(1, { copiesMin: 3 })
    await keepSome(peers)
    await peers.world.complete(peers.at('b').copies.handOver(forever))
    const url = firstSiteOf(peers, 'b')
    let isKept = false
    const kept = keepAtOwner(peers, url).then(() => {
      isKept = true
    })
    await peers.world.advance(20_000)
    assert.equal(isKept, false)
    await peers.stop('b')
    peers.draw()
    await peers.world.complete(kept)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 49)
    for (const [capture, names] of holders) assert.equal(names.length, 3, capture)
    await peers.close()
  })

  test('does not count its own copy of what it would keep then', async () => {
    const peers = await fivePeers()
    await peers.world.complete(peers.at('b').copies.handOver(forever))
    const url = Array.from({ length: 50 }, (_, number) => site(number)).find(
      (one) => peers.ring.replicasOf(ringKeyOf(one))[0] === 'b',
    )
    await assert.rejects(peers.world.complete(keepAtOwner(peers, url!)), { code: 'copies-leaving' })
    await peers.close()
  })

  test.each(['called off', 'done, and it stays after all'])(
    'is counted on as before when that was %s',
    async (how) => {
      const peers = await fivePeers(1, { copiesMin: 3 })
      await keepSome(peers)
      const { copies } = peers.at('b')
      const stop = new AbortController()
      const all = copies.status().entries
      let steps = 0
      const leaving = copies.handOver(stop.signal, ({ done }) => {
        // The first pass says so once, the last at every step.
        if (done === all && ++steps === 3 && how === 'called off') stop.abort()
      })
      if (how === 'called off') await assert.rejects(peers.world.complete(leaving))
      else {
        await peers.world.complete(leaving)
        copies.stay()
      }
      const url = firstSiteOf(peers, 'b')
      await peers.world.complete(keepAtOwner(peers, url))
      const kept = [...(await peers.contentsOf('b')).keys()]
      assert.ok(kept.some((capture) => capture.startsWith(`${url} `)))
      await peers.close()
    },
  )

  test('does not count on others that leave, too', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const leaving = ['b', 'c'].map((name) => peers.at(name).copies.handOver(forever))
    await peers.world.complete(Promise.all(leaving))
    await peers.stop('b')
    await peers.stop('c')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const [capture, names] of holders) assert.equal(names.length, 3, capture)
    await peers.close()
  })

  test('passes over who cannot show what it says it has: others have it in his place', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.lie('a', (question, answer) => (question.kind === 'prove' ? answer.fill(7) : answer))
    const { copies } = peers.at('b')
    const held = await peers.contentsOf('b')
    await peers.world.complete(copies.handOver(forever))
    assert.equal(copies.status().badHolders, 1)
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const [capture, names] of holders) {
      if (held.has(capture)) assert.ok(names.filter((name) => name !== 'a').length >= 3, capture)
    }
    await peers.close()
  })

  test('passes over whom it does not reach: others have it in his place', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.world.network.cut(['b'], ['d'])
    await peers.world.complete(peers.at('b').copies.handOver(forever))
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const [capture, names] of holders) assert.ok(names.length >= 3, capture)
    await peers.close()
  })
})
