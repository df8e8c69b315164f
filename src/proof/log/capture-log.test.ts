import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { SimulatedMachine } from '../../platform/simulated/machine.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { SigningKey } from '../ed25519.ts'
import { type Hash, isConsistent, leafHash, rootOf, rootOfPath } from '../merkle-tree.ts'
import { CaptureLog, type LeafQueue } from './capture-log.ts'
import { isHeadSigned, type LogHead } from './log-head.ts'

const key = new SigningKey(Buffer.alloc(32, 3))
const leafOf = (number: number): Hash => leafHash(Buffer.from(`capture ${number}`))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** That of an index: it outlives its process. */
class Queue implements LeafQueue {
  readonly kept = new Map<number, Hash>()
  #last = 0

  add(leaf: Hash): void {
    this.kept.set(++this.#last, leaf)
  }

  entries(limit: number): { key: number; leaf: Hash }[] {
    return Array.from(this.kept, ([key, leaf]) => ({ key, leaf })).slice(0, limit)
  }

  async remove(upTo: number): Promise<void> {
    for (const key of this.kept.keys()) if (key <= upTo) this.kept.delete(key)
  }

  startAfter(key: number): void {
    this.#last = Math.max(this.#last, key)
  }
}

function openOn({ disk, clock }: SimulatedMachine, queue: LeafQueue): Promise<CaptureLog> {
  return CaptureLog.open({ disk, clock, queue }, '/home/proof', key)
}

async function addAndUpdate(log: CaptureLog, queue: Queue, from: number, to: number): Promise<LogHead> {
  for (let number = from; number < to; number++) queue.add(leafOf(number))
  return (await log.update())!
}

describe('the log of captures', () => {
  test('proves every capture and every head, across tiles and restarts', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const queue = new Queue()
    const sizes = [1, 2, 255, 256, 257, 700]
    const heads: LogHead[] = []
    await world.complete(
      (async () => {
        let before = 0
        for (const size of sizes) {
          const log = await openOn(machine, queue)
          heads.push(await addAndUpdate(log, queue, before, size))
          await log.close()
          before = size
        }
        const log = await openOn(machine, queue)
        const leaves = Array.from({ length: 700 }, (_, number) => leafOf(number))
        for (const head of heads) {
          assert(isHeadSigned(head, key.publicKey))
          assert.equal(hex(head.root), hex(rootOf(leaves.slice(0, head.size))))
          const proof = await log.consistency(head.size, 700)
          assert(isConsistent(head, heads.at(-1)!, proof!))
        }
        for (const number of [0, 1, 2, 254, 255, 256, 300, 699]) {
          const found = (await log.inclusion(leafOf(number), 0))!
          assert.equal(found.index, number)
          const root = rootOfPath(leafOf(number), number, found.head.size, found.path)
          assert.equal(hex(root!), hex(found.head.root))
          assert((found.before?.size ?? 0) <= number && number < found.head.size)
        }
        assert.equal(await log.inclusion(leafOf(9_999), 0), undefined)
        assert.equal(await log.consistency(1, 701), undefined)
        await log.close()
      })(),
    )
  })

  test('a capture put in later is told by the heads about it', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const queue = new Queue()
    const log = await world.complete(openOn(machine, queue))
    const first = await world.complete(addAndUpdate(log, queue, 0, 3))
    await world.advance(3_600_000)
    await world.complete(addAndUpdate(log, queue, 3, 4))
    // Its signature may say what it likes.
    const found = await world.complete(log.inclusion(leafOf(3), 0))
    assert.equal(found?.before?.size, first.size)
    assert(found!.head.signedAtMs >= first.signedAtMs + 3_600_000)
    await world.complete(log.close())
  })

  test('a power cut at any moment leaves no head that it cannot honour, none out and none in twice', async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const world = simulatedWorld({ seed })
      const machine = world.machine('a')
      const queue = new Queue()
      const told: LogHead[] = []
      let added = 0
      for (let life = 0; life < 3; life++) {
        const run = async (): Promise<void> => {
          const log = await openOn(machine, queue)
          for (let round = 0; round < 6; round++) {
            const count = Math.floor(world.random.between(1, 90))
            told.push(await addAndUpdate(log, queue, added, (added += count)))
          }
        }
        void run().catch(() => {})
        await world.advance(world.random.between(0, 60))
        if (world.random.between(0, 1) < 0.5) machine.crash()
        else machine.kill()
        machine.restart()
      }
      const log = await world.complete(openOn(machine, queue))
      const last = await world.complete(log.update())
      if (added > 0) assert.equal(last?.size, added, `seed ${seed}`)
      const leaves = Array.from({ length: added }, (_, number) => leafOf(number))
      if (last) assert.equal(hex(last.root), hex(rootOf(leaves)), `seed ${seed}`)
      for (const head of told.filter((each) => each !== undefined)) {
        const proof = await world.complete(log.consistency(head.size, added))
        assert(isConsistent(head, last!, proof!), `seed ${seed}: a head of ${head.size} was told`)
      }
      await world.complete(log.close())
    }
  })

  test('files that were changed are not signed for', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const queue = new Queue()
    const log = await world.complete(openOn(machine, queue))
    await world.complete(addAndUpdate(log, queue, 0, 300))
    await world.complete(log.close())
    const file = await world.complete(machine.disk.open('/home/proof/tree-0', 'write'))
    await world.complete(file.write(32 * 290, Buffer.alloc(1, 1)))
    await world.complete(file.close())
    await assert.rejects(world.complete(openOn(machine, queue)), { code: 'log-damaged' })
  })
})
