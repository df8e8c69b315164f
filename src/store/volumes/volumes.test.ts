import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { indexFull } from '../fixtures/failing-key-values.ts'
import { SimulatedVolumes } from '../fixtures/simulated-volumes.ts'
import type { WrittenLocation } from '../index/location.ts'
import { CommitRefusal } from './appending.ts'

async function* flowing(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

describe('appending', () => {
  test('gives each caller a place of its own, and many callers one sync', async () => {
    const store = await SimulatedVolumes.open()
    const texts = Array.from({ length: 100 }, (_, count) => `record ${count} `.repeat(20))
    const before = store.machine.world.simulation.nowMs
    const locations = await store.run(Promise.all(texts.map((text) => store.append(text))))
    // One after the other they would take more than 100 syncs of 2 ms.
    assert.ok(store.machine.world.simulation.nowMs - before < 60)
    for (const [place, location] of locations.entries())
      assert.equal(await store.read(location), texts[place])
  })

  test('commits in the order of calls, when the bytes are there', async () => {
    const store = await SimulatedVolumes.open()
    const order: string[] = []
    const appended = ['one', 'two', 'three'].map((text) =>
      store.volumes.append({ bytes: Buffer.from(text), commit: () => void order.push(text) }),
    )
    await store.run(Promise.all(appended))
    assert.deepEqual(order, ['one', 'two', 'three'])
  })

  test('refused by one commit leaves the others alone', async () => {
    const store = await SimulatedVolumes.open()
    const reason = new Error('known already')
    const outcomes = await store.run(
      Promise.allSettled([
        store.append('first'),
        store.volumes.append({
          bytes: Buffer.from('second'),
          commit: () => {
            throw new CommitRefusal(reason)
          },
        }),
        store.append('third'),
      ]),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((outcomes[1] as PromiseRejectedResult).reason, reason)
    assert.deepEqual(store.states, ['/a active 6 dead'])
  })

  test('with a fault in one commit costs that one, and what it changed is taken back', async () => {
    const store = await SimulatedVolumes.open()
    const outcomes = await store.run(
      Promise.allSettled([
        store.append('first'),
        store.volumes.append({
          bytes: Buffer.from('second'),
          commit: () => {
            store.index.putNote('by a faulty commit', 1)
            throw new TypeError('a fault')
          },
        }),
        store.append('third'),
      ]),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((outcomes[1] as PromiseRejectedResult).reason.message, 'a fault')
    assert.equal(store.index.note('by a faulty commit'), undefined)
    assert.deepEqual(store.states, ['/a active 6 dead'])
    const { value } = outcomes[2] as PromiseFulfilledResult<WrittenLocation>
    assert.equal(await store.read(value), 'third')
  })

  test('of a batch whose index change failed is cut off before the next is written', async () => {
    const store = await SimulatedVolumes.open()
    const before = await store.run(store.append('before'))
    let failures = 1
    store.machine.keyValues.transactionFailure = () => (failures-- > 0 ? indexFull() : undefined)
    const first = store.append('not indexed')
    // Waits for the first one, which is being indexed.
    const second = store.machine.machine.clock.sleep(1).then(() => store.append('indexed'))
    const [lost, kept] = await store.run(Promise.allSettled([first, second]))
    assert.equal((lost as PromiseRejectedResult).reason.code, 'index-full')
    const { value } = kept as PromiseFulfilledResult<WrittenLocation>
    assert.equal(value.offset, before.offset + before.length)
    assert.equal(await store.read(value), 'indexed')
    assert.deepEqual(store.states, ['/a active'])
    await store.crash()
    assert.equal(await store.read(value), 'indexed')
  })
})

describe('what flows by', () => {
  test('is written as it comes, with what is in memory before and after it', async () => {
    const store = await SimulatedVolumes.open()
    const locations = await store.run(
      Promise.all([
        store.append('before'),
        store.volumes.append({ bytes: flowing('in ', 'three ', 'parts'), commit: () => {} }),
        store.append('after'),
      ]),
    )
    assert.equal(await store.read(locations[0]), 'before')
    assert.equal(await store.read(locations[1]), 'in three parts')
    assert.equal(await store.read(locations[2]), 'after')
  })

  test('and breaks off fails alone, and leaves nothing behind', async () => {
    const store = await SimulatedVolumes.open()
    const before = await store.run(store.append('before'))
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('the start of it')
      throw new Error('the source is gone')
    }
    const failing = store.volumes.append({ bytes: broken(), commit: () => assert.fail() })
    await assert.rejects(store.run(failing), { message: 'the source is gone' })
    const after = await store.run(store.append('after'))
    assert.equal(after.offset, before.offset + before.length)
    assert.deepEqual(store.states, ['/a active'])
    assert.equal(await store.read(after), 'after')
  })

  test('goes to another folder only before its first byte was taken', async () => {
    const store = await SimulatedVolumes.open()
    await store.run(store.volumes.setFolder('/b', 'writable'))
    const unmounted = store.machine.disk.failWhen({ operation: 'stat', path: /^\/a\// })
    const location = await store.run(
      store.volumes.append({ bytes: flowing('whole'), commit: () => {} }, { notFolder: 99 }),
    )
    assert.equal(await store.read(location), 'whole')
    unmounted.stop()
    await store.run(Promise.all([store.append('x', '/a'), store.append('x', '/b')]))
    store.machine.disk.failWhen({ operation: 'write', times: 1 })
    const failing = store.volumes.append({ bytes: flowing('half ', 'of it'), commit: () => assert.fail() })
    await assert.rejects(store.run(failing), { code: 'disk-failure' })
  })

  test('stops when the room is gone', async () => {
    const store = await SimulatedVolumes.open({ reserveBytes: 1_000_000 })
    store.machine.disk.capacityBytes = 30_000_000
    const chunk = Buffer.alloc(1_000_000)
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield chunk
    }
    const failing = store.volumes.append({ bytes: endless(), commit: () => assert.fail() })
    await assert.rejects(store.run(failing), { code: 'store-no-room' })
    assert.ok(store.machine.disk.usedBytes < 10_000)
  })
})

describe('volumes', () => {
  test('are sealed when they are full, and a new one is begun', async () => {
    const store = await SimulatedVolumes.open({ volumeBytesMax: 3_000 })
    const locations: WrittenLocation[] = []
    for (let count = 0; count < 10; count++) locations.push(await store.run(store.append('x'.repeat(700))))
    assert.deepEqual(store.states, [
      ...Array.from({ length: store.states.length - 1 }, () => '/a sealed'),
      '/a active',
    ])
    for (const { sizeBytes } of store.index.volumes().values()) assert.ok(sizeBytes <= 3_000)
    for (const location of locations) assert.equal(await store.read(location), 'x'.repeat(700))
    const active = store.states.length
    await store.crash({ volumeBytesMax: 3_000 })
    await store.run(store.append('on the same volume'))
    assert.equal(store.states.length, active)
  })

  test('take a record that is larger than they may be', async () => {
    const store = await SimulatedVolumes.open({ volumeBytesMax: 3_000 })
    const large = await store.run(store.append('y'.repeat(10_000)))
    const small = await store.run(store.append('small'))
    assert.notEqual(small.volume, large.volume)
    assert.equal(await store.read(large), 'y'.repeat(10_000))
  })

  test('are sealed on request while callers go on', async () => {
    const store = await SimulatedVolumes.open()
    const appended: Promise<WrittenLocation>[] = []
    const seals: Promise<void>[] = []
    const callers = Array.from({ length: 5 }, async (_, caller) => {
      for (let count = 0; count < 10; count++) {
        const appending = store.append(`${caller} ${count}`)
        appended.push(appending)
        await appending
        if (caller === 0 && count % 3 === 0) seals.push(store.volumes.seal())
      }
    })
    await store.run(Promise.all(callers))
    await store.run(Promise.all(seals))
    for (const location of await Promise.all(appended)) assert.match(await store.read(location), /^\d \d$/)
    const active = store.states.filter((state) => state === '/a active')
    assert.ok(active.length <= 1)
    assert.ok(store.states.length >= 4)
  })

  test('of which a crash left two active: one goes on, the other is sealed', async () => {
    const store = await SimulatedVolumes.open()
    const first = await store.run(store.append('first'))
    await store.run(store.volumes.seal())
    const second = await store.run(store.append('second'))
    await store.run(
      store.index.changeForGood(() => {
        const entry = store.index.volume(first.volume)!
        store.index.putVolume(first.volume, { ...entry, state: 'active' })
      }),
    )
    await store.crash()
    assert.deepEqual(store.states.sort(), ['/a active', '/a sealed'])
    const third = await store.run(store.append('third'))
    assert.deepEqual(
      [await store.read(first), await store.read(second), await store.read(third)],
      ['first', 'second', 'third'],
    )
  })

  test('that were begun and never finished are removed', async () => {
    const store = await SimulatedVolumes.open()
    // The process is killed between the first word of the new volume and the last.
    void store.append('never').catch(() => {})
    await store.machine.world.advance(6)
    assert.equal(store.index.volume(1)!.sizeBytes, 0)
    const begun = await store.run(store.machine.machine.disk.list('/a'))
    assert.ok(begun.some((name) => name.endsWith('.warc')))
    store.machine.kill()
    await store.open()
    const left = await store.run(store.machine.machine.disk.list('/a'))
    assert.deepEqual(left, ['polyhistor-volumes.txt'])
    assert.deepEqual(store.states, [])
  })

  test('lose what was written and not indexed when they are opened', async () => {
    const store = await SimulatedVolumes.open()
    const kept = await store.run(store.append('kept'))
    const path = store.files.path(kept.volume)
    const file = await store.run(store.machine.machine.disk.open(path, 'write'))
    await store.run(file.write(kept.offset + kept.length, Buffer.from('torn')))
    await store.run(file.sync())
    await store.crash()
    const info = await store.run(store.machine.machine.disk.stat(path))
    assert.equal(info!.sizeBytes, kept.offset + kept.length)
    assert.equal(await store.read(kept), 'kept')
  })
})

describe('folders', () => {
  test('get what has the most room', async () => {
    const store = await SimulatedVolumes.open()
    const { disk } = store.machine.machine
    const rooms = new Map([
      ['/a', 1_000_000],
      ['/b', 2_000_000],
    ])
    disk.freeBytes = async (folder) => rooms.get(folder)!
    await store.run(store.volumes.setFolder('/b', 'writable'))
    for (let count = 0; count < 3; count++) await store.run(store.append('to b'))
    assert.deepEqual(store.states.slice(-1), ['/b active'])
    assert.equal(store.states.length, 1)
    rooms.set('/b', 500_000)
    for (let count = 0; count < 3; count++) await store.run(store.append('to a'))
    assert.deepEqual(store.states, ['/b active', '/a active'])
    // Somebody else made room on b: noticed before long.
    rooms.set('/b', 9_000_000)
    const before = store.index.volume(1)!.sizeBytes
    for (let count = 0; count < 300; count++) await store.run(store.append('x'))
    assert.ok(store.index.volume(1)!.sizeBytes > before)
  })

  test('that the caller names get it, or an error', async () => {
    const store = await SimulatedVolumes.open()
    await store.run(store.volumes.setFolder('/b', 'writable'))
    const location = await store.run(store.append('to b', '/b/../b'))
    assert.equal(store.index.volume(location.volume)!.folder, store.volumes.folderNumber('/b'))
    await assert.rejects(store.run(store.append('x', '/nowhere')), { code: 'store-unknown-folder' })
    await store.run(store.volumes.setFolder('/b', 'read-only'))
    await assert.rejects(store.run(store.append('x', '/b')), { code: 'store-no-room', message: /read-only/ })
    assert.equal(await store.read(location), 'to b')
  })

  test('can be added, made read-only and writable again while callers go on', async () => {
    const store = await SimulatedVolumes.open()
    const changing = async (): Promise<void> => {
      await store.volumes.setFolder('/b', 'writable')
      await store.volumes.setFolder('/a', 'read-only')
      await store.volumes.setFolder('/c', 'writable')
      await store.volumes.setFolder('/b', 'read-only')
      await store.volumes.setFolder('/a', 'writable')
    }
    const appending = async (caller: number): Promise<WrittenLocation[]> => {
      const locations: WrittenLocation[] = []
      for (let count = 0; count < 20; count++) locations.push(await store.append(`${caller} ${count}`))
      return locations
    }
    const [, ...all] = await store.run(
      Promise.all([changing(), appending(0), appending(1), appending(2)] as const),
    )
    for (const [caller, locations] of all.entries()) {
      for (const [count, location] of locations.entries())
        assert.equal(await store.read(location), `${caller} ${count}`)
    }
    assert.ok(!store.states.includes('/b active'))
  })

  test('that are all read-only refuse everything', async () => {
    const store = await SimulatedVolumes.open()
    await store.run(store.volumes.setFolder('/a', 'read-only'))
    await assert.rejects(store.run(store.append('x')), { code: 'store-no-room', retry: 'later' })
  })

  test('are forgotten only when nothing is left in them', async () => {
    const store = await SimulatedVolumes.open()
    await store.run(store.volumes.setFolder('/b', 'writable'))
    await store.run(store.append('x', '/b'))
    await assert.rejects(store.run(store.volumes.removeFolder('/b')), { message: /still holds 1 volume/ })
    await store.run(store.append('still writable', '/b'))
    await store.run(store.volumes.setFolder('/c', 'writable'))
    await store.run(store.volumes.removeFolder('/c'))
    assert.deepEqual(
      [...store.volumes.folders().values()].map(({ path }) => path),
      ['/a', '/b'],
    )
    await assert.rejects(store.run(store.append('x', '/c')), { code: 'store-unknown-folder' })
  })

  test('on one disk share its reserve', async () => {
    const store = await SimulatedVolumes.open({ reserveBytes: 50_000 })
    await store.run(store.volumes.setFolder('/b', 'writable'))
    await store.run(Promise.all([store.append('x', '/a'), store.append('x', '/b')]))
    store.machine.disk.capacityBytes = store.machine.disk.usedBytes + 60_000
    // Each would fit by itself; both look before either has written.
    const outcomes = await store.run(
      Promise.allSettled([store.append('a'.repeat(8_000), '/a'), store.append('b'.repeat(8_000), '/b')]),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })
})

describe('closing', () => {
  test('finishes what was taken, and refuses the rest', async () => {
    const store = await SimulatedVolumes.open()
    const taken = Array.from({ length: 30 }, (_, count) => store.append(`${count}`))
    const outcomes = Promise.allSettled(taken)
    await store.machine.world.advance(0.3)
    await store.run(store.volumes.close())
    for (const outcome of await outcomes) assert.equal(outcome.status, 'fulfilled')
    await assert.rejects(store.run(store.append('late')), { code: 'store-closed' })
  })
})
