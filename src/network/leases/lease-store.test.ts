import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf, ringKeyToBytes } from '../../model/ring-key.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { type Lease, recordOf, unheardOf } from './lease.ts'
import { LeaseStore } from './lease-store.ts'
import { siteRecord } from './wire/lease-coding.ts'

const site = ringKeyOf('site')
const key = ringKeyToBytes(site)
const lease: Lease = {
  ...{ epoch: 2, holder: 'a', members: ['a', 'b', 'c'] },
  before: [{ epoch: 1, members: ['b', 'c', 'd'] }],
}

async function setting() {
  const world = simulatedWorld({ seed: 1 })
  const map = await world.complete(world.machine('a').keyValues.open('/stewards'))
  const table = map.table('stewardships')
  const put = (bytes: Uint8Array) => world.complete(map.transaction(() => table.put(key, bytes)))
  return { world, store: new LeaseStore(map), put, stored: () => Buffer.from(table.get(key)!) }
}

test('a record of which any bit is damaged counts as none', async () => {
  const { world, store, put, stored } = await setting()
  await world.complete(store.change((change) => change(site, recordOf(lease))))
  assert.deepEqual(store.get(site), recordOf(lease))
  const sound = stored()
  for (let bit = 0; bit < 8 * sound.length; bit++) {
    const damaged = Buffer.from(sound)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    await put(damaged)
    assert.deepEqual(store.get(site), unheardOf, `bit ${bit}`)
  }
})

test('a record without a checksum, of an earlier version, is read', async () => {
  const { store, put } = await setting()
  await put(siteRecord.encode(recordOf(lease)))
  assert.deepEqual(store.get(site), recordOf(lease))
})
