import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf, ringKeyToBytes } from '../../model/ring-key.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { LogPosition } from './log-position.ts'
import { ReplicaStore } from './replica-store.ts'
import type { SiteEntry } from './site-frontier.ts'
import type { Load, SiteBatch } from './wire/site-batch.ts'

const site = ringKeyOf('site')
const at = (epoch: number, sequence: number): LogPosition => ({ epoch, sequence })

class Bench {
  readonly world: SimulatedWorld = simulatedWorld({ seed: 1 })
  store!: ReplicaStore
  #map!: KeyValue

  async open(): Promise<this> {
    this.#map = await this.world.complete(
      this.world.machine('a').keyValues.open('/shadows', { hasJournal: true }),
    )
    this.store = new ReplicaStore(this.#map)
    return this
  }

  /** What is on disk of the site's head. */
  async changeHead(change: (stored: Buffer) => Uint8Array): Promise<void> {
    const table = this.#map.table('heads')
    const key = ringKeyToBytes(site)
    await this.world.complete(
      this.#map.transaction(() => table.put(key, change(Buffer.from(table.get(key)!)))),
    )
  }

  /** As older versions kept entries, without the end of the site's id. */
  async putOld(entries: Record<string, string>): Promise<void> {
    const table = this.#map.table('entries')
    await this.world.complete(
      this.#map.transaction(() => {
        for (const [name, value] of Object.entries(entries))
          table.put(Buffer.concat([this.#oldStart, Buffer.from(name)]), Buffer.from(value))
      }),
    )
  }

  get oldCount(): number {
    const to = Buffer.from(this.#oldStart)
    to[8]!++
    return [...this.#map.table('entries').range({ from: this.#oldStart, to })].length
  }

  get #oldStart(): Buffer {
    return Buffer.concat([ringKeyToBytes(site).subarray(0, 8), Uint8Array.of(1)])
  }

  async powerCut(): Promise<void> {
    this.world.machine('a').crash()
    this.world.machine('a').restart()
    await this.open()
  }

  async take(
    epoch: number,
    load: Load,
    entries: Record<string, string | null>,
    since = epoch,
  ): Promise<string> {
    const siteBatch: SiteBatch = {
      site,
      epoch,
      since,
      established: 0,
      load,
      entries: Object.entries(entries),
    }
    const [answer] = await this.world.complete(this.store.take([], [siteBatch]))
    return answer!.kind
  }

  changes(
    after: LogPosition,
    upTo: LogPosition,
    entries: Record<string, string | null>,
    since?: number,
  ): Promise<string> {
    return this.take(upTo.epoch, { kind: 'changes', after, upTo }, entries, since)
  }

  copy(
    index: number,
    upTo: LogPosition | undefined,
    entries: Record<string, string | null>,
  ): Promise<string> {
    return this.take(1, { kind: 'copy', copy: 7, index, upTo }, entries)
  }

  get entries(): Record<string, string> {
    const { entries } = this.store.read(site, undefined, 1e6)
    return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]))
  }
}

test('changes are taken in order or not at all, and are there after a power cut', async () => {
  const bench = await new Bench().open()
  assert.equal(await bench.changes(at(0, 0), at(1, 1), { a: '1', b: '2' }), 'taken')
  assert.equal(await bench.changes(at(1, 2), at(1, 3), { a: '9' }), 'behind')
  assert.equal(await bench.changes(at(1, 1), at(1, 2), { a: '3', b: null }), 'taken')
  await bench.powerCut()
  assert.deepEqual(bench.entries, { a: '3' })
  assert.deepEqual(bench.store.head(site).position, at(1, 2))
})

test('what comes twice does no harm, alone or with more', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 1), { a: '1' })
  assert.equal(await bench.changes(at(0, 0), at(1, 1), { a: '1' }), 'taken')
  assert.equal(await bench.changes(at(0, 0), at(1, 2), { a: '1', b: '2' }), 'taken')
  assert.deepEqual(bench.entries, { a: '1', b: '2' })
})

test('who has more of an earlier lease holder than the next one took over needs a copy', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 1), { a: '1' })
  await bench.changes(at(1, 1), at(1, 2), { b: 'of the first holder alone' })
  assert.equal(await bench.changes(at(1, 1), at(2, 2), { c: '3' }, 2), 'behind')
})

test('a copy counts when its last part has come, and takes the place of all that was there', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 1), { old: '1' })
  assert.equal(await bench.copy(0, undefined, { a: '1', b: '2' }), 'taken')
  assert.deepEqual(bench.entries, { old: '1' })
  assert.equal(await bench.copy(2, at(1, 5), { c: '3' }), 'behind')
  assert.equal(await bench.copy(1, at(1, 5), { b: '4', c: '3' }), 'taken')
  assert.deepEqual(bench.entries, { a: '1', b: '4', c: '3' })
  assert.equal(await bench.changes(at(1, 5), at(1, 6), { a: null }), 'taken')
  assert.deepEqual(bench.entries, { b: '4', c: '3' })
})

test('of a copy that a restart interrupts nothing counts, and the next begins anew', async () => {
  const bench = await new Bench().open()
  await bench.copy(0, undefined, { a: '1', gone: '2' })
  await bench.powerCut()
  assert.equal(await bench.copy(1, at(1, 5), { b: '2' }), 'behind')
  assert.equal(bench.store.head(site).position, undefined)
  assert.equal(await bench.copy(0, at(1, 6), { a: '3' }), 'taken')
  assert.deepEqual(bench.entries, { a: '3' })
})

test.each([
  [6, 4],
  [4, 6],
])(
  'of copies of epochs %i and %i that come at about the same time the replica is one, whole',
  async (...epochs) => {
    // Every moment of the first at which the second may come.
    for (let startMs = 0; startMs < 2; startMs += 0.02) {
      const { store, world } = await new Bench().open()
      const takes: Promise<unknown>[] = []
      for (const epoch of epochs) {
        const load = { kind: 'copy', copy: epoch, index: 0, upTo: at(epoch, 1) } as const
        const entries: SiteEntry[] = [[`of epoch ${epoch}`, Buffer.from('1')]]
        takes.push(store.take([], [{ site, epoch: 6, since: 6, established: 0, load, entries }]))
        await world.advance(startMs)
      }
      await world.complete(Promise.all(takes))
      const { entries } = store.read(site, undefined, 1e6)
      const names = entries.map(([name]) => name)
      assert.deepEqual(names, [`of epoch ${store.head(site).position?.epoch}`], `${startMs} ms`)
    }
  },
)

test('a fence keeps earlier lease holders out, also after a power cut and after the replica is dropped', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 1), { a: '1' })
  await bench.world.complete(bench.store.fence([{ site, epoch: 3, last: 3 }]))
  await bench.powerCut()
  assert.equal(await bench.changes(at(1, 1), at(2, 2), { a: '2' }), 'superseded')
  await bench.world.complete(bench.store.drop(site))
  assert.deepEqual(bench.entries, {})
  assert.equal(await bench.changes(at(0, 0), at(2, 1), { a: '2' }), 'superseded')
  assert.equal(await bench.changes(at(0, 0), at(3, 1), { a: '3' }), 'taken')
})

test('what a mark clears is gone, but for what is named after it', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 1), { ka: '1', kb: '2', l: '3' })
  await bench.changes(at(1, 1), at(1, 2), { '*k': '', kb: '4' })
  assert.deepEqual(bench.entries, { kb: '4', l: '3' })
})

test('a head of which any bit is damaged counts as none, and the next copy is taken', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(1, 20), { a: '1' })
  let bits = Number.POSITIVE_INFINITY
  for (let bit = 0; bit < bits; bit++) {
    await bench.changeHead((stored) => {
      bits = 8 * stored.length
      stored[bit >> 3]! ^= 1 << (bit & 7)
      return stored
    })
    assert.equal(bench.store.head(site).position, undefined, `bit ${bit}`)
    // However far the damaged head said that the copy was.
    const load: Load = { kind: 'copy', copy: bit, index: 0, upTo: at(1, 20) }
    assert.equal(await bench.take(1, load, { a: '1' }), 'taken')
    assert.deepEqual(bench.entries, { a: '1' })
  }
})

test('a head without a checksum, of an earlier version, is read; a copy later than what is let in is not believed', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(2, 20), { a: '1' })
  // Slot, fence, established epoch, and the position of the copy.
  await bench.changeHead(() => Uint8Array.of(0, 2, 1, 1, 2, 20))
  assert.deepEqual(bench.store.head(site), { position: at(2, 20), slot: 0, fence: 2, established: 1 })
  await bench.changeHead(() => Uint8Array.of(0, 2, 1, 1, 127, 20))
  assert.equal(bench.store.head(site).position, undefined)
})

test('a copy of an epoch that nobody knows is given up with the fence that let it in', async () => {
  const bench = await new Bench().open()
  await bench.changes(at(0, 0), at(9, 1), { a: '1' })
  await bench.world.complete(bench.store.fence([{ site, epoch: 3, last: 3 }]))
  const { position, fence } = bench.store.head(site)
  assert.deepEqual({ position, fence }, { position: undefined, fence: 3 })
})

test('copies and changes of an id that begins the same leave a replica as it is, and so do its ends', async () => {
  const bench = await new Bench().open()
  await bench.copy(0, at(1, 5), { a: 'one', b: 'two' })
  const sibling = (site.slice(0, -1) + (site.endsWith('0') ? '1' : '0')) as typeof site
  const take = async (load: Load, entries: Record<string, string | null>): Promise<void> => {
    const siteBatch = { site: sibling, epoch: 1, since: 1, established: 0, load }
    await bench.world.complete(
      bench.store.take([], [{ ...siteBatch, entries: Object.entries(entries) } satisfies SiteBatch]),
    )
  }
  const copies = [1, 2, 3].map((copy) => ({ kind: 'copy', copy, index: 0, upTo: at(1, copy) }) as const)
  for (const load of [...copies, { kind: 'changes', after: at(1, 3), upTo: at(1, 4) } as const]) {
    await take(load, { a: 'made up', c: 'made up', '*b': '' })
    assert.deepEqual(bench.entries, { a: 'one', b: 'two' })
  }
  assert.equal(bench.store.read(sibling, undefined, 1e6).entries.length, 2)
  await bench.world.complete(bench.store.drop(sibling))
  assert.deepEqual(bench.entries, { a: 'one', b: 'two' })
  assert.deepEqual(bench.store.read(sibling, undefined, 1e6).entries, [])
})

test('a replica of an earlier version is read, changed and left with the next copy', async () => {
  const bench = await new Bench().open()
  await bench.copy(0, at(1, 5), { a: 'new' })
  await bench.putOld({ a: 'one', b: 'two' })
  // Slot, fence, established epoch, and the position of the copy.
  await bench.changeHead(() => Uint8Array.of(1, 1, 1, 1, 1, 5))
  assert.deepEqual(bench.entries, { a: 'one', b: 'two' })
  assert.equal(await bench.changes(at(1, 5), at(1, 6), { b: null, c: 'three' }), 'taken')
  assert.deepEqual(bench.entries, { a: 'one', c: 'three' })
  assert.equal(
    await bench.take(1, { kind: 'copy', copy: 8, index: 0, upTo: at(1, 7) }, { d: 'four' }),
    'taken',
  )
  await bench.world.advance(1_000)
  assert.deepEqual(bench.entries, { d: 'four' })
  assert.equal(bench.oldCount, 0)
})
