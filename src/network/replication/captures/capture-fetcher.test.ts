import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { pageCapture, pageText } from '../../../store/fixtures/sample-captures.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'
import { checkHolders, ringKeyOf, site } from './fixtures/kept-sites.ts'

test('who has lost everything gets one part from one peer and another from another', async () => {
  const peers = new KeepingPeers(simulatedWorld({ seed: 1 }))
  await peers.start('a', 'b', 'c')
  const [owner] = peers.ring.replicasOf(ringKeyOf(site(0)))
  const pages = 600
  const given = new Map<string, number>()
  for (let first = 0; first < pages; first += 100) {
    const some = Array.from({ length: 100 }, (_, index) => first + index)
    const { store, copies } = peers.at(owner!)
    const keep = async (number: number): Promise<void> => {
      const page = pageCapture(`${site(0)}${number}`, 1_000 + number, pageText(number, 2_000))
      await copies.spread((await store.append(page)).capture)
    }
    await peers.world.complete(Promise.all(some.map(keep)))
  }
  const { bytes } = await peers.world.complete(peers.at(owner!).store.stat())
  for (const name of peers.names.filter((peer) => peer !== owner)) {
    peers.lie(name, (question, answer) => {
      if (question.kind === 'fetch') given.set(name, (given.get(name) ?? 0) + answer.length)
      return answer
    })
  }
  peers.crash(owner!)
  await peers.restart(owner!, { isWiped: true })
  peers.draw()
  await peers.world.advance(60_000)
  await checkHolders(peers, pages)
  const all = [...given.values()].reduce((sum, size) => sum + size, 0)
  assert.equal(given.size, 2)
  for (const size of given.values()) assert(size > 0.2 * bytes.onDisk, `${size} of ${bytes.onDisk}`)
  assert(all < 1.5 * bytes.onDisk, `${all} of ${bytes.onDisk}`)
  await peers.close()
})
