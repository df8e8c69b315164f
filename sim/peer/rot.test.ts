// Rot on a disk of a running network: found and mended by the peers themselves, and shown to no reader meanwhile. With real
// processes: e2e/network/rot.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, shownBy, statusOf } from './crawled-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

const flips = 40
const scrubEveryMs = 60_000
/** A volume begins with a record of its own, which is no capture. */
const headBytes = 1_000
const rotten = 'peer-1'
const volumes = '/home/store/volumes'

test(
  'flipped bits on one disk of three are found and mended without being asked, and no reader sees them',
  async () => {
    const web = { sites: 4, pages: 6, textBytes: 3_000 }
    // What rots is to be on disk and nowhere else.
    const options = { seed: 'rot', peers: 3, scrubEveryMs, hasDeltas: false }
    const { network, sites } = await crawledNetwork({ ...web, ...options })
    await network.until('three copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3))
    const before = await shownBy(network, 'peer-0', sites)
    const machine = network.world.machine(rotten)
    const [name] = await network.complete(machine.disk.list(volumes))
    const path = `${volumes}/${name}`
    const { sizeBytes } = (await network.complete(machine.disk.stat(path)))!
    const random = network.world.random.fork('rot')
    for (let flip = 0; flip < flips; flip++)
      machine.faults.disk.rot(path, headBytes + random.below(sizeBytes - headBytes))
    assert.deepEqual(await shownBy(network, rotten, sites), before)
    // Everything is read once from its beginning, at least.
    await network.advance(3 * scrubEveryMs)
    const [own] = (await statusOf(network, rotten)).peers
    const { mended, damaged, passedAtMs } = own!.status!.soundness
    assert.ok(mended > 5 && damaged === 0 && passedAtMs !== null, JSON.stringify(own))
    assert.deepEqual(await shownBy(network, rotten, sites), before)
    // The others knew of it, too.
    assert.ok((await statusOf(network, 'peer-0')).sums.soundness.mended > 5)
    const report = await network.complete(network.peer(rotten).store.scrub({ restart: true }))
    assert.equal(report.damagedCount, 0)
    const wrong = network.faults.filter((fault) => !/damage/i.test(fault))
    assert.deepEqual(wrong, [])
  },
  hangMs,
)
