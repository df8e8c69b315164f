import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { describe, test } from 'vitest'
import { SimulatedDisk } from '../simulated/disk.ts'
import { SimulatedKeyValues } from '../simulated/key-value.ts'
import { Life } from '../simulated/life.ts'
import type { SimulatedRandom } from '../simulated/random.ts'
import { Simulation } from '../simulated/simulation.ts'
import { type Disk, DiskError, type DiskFile } from '../storage/disk.ts'
import { type KeyValue, KeyValueError, type KeyValues } from '../storage/key-value.ts'
import { JournaledKeyValues } from './key-value.ts'

const text = (value: string | number): Uint8Array => new TextEncoder().encode(String(value))
/** Neither of the two is there at first. */
const folder = '/home/index'

function put(map: KeyValue, name: string, key: string | number, value: string | number): Promise<void> {
  const table = map.table(name)
  return map.transaction(() => table.put(text(key), text(value)))
}

/** A disk, maps below, and journaled ones over both, that outlive power cuts. */
class Machine {
  readonly simulation: Simulation
  readonly random: SimulatedRandom
  readonly disk: SimulatedDisk
  readonly #maps: SimulatedKeyValues
  #life = new Life()
  /** Asked before each transaction and flush of the map below. */
  failure: () => KeyValueError | undefined = () => undefined

  constructor(seed: string | number) {
    this.simulation = new Simulation({ seed })
    this.random = this.simulation.random.fork('test')
    this.disk = new SimulatedDisk({ simulation: this.simulation })
    this.#maps = new SimulatedKeyValues({ simulation: this.simulation })
  }

  open(heldBytesMax = 3_000, sizeBytesMax?: number): Promise<KeyValue> {
    const needs = { disk: this.mount(), below: this.#failing(this.#maps.mount(this.#life)) }
    const options = { hasJournal: true, ...(sizeBytesMax && { sizeBytesMax }) }
    return this.simulation.complete(new JournaledKeyValues(needs, { heldBytesMax }).open(folder, options))
  }

  /** The disk as the process that runs now sees it. */
  mount(): Disk {
    return this.disk.mount(this.#life)
  }

  crash(): void {
    this.disk.crash()
    this.#maps.crash()
  }

  /** Ends the process, and nothing else: what it wrote and did not sync is still there. */
  kill(): void {
    this.#life.end()
    this.#life = new Life()
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.simulation.complete(work)
  }

  async journals(): Promise<string[]> {
    return this.run(this.disk.mount().list(folder))
  }

  #failing(maps: KeyValues): KeyValues {
    const check = async () => {
      const failure = this.failure()
      if (failure !== undefined) throw failure
    }
    return {
      open: async (path, options) => {
        const map = await maps.open(path, options)
        return {
          table: (name) => map.table(name),
          transaction: (action) => check().then(() => map.transaction(action)),
          flush: () => check().then(() => map.flush()),
          sizeBytes: () => map.sizeBytes(),
          close: () => map.close(),
        }
      },
    }
  }
}

/** What was asked of a map, and what its callers were told. */
class Book {
  readonly #done = new Set<number>()
  readonly #refused = new Set<number>()
  #flushed: number[] = []
  #next = 1

  async write(map: KeyValue): Promise<void> {
    const [log, places] = [map.table('log'), map.table('places')]
    const number = this.#next++
    try {
      await map.transaction(() => {
        log.put(text(number), new Uint8Array(number % 60))
        if (number % 5 === 0) places.remove(text(number % 7))
        else places.put(text(number % 7), text(number))
      })
      this.#done.add(number)
    } catch (error) {
      assert(error instanceof KeyValueError, `${error}`)
      // What failed otherwise may be found or not.
      if (error.code === 'index-full') this.#refused.add(number)
    }
  }

  async flush(map: KeyValue): Promise<void> {
    const before = [...this.#done]
    try {
      await map.flush()
      this.#flushed = before
    } catch (error) {
      assert(error instanceof KeyValueError && error.code === 'index-failure', `${error}`)
    }
  }

  /** After a crash: all that was flushed is there, nothing that was refused, and what is there is one state of the past. */
  check(map: KeyValue): void {
    const found = [...map.table('log').range()].map(([key]) => Number(Buffer.from(key).toString()))
    const there = new Set(found)
    for (const number of this.#flushed) assert(there.has(number), `${number} was flushed and is lost`)
    for (const number of this.#refused) assert(!there.has(number), `${number} was refused and is there`)
    const last = Math.max(0, ...found)
    for (const number of this.#done)
      assert(number > last || there.has(number), `${number} is lost, ${last} is not`)
    const places = new Map<string, string>()
    for (const number of found.sort((left, right) => left - right)) {
      if (number % 5 === 0) places.delete(String(number % 7))
      else places.set(String(number % 7), String(number))
    }
    const kept = [...map.table('places').range()].map(([key, value]) => [key, value].map(asString))
    assert.deepEqual(
      kept,
      [...places].sort(([left], [right]) => (left < right ? -1 : 1)),
    )
    // What is lost stays lost, and what was found stays.
    for (const number of this.#done) if (!there.has(number)) this.#done.delete(number)
    for (const number of found) this.#done.add(number)
    this.#flushed = found
  }
}

const asString = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** And sometimes it is closed in between. */
async function workAndCrash(machine: Machine, book: Book): Promise<void> {
  const map = await machine.open()
  book.check(map)
  const callers = 1 + machine.random.below(4)
  let isOver = false
  const call = async (): Promise<void> => {
    while (!isOver) {
      await book.write(map)
      if (machine.random.chance(0.3)) await book.flush(map)
    }
  }
  const calls = Promise.all(Array.from({ length: callers }, call))
  await machine.simulation.advance(machine.random.between(0, 200))
  isOver = true
  if (machine.random.chance(0.4)) {
    await machine.run(calls)
    await machine.run(map.close())
  }
  machine.crash()
}

/** Changes that speak of bytes in files beside the map, and what their callers were told. */
class Grounds {
  readonly #machine: Machine
  readonly #told = new Set<number>()
  readonly #refused = new Set<number>()
  #next = 1
  #files = 0

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Callers at work until the power is cut. */
  async workAndCrash(): Promise<void> {
    const map = await this.#machine.open()
    const disk = this.#machine.mount()
    await this.#machine.run(disk.makeFolder('/bytes'))
    await this.#machine.run(disk.syncFolder('/'))
    const callers = 1 + this.#machine.random.below(4)
    for (let caller = 0; caller < callers; caller++) void this.#call(map, disk)
    await this.#machine.simulation.advance(this.#machine.random.between(0, 100))
    this.#machine.kill()
    if (this.#machine.random.chance(0.7)) this.#machine.crash()
  }

  /** After a crash: what was told is there, what was refused is not, and nothing is there without its bytes. */
  async check(): Promise<void> {
    const map = await this.#machine.open()
    const disk = this.#machine.disk.mount()
    const there = new Set<number>()
    for (const [key, value] of map.table('grounded').range()) {
      const number = Number(asString(key))
      const { path, length } = JSON.parse(asString(value)) as { path: string; length: number }
      const file = await this.#machine.run(disk.open(path, 'read'))
      const offset = (number * 7) % 50
      const bytes = await this.#machine.run(file.read(offset, length))
      assert.deepEqual(bytes, bytesOf(number, length), `${number} is there without its bytes`)
      there.add(number)
    }
    for (const number of this.#told) assert(there.has(number), `${number} was told and is lost`)
    for (const number of this.#refused) assert(!there.has(number), `${number} was refused and is there`)
    // What was found once is there for good.
    for (const number of there) this.#told.add(number)
    this.#machine.kill()
    this.#machine.crash()
  }

  async #call(map: KeyValue, disk: Disk): Promise<void> {
    for (;;) {
      const number = this.#next++
      try {
        const file = await disk.open(`/bytes/${++this.#files}`, 'create')
        await disk.syncFolder('/bytes')
        await this.#change(map, file, number)
        this.#told.add(number)
      } catch (error) {
        assert(error instanceof DiskError || error instanceof KeyValueError, `${error}`)
        if (error.code !== 'index-failure') this.#refused.add(number)
      }
    }
  }

  async #change(map: KeyValue, file: DiskFile, number: number): Promise<void> {
    const length = 1 + this.#machine.random.below(3_000)
    const bytes = bytesOf(number, length)
    const offset = (number * 7) % 50
    await file.write(offset, bytes)
    const { path } = file
    const ground = { path, offset, length, checksum: crc32(bytes), sync: () => file.sync() }
    const table = map.table('grounded')
    const change = () => table.put(text(number), text(JSON.stringify({ path, length })))
    await map.transaction(change, ground)
  }
}

function bytesOf(number: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let place = 0; place < length; place++) bytes[place] = number * 31 + (place >> 3) + 1
  return bytes
}

describe('a map with a journal, on a simulated machine', () => {
  test('loses nothing that was flushed to power cuts', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const [machine, book] = [new Machine(seed), new Book()]
      for (let life = 0; life < 5; life++) await workAndCrash(machine, book)
      const map = await machine.open()
      book.check(map)
      await machine.run(map.close())
    }
  })

  test('nor to a disk and a map below that fail, and works again by itself when they do not', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const [machine, book] = [new Machine(`failing ${seed}`), new Book()]
      const { random } = machine
      for (let life = 0; life < 4; life++) {
        const rules = (['write', 'sync', 'truncate', 'open', 'remove', 'sync-folder'] as const)
          .filter(() => random.chance(0.4))
          .map((operation) =>
            machine.disk.failWhen({
              operation,
              path: /journal|index/,
              probability: random.between(0.02, 0.5),
              code: random.chance(0.5) ? 'disk-full' : 'disk-failure',
            }),
          )
        const share = random.chance(0.5) ? 0.3 : 0
        machine.failure = () =>
          random.chance(share) ? new KeyValueError('index-full', 'Full, as told.') : undefined
        await workAndCrash(machine, book).catch((error: unknown) => {
          // It could not be opened, or closed.
          assert(error instanceof DiskError || error instanceof KeyValueError, `${error}`)
          machine.crash()
        })
        for (const rule of rules) rule.stop()
        machine.failure = () => undefined
      }
      const map = await machine.open()
      book.check(map)
      const failing = machine.disk.failWhen({ operation: 'sync', probability: 0.5 })
      const work = async (): Promise<void> => {
        for (let count = 0; count < 30; count++) {
          await book.write(map)
          await book.flush(map)
        }
      }
      await machine.run(work())
      failing.stop()
      await machine.run(put(map, 'after', 1, 1))
      await machine.run(map.flush())
      machine.crash()
      const again = await machine.open()
      book.check(again)
      assert.deepEqual(again.table('after').get(text(1)), text(1))
      await machine.run(again.close())
      assert.deepEqual(await machine.journals(), [])
    }
  })

  test('holds a change that stands on bytes elsewhere only with them, and always when it was told', async () => {
    for (let seed = 0; seed < 150; seed++) {
      const machine = new Machine(`grounds ${seed}`)
      const grounds = new Grounds(machine)
      for (let life = 0; life < 4; life++) {
        const isFailing = machine.random.chance(0.5)
        const rules = (['write', 'sync', 'sync-folder', 'open'] as const)
          .filter(() => isFailing && machine.random.chance(0.5))
          .map((operation) =>
            machine.disk.failWhen({ operation, probability: machine.random.between(0.02, 0.4) }),
          )
        await grounds.workAndCrash().catch((error: unknown) => {
          assert(isFailing && error instanceof DiskError, `${error}`)
          machine.kill()
          machine.crash()
        })
        for (const rule of rules) rule.stop()
        await grounds.check()
      }
    }
  })

  test('makes such a change safe in its old journal, too, while there is no room for another', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const machine = new Machine(`old journal ${seed}`)
      const map = await machine.open(1_000)
      for (let count = 0; count < 15; count++) await machine.run(put(map, 'a', count, 'x'.repeat(50)))
      // Time to write them below: then the journal would be begun anew.
      await machine.simulation.advance(100)
      const disk = machine.mount()
      await machine.run(disk.makeFolder('/bytes'))
      const file = await machine.run(disk.open('/bytes/1', 'create'))
      const failing = machine.disk.failWhen({ operation: 'open', path: /journal/, code: 'disk-full' })
      const ground = { path: file.path, offset: 0, length: 0, checksum: 0, sync: () => file.sync() }
      const table = map.table('a')
      await machine.run(map.transaction(() => table.put(text('grounded'), text('')), ground))
      machine.crash()
      failing.stop()
      assert.deepEqual((await machine.open()).table('a').get(text('grounded')), text(''), `seed ${seed}`)
    }
  })

  test('closed, it leaves all to the map below', async () => {
    const machine = new Machine(1)
    const map = await machine.open()
    await machine.run(put(map, 'a', 'x', 'y'))
    assert.deepEqual(await machine.journals(), ['journal-1'])
    await machine.run(map.close())
    assert.deepEqual(await machine.journals(), [])
    machine.crash()
    const again = await machine.open()
    assert.deepEqual(again.table('a').get(text('x')), text('y'))
    await machine.run(again.close())
  })

  test('says whether what it refused may be found after a crash', async () => {
    const machine = new Machine(1)
    const map = await machine.open()
    const refusal = async (operation: 'write' | 'sync-folder'): Promise<unknown> => {
      const failing = machine.disk.failWhen({ operation, path: /\/index/, code: 'disk-full' })
      const error = await machine.run(put(map, 'a', 'x', 'y').catch((reason: unknown) => reason))
      failing.stop()
      return (error as KeyValueError).code
    }
    assert.equal(await refusal('write'), 'index-full')
    // The name of the new file can neither be made safe nor be taken back safely.
    assert.equal(await refusal('sync-folder'), 'index-failure')
    assert.equal(map.table('a').get(text('x')), undefined)
    await machine.run(put(map, 'a', 'x', 'z'))
    assert.equal(await refusal('write'), 'index-full')
    await machine.run(map.close())
  })

  test('whose map below takes nothing refuses when memory is full, closes, and goes on when it does', async () => {
    const machine = new Machine(1)
    const map = await machine.open(1_000)
    machine.failure = () => new KeyValueError('index-full', 'Full, as told.')
    let count = 0
    const fill = async (): Promise<void> => {
      const table = map.table('a')
      for (; count < 1_000; count++) await map.transaction(() => table.put(text(count), new Uint8Array(50)))
    }
    await assert.rejects(machine.run(fill()), { code: 'index-full', retry: 'later' })
    assert(count > 5 && count < 50, `${count}`)
    machine.failure = () => undefined
    await machine.run(put(map, 'b', 'x', 'y'))
    machine.failure = () => new KeyValueError('index-full', 'Full, as told.')
    await machine.run(map.close())
    machine.failure = () => undefined
    machine.crash()
    const again = await machine.open()
    assert.equal([...again.table('a').range()].length, count)
    assert.deepEqual(again.table('b').get(text('x')), text('y'))
    await machine.run(again.close())
  })
})
