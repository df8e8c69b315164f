// The process that is killed: opens a store and has several callers work on it until then.
//
// Tells on stdout, a line each and before anything else happens, what it begins (`b`), what the store acknowledged (`d`),
// what it refused (`r`) and what must not happen (`x`). Waits for its orders, so that it is up and running when it is its
// turn.

import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { carryOut, type Operation } from '../../sim/store/operation.ts'
import { OperationPlan, type OperationPlanOptions } from '../../sim/store/operation-plan.ts'
import { PolyhistorError } from '../../src/errors.ts'
import { JournaledKeyValues } from '../../src/platform/journaled/key-value.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'

export interface Orders {
  folder: string
  seed: string
  callers: number
  options: StoreOptions
  plan: OperationPlanOptions
}

/** So little that even a short life sees the index written from memory to LMDB. */
const heldBytesMax = 4_000

/** Refusals that are part of the game: what was taken down, what was never put, a folder that is read-only. */
const refusals = new Set(['store-taken-down', 'store-takedown-final', 'store-not-found', 'store-no-room'])

function tell(line: string): void {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

async function work(store: Store, plan: OperationPlan, numbers: { next: number }): Promise<never> {
  for (;;) {
    const operation: Operation = plan.next()
    const number = numbers.next++
    tell(`b ${number} ${JSON.stringify(operation)}`)
    try {
      await carryOut(store, operation)
      tell(`d ${number}`)
      plan.kept(operation)
    } catch (error) {
      const isRefusal = error instanceof PolyhistorError && refusals.has(error.code)
      tell(`${isRefusal ? 'r' : 'x'} ${number} ${isRefusal ? error.code : (error as Error).stack}`)
    }
  }
}

// At its end it would write the cache by itself; but how it ends we know.
flushCompileCache()
const [line] = (await once(createInterface(process.stdin), 'line')) as [string]
const { folder, seed, callers, options, plan: planOptions } = JSON.parse(line) as Orders
try {
  const world = localWorld()
  const below = new RealKeyValues(world)
  const keyValues = new JournaledKeyValues({ disk: world.disk, below }, { heldBytesMax })
  const store = await Store.open({ ...world, keyValues }, folder, options)
  for (const path of planOptions.folders) {
    const isKnown = [...store.volumes.folders().values()].some((known) => known.path === path)
    if (!isKnown) await store.volumes.setFolder(path, 'writable')
  }
  tell('o')
  const plan = new OperationPlan(new SimulatedRandom(seed), planOptions)
  const numbers = { next: 1 }
  await Promise.all(Array.from({ length: callers }, () => work(store, plan, numbers)))
} catch (error) {
  tell(`x 0 ${(error as Error).stack}`)
}
