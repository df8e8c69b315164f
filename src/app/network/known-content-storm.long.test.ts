// Content known elsewhere while peers come, crash and come back, and captures are taken down: all others read back byte-exact from every peer.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { pageText } from '../../store/fixtures/sample-captures.ts'
import { ArchivingPeers } from '../fixtures/archiving-peers.ts'

const bodies = Array.from({ length: 4 }, (_, number) => pageText(number, 8_000))
const steps = 25
/** The full sets wait for who is missed; nobody is away for longer. */
const awayMsMax = 20_000

test.each([1, 2])('seed %i', async (seed) => {
  const world = simulatedWorld({ seed })
  const peers = new ArchivingPeers(world, { endingMs: 2_000, renewMs: 10_000, graceMs: 30_000 })
  await peers.start('a', 'b', 'c', 'd', 'e', 'f')
  const kept = new Map<string, string>()
  let elsewhere = 0
  for (let step = 1; step <= steps; step++) {
    const url = `http://site-${step}.test/`
    const body = bodies[world.random.below(bodies.length)]!
    const owner = peers.all.find(({ places }) => places.isOwner(parseUrl(url).ringKey))
    try {
      if (owner !== undefined) {
        const { capture } = await peers.visit(url, 1_000 * step, body)
        if (capture.isElsewhere) elsewhere++
        kept.set(url, body)
      }
    } catch (error) {
      // Not enough others to keep it, for now: a crawl would come again.
      if (!(error instanceof PolyhistorError)) throw error
    }
    if (world.random.chance(0.3)) {
      const crashed = peers.all[world.random.below(peers.all.length)]!
      peers.crash(crashed)
      await world.advance(world.random.below(awayMsMax))
      await peers.restart(crashed.name)
    }
    if (world.random.chance(0.2) && kept.size > 0) {
      const hidden = [...kept.keys()][world.random.below(kept.size)]!
      kept.delete(hidden)
      for (const { store } of peers.all) await world.complete(store.takedown({ kind: 'url', url: hidden }))
      await peers.compact()
    }
    if (step === 8 || step === 16) await peers.start(`new ${step}`)
  }
  await world.advance(120_000)
  assert.ok(kept.size > steps / 2 && elsewhere > 3, `${kept.size} kept, ${elsewhere} elsewhere`)
  for (const [url, body] of kept)
    assert.deepEqual(
      await peers.readEverywhere(url),
      peers.all.map(() => body),
      url,
    )
  assert.deepEqual(await peers.checkIndexes(), [])
  await peers.close()
})
