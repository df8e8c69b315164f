import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Disk } from '../storage/disk.ts'
import { SimulatedDisk } from './disk.ts'
import { sectorBytes } from './file-content.ts'
import { Life } from './life.ts'
import { Simulation } from './simulation.ts'

const text = (string: string): Uint8Array => new TextEncoder().encode(string)
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

interface Setting {
  simulation: Simulation
  hardware: SimulatedDisk
  disk: Disk
}

/** Runs the body once per seed, and gives what it returned. */
async function perSeed<T>(count: number, body: (setting: Setting) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let seed = 0; seed < count; seed++) {
    const simulation = new Simulation({ seed })
    const hardware = new SimulatedDisk({ simulation })
    results.push(await simulation.complete(body({ simulation, hardware, disk: hardware.mount() })))
  }
  return results
}

async function write(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path, 'create')
  await file.write(0, bytes)
  await file.sync()
  await file.close()
}

async function contentOf(disk: Disk, path: string): Promise<Uint8Array> {
  const file = await disk.open(path, 'read')
  const bytes = await file.read(0, await file.sizeBytes())
  await file.close()
  return bytes
}

/** The values that occur, sorted. */
const variety = (values: unknown[]): string[] => [...new Set(values.map((value) => String(value)))].sort()

describe('bytes at a power cut', () => {
  test('what was synced is there', () =>
    perSeed(50, async ({ hardware, disk }) => {
      await write(disk, '/a', filled(5_000, 1))
      await disk.syncFolder('/')
      hardware.crash()
      assert.deepEqual(await contentOf(hardware.mount(), '/a'), filled(5_000, 1))
    }))

  test('what was not synced is there, gone, or torn between sectors', async () => {
    const outcomes = await perSeed(200, async ({ hardware, disk }) => {
      await write(disk, '/a', filled(4 * sectorBytes, 1))
      await disk.syncFolder('/')
      const file = await disk.open('/a', 'write')
      await file.write(0, filled(4 * sectorBytes, 2))
      hardware.crash()
      const bytes = await contentOf(hardware.mount(), '/a')
      const sectors = [0, 1, 2, 3].map((sector) => {
        const part = bytes.subarray(sector * sectorBytes, (sector + 1) * sectorBytes)
        assert(
          part.every((byte) => byte === part[0]),
          'torn inside a sector',
        )
        return part[0]!
      })
      return sectors.join('')
    })
    assert(variety(outcomes).includes('1111'))
    assert(variety(outcomes).includes('2222'))
    assert(variety(outcomes).length > 8, `${variety(outcomes)}`)
  })

  test('a sector is as it was after some of its writes, never a mix', async () => {
    const outcomes = await perSeed(300, async ({ hardware, disk }) => {
      await write(disk, '/a', text('0000'))
      await disk.syncFolder('/')
      const file = await disk.open('/a', 'write')
      for (const [position, string] of [
        [0, '1'],
        [1, '2'],
        [2, '3'],
        [3, '4'],
      ] as const) {
        await file.write(position, text(string))
      }
      hardware.crash()
      return new TextDecoder().decode(await contentOf(hardware.mount(), '/a'))
    })
    assert.deepEqual(variety(outcomes), ['0000', '1000', '1200', '1230', '1234'])
  })

  test('a file that grew has an old size or a new one, and zeros where bytes are lost', async () => {
    const outcomes = await perSeed(300, async ({ hardware, disk }) => {
      await write(disk, '/a', filled(sectorBytes, 1))
      await disk.syncFolder('/')
      const file = await disk.open('/a', 'write')
      await file.write(sectorBytes, filled(sectorBytes, 2))
      await file.write(2 * sectorBytes, filled(sectorBytes, 3))
      hardware.crash()
      const bytes = await contentOf(hardware.mount(), '/a')
      assert.equal(bytes.length % sectorBytes, 0)
      return Array.from(
        { length: bytes.length / sectorBytes },
        (_, sector) => bytes[sector * sectorBytes],
      ).join('')
    })
    assert.deepEqual(variety(outcomes), ['1', '10', '100', '103', '12', '120', '123'].sort())
  })

  test('a cut of the file has happened or not, or left zeros only', async () => {
    const outcomes = await perSeed(100, async ({ hardware, disk }) => {
      await write(disk, '/a', text('abcdef'))
      await disk.syncFolder('/')
      const file = await disk.open('/a', 'write')
      await file.truncate(2)
      hardware.crash()
      return JSON.stringify(new TextDecoder().decode(await contentOf(hardware.mount(), '/a')))
    })
    for (const outcome of variety(outcomes))
      assert(['"ab"', '"abcdef"', '"ab\\u0000\\u0000\\u0000\\u0000"'].includes(outcome))
    assert(variety(outcomes).length >= 2)
  })

  test('a sync under way has happened or not', async () => {
    const outcomes = await perSeed(100, async ({ simulation, hardware, disk }) => {
      const file = await disk.open('/a', 'create')
      await disk.syncFolder('/')
      await file.write(0, text('x'))
      void file.sync()
      simulation.schedule(0.01, () => hardware.crash())
      await new Promise<void>((resolve) => simulation.schedule(1, resolve))
      return (await contentOf(hardware.mount(), '/a')).length
    })
    assert.deepEqual(variety(outcomes), ['0', '1'])
  })
})

describe('operations under way at a power cut', () => {
  test('have happened or not', async () => {
    const outcomes = await perSeed(100, async ({ hardware, disk }) => {
      const file = await disk.open('/a', 'create')
      await disk.syncFolder('/')
      void file.write(0, text('x'))
      hardware.crash()
      return (await contentOf(hardware.mount(), '/a')).length
    })
    assert.deepEqual(variety(outcomes), ['0', '1'])
  })

  test('do not happen later', () =>
    perSeed(50, async ({ simulation, hardware, disk }) => {
      await write(disk, '/a', text('a'))
      await disk.syncFolder('/')
      void disk.remove('/a')
      hardware.crash()
      const after = hardware.mount()
      const names = await after.list('/')
      await new Promise<void>((resolve) => simulation.schedule(1_000, resolve))
      assert.deepEqual(await after.list('/'), names)
    }))
})

describe('names at a power cut', () => {
  test('a name whose folder was synced is there, and so on up', () =>
    perSeed(50, async ({ hardware, disk }) => {
      await disk.makeFolder('/x/y')
      await write(disk, '/x/y/a', text('a'))
      for (const folder of ['/x/y', '/x', '/']) await disk.syncFolder(folder)
      hardware.crash()
      assert.deepEqual(await hardware.mount().list('/x/y'), ['a'])
    }))

  test('names made and removed since are there or not, each for itself', async () => {
    const outcomes = await perSeed(200, async ({ hardware, disk }) => {
      await write(disk, '/old', text('old'))
      await disk.syncFolder('/')
      await disk.remove('/old')
      await write(disk, '/new', text('new'))
      hardware.crash()
      return (await hardware.mount().list('/')).join(' ')
    })
    assert.deepEqual(variety(outcomes), ['', 'new', 'new old', 'old'])
  })

  test('a rename has happened or not: the old file or the new, never neither, never both', async () => {
    const outcomes = await perSeed(200, async ({ hardware, disk }) => {
      await write(disk, '/a', text('old'))
      await disk.syncFolder('/')
      await write(disk, '/temporary', text('new'))
      await disk.rename('/temporary', '/a')
      hardware.crash()
      const after = hardware.mount()
      const content = new TextDecoder().decode(await contentOf(after, '/a'))
      return `${(await after.list('/')).join(' ')}: ${content}`
    })
    assert.deepEqual(variety(outcomes), ['a temporary: old', 'a: new', 'a: old'])
  })

  test('a rename between folders is in one of them, whichever was synced', async () => {
    for (const synced of [[], ['/x'], ['/y'], ['/x', '/y']]) {
      const outcomes = await perSeed(100, async ({ hardware, disk }) => {
        await disk.makeFolder('/x')
        await disk.makeFolder('/y')
        await write(disk, '/x/a', text('a'))
        for (const folder of ['/', '/x', '/y']) await disk.syncFolder(folder)
        await disk.rename('/x/a', '/y/b')
        for (const folder of synced) await disk.syncFolder(folder)
        hardware.crash()
        const after = hardware.mount()
        return `${await after.list('/x')}|${await after.list('/y')}`
      })
      assert.deepEqual(variety(outcomes), synced.length > 0 ? ['|b'] : ['a|', '|b'])
    }
  })

  test('a made and moved file that was synced at its new place has no second name', async () => {
    const outcomes = await perSeed(100, async ({ hardware, disk }) => {
      await disk.makeFolder('/x')
      await disk.makeFolder('/y')
      await disk.syncFolder('/')
      await write(disk, '/x/a', text('a'))
      await disk.rename('/x/a', '/y/b')
      await disk.syncFolder('/y')
      hardware.crash()
      const after = hardware.mount()
      return `${await after.list('/x')}|${await after.list('/y')}`
    })
    assert.deepEqual(variety(outcomes), ['|b'])
  })
})

describe('processes and power cuts', () => {
  test('what was mounted before a power cut is dead: it hears nothing and does nothing', async () => {
    const simulation = new Simulation({ seed: 1 })
    const hardware = new SimulatedDisk({ simulation })
    const disk = hardware.mount()
    const file = await simulation.complete(disk.open('/a', 'create'))
    await simulation.complete(disk.syncFolder('/'))
    hardware.crash()
    let heard = 0
    for (const operation of [file.write(0, text('x')), file.sync(), disk.list('/'), disk.remove('/a')]) {
      operation.then(
        () => heard++,
        () => heard++,
      )
    }
    await simulation.run()
    assert.equal(heard, 0)
    assert.deepEqual(await simulation.complete(contentOf(hardware.mount(), '/a')), text(''))
  })

  test('a process that ends loses nothing that it has written', async () => {
    const simulation = new Simulation({ seed: 1 })
    const hardware = new SimulatedDisk({ simulation })
    const life = new Life()
    const disk = hardware.mount(life)
    const file = await simulation.complete(disk.open('/a', 'create'))
    await simulation.complete(file.write(0, text('x')))
    life.end()
    assert.deepEqual(await simulation.complete(contentOf(hardware.mount(), '/a')), text('x'))
    void disk.remove('/a')
    await simulation.run()
    assert.deepEqual(await simulation.complete(hardware.mount().list('/')), ['a'])
  })
})

describe('failures', () => {
  test('a full disk refuses, keeps what it has, and takes more when there is room', () =>
    perSeed(20, async ({ hardware, disk }) => {
      hardware.capacityBytes = 10_000
      await write(disk, '/a', filled(6_000, 1))
      assert.equal(await disk.freeBytes('/'), 4_000)
      const file = await disk.open('/b', 'create')
      await assert.rejects(file.write(0, filled(5_000, 2)), { code: 'disk-full' })
      assert((await file.sizeBytes()) <= 4_000)
      await assert.rejects(file.truncate(20_000), { code: 'disk-full' })
      await file.truncate(0)
      await file.write(0, filled(4_000, 2))
      await file.write(0, filled(4_000, 3))
      assert.deepEqual(await contentOf(disk, '/a'), filled(6_000, 1))
      await disk.remove('/a')
      await file.write(4_000, filled(6_000, 2))
      assert.equal(hardware.usedBytes, 10_000)
      await disk.remove('/b')
      assert.equal(hardware.usedBytes, 10_000, 'still open')
      await file.close()
      assert.equal(hardware.usedBytes, 0)
    }))

  test('room is counted anew after a power cut', () =>
    perSeed(20, async ({ hardware, disk }) => {
      await write(disk, '/a', filled(1_000, 1))
      await disk.syncFolder('/')
      await write(disk, '/b', filled(500, 1))
      hardware.crash()
      const names = await hardware.mount().list('/')
      assert.equal(hardware.usedBytes, names.includes('b') ? 1_500 : 1_000)
    }))

  test('rules say what fails, where, how and how often', () =>
    perSeed(1, async ({ hardware, disk }) => {
      await write(disk, '/a', text('a'))
      await write(disk, '/b', text('b'))
      const file = await disk.open('/a', 'write')
      hardware.failWhen({ path: '/a', operation: 'read', times: 2 })
      await assert.rejects(file.read(0, 1), { code: 'disk-failure', path: '/a' })
      await assert.rejects(file.read(0, 1), { code: 'disk-failure' })
      assert.deepEqual(await file.read(0, 1), text('a'))
      const rule = hardware.failWhen({ path: /^\/b/, code: 'disk-read-only' })
      await assert.rejects(disk.open('/b', 'read'), { code: 'disk-read-only' })
      await file.write(0, text('x'))
      rule.stop()
      assert.deepEqual(await contentOf(disk, '/b'), text('b'))
    }))

  test('a rule’s probability is kept to', async () => {
    const failures = await perSeed(1, async ({ hardware, disk }) => {
      hardware.failWhen({ probability: 0.25 })
      const results = await Promise.allSettled(Array.from({ length: 4_000 }, () => disk.stat('/')))
      return results.filter(({ status }) => status === 'rejected').length
    })
    assert(failures[0]! > 850 && failures[0]! < 1_150, `${failures}`)
  })

  test('after a failed sync bytes are seen, but a later good one need not save them', async () => {
    const outcomes = await perSeed(100, async ({ hardware, disk }) => {
      const file = await disk.open('/a', 'create')
      await disk.syncFolder('/')
      await file.write(0, text('lost?'))
      hardware.failWhen({ operation: 'sync', times: 1 })
      await assert.rejects(file.sync(), { code: 'disk-failure' })
      assert.deepEqual(await file.read(0, 9), text('lost?'))
      await file.sync()
      hardware.crash()
      return JSON.stringify(new TextDecoder().decode(await contentOf(hardware.mount(), '/a')))
    })
    assert.deepEqual(variety(outcomes), ['"\\u0000\\u0000\\u0000\\u0000\\u0000"', '"lost?"'])
  })

  test('bytes written again after a failed sync are saved by a good one', () =>
    perSeed(50, async ({ hardware, disk }) => {
      const file = await disk.open('/a', 'create')
      await disk.syncFolder('/')
      await file.write(0, text('again'))
      hardware.failWhen({ operation: 'sync', times: 1 })
      await assert.rejects(file.sync())
      await file.write(0, text('again'))
      await file.sync()
      hardware.crash()
      assert.deepEqual(await contentOf(hardware.mount(), '/a'), text('again'))
    }))

  test('rot changes one bit, there or anywhere, and for good', () =>
    perSeed(20, async ({ hardware, disk }) => {
      await write(disk, '/a', filled(2_000, 0))
      await disk.syncFolder('/')
      assert.equal(hardware.rot('/a', 7), 7)
      const position = hardware.rot('/a')
      hardware.crash()
      const bytes = await contentOf(hardware.mount(), '/a')
      const changed = [...bytes.entries()].filter(([, byte]) => byte !== 0).map(([at]) => at)
      assert(changed.every((at) => at === 7 || at === position))
      assert([1, 2, 4, 8, 16, 32, 64, 128].includes(bytes[7]!) || position === 7)
    }))
})
