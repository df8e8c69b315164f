import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { SimulatedVolumes } from '../fixtures/simulated-volumes.ts'
import type { WrittenLocation } from '../index/location.ts'
import { VolumeFiles } from './volume-files.ts'

/** A volume for every text. */
async function volumesOf(store: SimulatedVolumes, texts: string[]): Promise<WrittenLocation[]> {
  const locations: WrittenLocation[] = []
  for (const text of texts) {
    locations.push(await store.run(store.append(text)))
    await store.run(store.volumes.seal())
  }
  return locations
}

async function textOf(chunks: AsyncIterable<Uint8Array>, afterFirst?: () => Promise<void>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) {
    if (text === '') await afterFirst?.()
    text += Buffer.from(chunk).toString()
  }
  return text
}

describe('files of volumes', () => {
  test('are read by more readers at once than may be open', async () => {
    const store = await SimulatedVolumes.open()
    const texts = Array.from({ length: 12 }, (_, volume) => `${volume} `.repeat(30))
    const locations = await volumesOf(store, texts)
    const files = new VolumeFiles({ index: store.index, places: store.places }, 3)
    for (let round = 0; round < 3; round++) {
      const read = locations.map(async (location, place) => {
        const stream = place % 2 === 0
        return stream ? textOf(files.stream(location, 7)) : (await files.read(location)).toString()
      })
      assert.deepEqual(await store.run(Promise.all(read)), texts)
    }
    await store.run(files.close())
  })

  test('are read to the end by those who began before the file was removed', async () => {
    const store = await SimulatedVolumes.open()
    const [location] = await volumesOf(store, ['read to the end'])
    const path = store.files.path(location!.volume)
    const loader = textOf(store.files.stream(location!, 4), async () => {
      await store.files.forget(location!.volume)
      await store.machine.machine.disk.remove(path)
    })
    assert.equal(await store.run(loader), 'read to the end')
    await assert.rejects(store.run(store.files.read(location!)), { code: 'store-volume-missing' })
    // Nobody holds it any longer, so its room is free.
    const { usedBytes } = store.machine.disk
    assert.ok(usedBytes < 500, String(usedBytes))
  })

  test('are opened anew after a failure', async () => {
    const store = await SimulatedVolumes.open()
    const [location] = await volumesOf(store, ['there'])
    const { disk } = store.machine.machine
    const path = store.files.path(location!.volume)
    assert.equal(await store.read(location!), 'there')
    store.machine.disk.failWhen({ operation: 'read', times: 1 })
    await assert.rejects(store.run(store.files.read(location!)), { code: 'disk-failure', retry: 'later' })
    await store.run(disk.rename(path, `${path}.away`))
    await assert.rejects(store.run(store.files.read(location!)), { code: 'store-volume-missing' })
    await store.run(disk.rename(`${path}.away`, path))
    assert.equal(await store.read(location!), 'there')
  })

  test('are refused when all is closed', async () => {
    const store = await SimulatedVolumes.open()
    const [location] = await volumesOf(store, ['there'])
    await store.run(store.files.close())
    await assert.rejects(store.files.read(location!), { code: 'store-closed' })
  })
})
