// Rot on a disk of a running network: found and mended by the peers themselves, and shown to no reader meanwhile.

import assert from 'node:assert/strict'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { runWords } from '../ring/peer-process.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { addressOfSite } from './generated-sites.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import { until } from './until.ts'

const words = [
  '--set',
  'store.scrubEvery=2s',
  // What rots is to be on disk and nowhere else.
  '--set',
  'store.deltas=no',
]
const sites = 4
const flips = 40
/** A volume begins with a record of its own, which is no capture. */
const headBytes = 1_000
/** The last one before the flips, and the one that was half-way then: only the next reads all that was flipped. */
const passesUnderWay = 2

async function flipBits(peer: ArchivePeer, random: SimulatedRandom): Promise<void> {
  const folder = join(peer.home, 'store', 'volumes')
  const [name] = (await readdir(folder)).filter((file) => file.endsWith('.warc.gz'))
  const file = await open(join(folder, name!), 'r+')
  try {
    const { size } = await file.stat()
    for (let flip = 0; flip < flips; flip++) {
      const offset = headBytes + random.below(size - headBytes)
      const byte = Buffer.alloc(1)
      await file.read(byte, 0, 1, offset)
      byte[0]! ^= 1 << random.below(8)
      await file.write(byte, 0, 1, offset)
    }
  } finally {
    await file.close()
  }
}

async function everything(peer: ArchivePeer): Promise<Map<string, Buffer>> {
  const read = new Map<string, Buffer>()
  for (let site = 0; site < sites; site++) {
    const listed = (await peer.listed(addressOfSite(site))).filter(({ url }) => !url.endsWith('robots.txt'))
    for (const one of listed) read.set(`${one.url} ${one.timestamp}`, await peer.read(one))
  }
  return read
}

test('flipped bits on one disk of three are found and mended without being asked, and no reader sees them', {
  timeout: 1_200_000,
}, async () => {
  const random = new SimulatedRandom('rot')
  const web = { sites, pages: 6, images: 3, seed: 'rot' }
  const { network, origin } = await startNetworkAndWeb({ ...web, peers: 3, words })
  await healed(network)
  const [first, rotten] = network.peers
  const { id } = await first!.startJob([origin.web.start])
  await until('the job', async () => (await first!.job(id)).state === 'done')
  await until('three copies of everything', async () => {
    const { sums } = await first!.status()
    return sums.entries > 0 && sums.histogram.every((count, copies) => copies === 3 || count === 0)
  })
  const before = await everything(first!)
  await flipBits(rotten!, random)
  const passes = new Set<number | null>()
  await until('all damage to be mended', async () => {
    assert.deepEqual(await everything(rotten!), before)
    const [own] = (await rotten!.status()).peers
    const { found, mended, damaged, passedAtMs } = own!.status!.soundness
    passes.add(passedAtMs)
    const isMended = passes.size > passesUnderWay && found > 5 && mended === found && damaged === 0
    return isMended || `${found} found, ${mended} mended, ${damaged} damaged after ${passes.size} passes`
  })
  await until('the others to know of it, too', async () => {
    const { soundness } = (await first!.status()).sums
    return (soundness.mended > 5 && soundness.passedAtMs !== null) || JSON.stringify(soundness)
  })
  await rotten!.stop()
  const report = JSON.parse(await runWords(['store', 'scrub', '--json', '--home', rotten!.home])) as {
    damagedCount: number
  }
  assert.equal(report.damagedCount, 0)
  const wrong = network.faults.filter(
    (fault) => !fault.includes('Damage was found') && !fault.includes('damaged'),
  )
  assert.deepEqual(wrong, [])
})
