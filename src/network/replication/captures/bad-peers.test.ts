import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { PeerId } from '../../../platform/network/network.ts'
import { pageCapture } from '../../../store/fixtures/sample-captures.ts'
import type { Lie } from './fixtures/keeping-peers.ts'
import { checkHolders, fivePeers, holdersOf, keepSome, ringKeyOf, site } from './fixtures/kept-sites.ts'
import { fetchedPage } from './wire/answers.ts'

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
      assert(captures.every((capture) => !capture.startsWith(`${site(3)} `)))
    }
    assert(peers.at(owner!).copies.isComplete(ringKeyOf(site(3))))
    await peers.close()
  })
})

describe('a peer that lies', () => {
  const lies: Record<string, Lie> = {
    'gives nothing of what it says it has': (question, answer) =>
      question.kind === 'fetch' ? fetchedPage.encode({ captures: [], next: undefined }) : answer,
    'gives wrong bytes': (question, answer) => {
      if (question.kind !== 'fetch') return answer
      const { captures, next } = fetchedPage.decode(answer)
      const spoilt = captures.map((capture) => {
        const bytes = Uint8Array.from(capture.bytes!)
        bytes[bytes.length >> 1]! ^= 255
        return { ...capture, bytes }
      })
      return fetchedPage.encode({ captures: spoilt, next })
    },
    'never comes to an end': (question, answer) => {
      if (question.kind !== 'fetch') return answer
      return fetchedPage.encode({
        captures: fetchedPage.decode(answer).captures,
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
    // The owner has lost everything, and one of the two that have it lies.
    const [owner, liar] = peers.ring.replicasOf(ringKeyOf(site(0)))
    let asked = 0
    peers.lie(liar!, (question, answer) => {
      const told = lies[name]!(question, answer)
      if (told !== answer) asked++
      return told
    })
    peers.crash(owner!)
    await peers.restart(owner!, { isWiped: true })
    peers.draw()
    await peers.world.advance(120_000)
    assert(asked > 0 && asked < 1_000, `lied ${asked} times`)
    const held = await peers.contentsOf(owner!)
    for (let number = 0; number < 12; number++) {
      const replicas = peers.ring.replicasOf(ringKeyOf(site(number)))
      // What the liar owns is the liar's to see to.
      if (!replicas.includes(owner!) || replicas[0] === liar) continue
      const captures = [...held.keys()].filter((capture) => capture.startsWith(site(number)))
      assert.equal(captures.length, 4, site(number))
    }
    for (const text of held.values()) assert(/Page|Sheet/.test(text))
    await peers.close()
  })
})

describe('who has no room', () => {
  test('still gives what it has', async () => {
    const peers = await fivePeers()
    const [owner, other] = peers.ring.replicasOf(ringKeyOf(site(1)))
    const keepAlone = (name: PeerId, atMs: number): Promise<unknown> =>
      peers.world.complete(peers.at(name).store.append(pageCapture(site(1), atMs, `page ${atMs}`)))
    await keepAlone(owner!, 1_000)
    await keepAlone(other!, 2_000)
    peers.world.machine(owner!).faults.disk.capacityBytes = 0
    await peers.world.advance(60_000)
    assert.equal((await peers.contentsOf(owner!)).size, 1)
    assert.equal((await peers.contentsOf(other!)).size, 2)
    await peers.close()
  })

  test('is passed over, and the others get theirs', async () => {
    const peers = await fivePeers()
    peers.world.machine('d').faults.disk.capacityBytes = 0
    const others = Array.from({ length: 6 }, (_, number) => number).filter(
      (number) => peers.ring.replicasOf(ringKeyOf(site(number)))[0] !== 'd',
    )
    for (const number of others) await keepSome(peers, 1, number)
    await peers.world.advance(60_000)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 4 * others.length)
    for (const [capture, names] of holders) {
      const replicas = peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!))
      assert.deepEqual(names.sort(), replicas.filter((name) => name !== 'd').sort())
    }
    const lacking = peers.names.reduce((sum, name) => sum + peers.at(name).copies.status().lacking, 0)
    assert(lacking > 0)
    peers.world.machine('d').faults.disk.capacityBytes = Number.MAX_SAFE_INTEGER
    await peers.world.advance(150_000)
    await checkHolders(peers, 4 * others.length)
    await peers.close()
  })
})
