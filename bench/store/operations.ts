// Webstore's experiments 1 to 3: storing, storing duplicates, retrieving and deleting distinct pages, by 1 to 30 callers
// at once, against one file per object.
//
// Stores and file tree take turns at every portion of the pages, so that all see the same machine; the median over the
// portions counts, after a first round that does not: a peer runs for months, and its code is compiled by then. A duplicate is the same page put again: to the file tree it is one more object. Retrieving is measured
// as Webstore did, with nothing in the operating system's cache (where we may empty that), and once more with all of it
// there. Rates depend on who else uses the machine, processor time less: both are shown. Beside them the store with zstd
// volumes, which are a matter of choice, and the floor: what the plainest program that could promise the same does on this
// machine (floor.ts), with gzip. How long a sync takes is told, for the ratios depend on it. The store verifies and decompresses
// what it reads; the file tree does neither. What the store read lately it has in memory, verified, up to its cacheBytes
// (32 MB): 1,000 pages fit, so the second reading shows that, and not its volumes.

import type { ContentKey } from '../../src/store/contents/content-key.ts'
import type { Store } from '../../src/store/store.ts'
import { collectGarbage } from '../garbage.ts'
import { median, printTable } from '../measure.ts'
import { type Pace, paceOf, spread } from './callers.ts'
import type { FileTree } from './file-tree.ts'
import type { Floor } from './floor.ts'
import { page } from './page.ts'
import type { Scene } from './scene.ts'
import { syncMsOf } from './sync-time.ts'

export interface OperationsPlan {
  pages: number
  /** Pages done in one turn. */
  portion: number
  /** Times that everything is done anew. */
  rounds: number
  callers: readonly number[]
}

const operations = [
  'store',
  'store duplicate',
  'retrieve',
  'retrieve cached',
  'delete duplicate',
  'delete',
] as const
type Operation = (typeof operations)[number]
const goals: Record<Operation, number> = {
  store: 3,
  'store duplicate': 10,
  retrieve: 1,
  'retrieve cached': 1,
  'delete duplicate': 5,
  delete: 5,
}

export interface OperationResult {
  pages: number
  callers: number
  operation: Operation
  perSecond: Record<Side, number>
  /** For one of them. */
  processorUs: Record<Side, number>
}

const sides = ['store', 'zstd', 'files', 'floor'] as const
type Side = (typeof sides)[number]
type Paces = Record<Side, Pace[]>

const warmUpPages = 500

export async function measureOperations(scene: Scene, plan: OperationsPlan): Promise<OperationResult[]> {
  const results: OperationResult[] = []
  const syncMs = await syncMsOf(await scene.path('sync'))
  scene.progress('the round that does not count')
  await runRound(scene, { ...plan, pages: Math.min(plan.pages, warmUpPages) }, 10, noPaces())
  for (const callers of plan.callers) {
    const paces = noPaces()
    for (let round = 0; round < plan.rounds; round++) {
      scene.progress(`${plan.pages} pages, ${callers} callers, round ${round + 1} of ${plan.rounds}`)
      await runRound(scene, plan, callers, paces)
    }
    for (const operation of operations) {
      const measured = paces.get(operation)!
      if (measured.store.length === 0) continue
      const medians = (of: (pace: Pace) => number) =>
        Object.fromEntries(sides.map((side) => [side, median(measured[side].map(of))])) as Record<
          Side,
          number
        >
      const perSecond = medians((pace) => pace.perSecond)
      const processorUs = medians((pace) => pace.processorUs)
      results.push({ pages: plan.pages, callers, operation, perSecond, processorUs })
    }
  }
  scene.print(`A sync takes ${syncMs.toFixed(2)} ms when 5 kB were appended to a file.`)
  scene.print(printed(results))
  return results
}

function noPaces(): Map<Operation, Paces> {
  return new Map(
    operations.map((operation) => [operation, { store: [], zstd: [], files: [], floor: [] } as Paces]),
  )
}

async function runRound(
  scene: Scene,
  plan: OperationsPlan,
  callers: number,
  paces: Map<Operation, Paces>,
): Promise<void> {
  const store = await scene.openStore()
  const zstd = await scene.openStore({ compression: { kind: 'zstd' } })
  const floor = await scene.openFloor()
  await new Turn({ store, zstd, floor, tree: await scene.tree() }, plan, callers, paces).run(scene)
  await floor.close()
  await scene.removeStore(zstd)
  await scene.removeStore(store)
}

type Work = Record<Side, (number: number, bytes: Uint8Array | undefined) => Promise<unknown>>

class Turn {
  readonly #store: Store
  readonly #zstd: Store
  readonly #tree: FileTree
  readonly #floor: Floor
  readonly #plan: OperationsPlan
  readonly #callers: number
  readonly #paces: Map<Operation, Paces>
  readonly #keys: ContentKey[] = []

  constructor(
    { store, zstd, tree, floor }: { store: Store; zstd: Store; tree: FileTree; floor: Floor },
    plan: OperationsPlan,
    callers: number,
    paces: Map<Operation, Paces>,
  ) {
    this.#store = store
    this.#zstd = zstd
    this.#tree = tree
    this.#floor = floor
    this.#plan = plan
    this.#callers = callers
    this.#paces = paces
  }

  async run(scene: Scene): Promise<void> {
    const store = this.#store
    const zstd = this.#zstd
    const tree = this.#tree
    const floor = this.#floor
    const keys = this.#keys
    const copies = this.#plan.pages
    await this.#measure('store', {
      store: async (number, bytes) => {
        keys[number] = await store.put(bytes!)
      },
      zstd: (_, bytes) => zstd.put(bytes!),
      files: (number, bytes) => tree.put(number, bytes!),
      floor: (number, bytes) => floor.put(number, bytes!),
    })
    await this.#measure('store duplicate', {
      store: (_, bytes) => store.put(bytes!),
      zstd: (_, bytes) => zstd.put(bytes!),
      files: (number, bytes) => tree.put(copies + number, bytes!),
      floor: (number, bytes) => floor.put(number, bytes!),
    })
    const retrieve: Work = {
      store: async (number) => checkPage(await contentOf(store, keys[number]!), number),
      zstd: async (number) => checkPage(await contentOf(zstd, keys[number]!), number),
      files: async (number) => checkPage(await tree.get(number), number),
      floor: async (number) => checkPage(await floor.get(number), number),
    }
    const coldly = () => scene.dropPageCache()
    if (coldly()) await this.#measure('retrieve', retrieve, coldly)
    await this.#check()
    for (const side of sides) await spread(30, copies, (number) => retrieve[side](number, undefined))
    await this.#measure('retrieve cached', retrieve)
    await this.#measure('delete duplicate', {
      store: (number) => store.delete(keys[number]!),
      zstd: (number) => zstd.delete(keys[number]!),
      files: (number) => tree.delete(copies + number),
      floor: () => floor.delete(),
    })
    await this.#measure('delete', {
      store: (number) => store.delete(keys[number]!),
      zstd: (number) => zstd.delete(keys[number]!),
      files: (number) => tree.delete(number),
      floor: () => floor.delete(),
    })
  }

  async #measure(operation: Operation, work: Work, prepare: () => unknown = () => {}): Promise<void> {
    const { pages, portion } = this.#plan
    const paces = this.#paces.get(operation)!
    for (let start = 0; start < pages; start += portion) {
      const count = Math.min(portion, pages - start)
      const bytes = operation.startsWith('store')
        ? Array.from({ length: count }, (_, i) => page(start + i))
        : []
      for (const side of sides) {
        prepare()
        collectGarbage()
        paces[side].push(await paceOf(this.#callers, count, (i) => work[side](start + i, bytes[i])))
      }
    }
  }

  /** Outside the measurement: some of what was stored is looked at byte for byte. */
  async #check(): Promise<void> {
    const step = Math.max(1, Math.floor(this.#plan.pages / 100))
    for (let number = 0; number < this.#plan.pages; number += step) {
      const bytes = await contentOf(this.#store, this.#keys[number]!)
      if (Buffer.compare(bytes, page(number)) !== 0) throw new Error(`page ${number} came back different`)
    }
  }
}

export async function contentOf(store: Store, key: ContentKey): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of store.get(key)) parts.push(part)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

function checkPage(bytes: Uint8Array, number: number): void {
  if (bytes.length < 1_000) throw new Error(`page ${number} came back with ${bytes.length} bytes`)
}

function printed(results: readonly OperationResult[]): string {
  const rows = results.map(({ pages, callers, operation, perSecond, processorUs }) => {
    const times = (side: Side) => perSecond[side] / perSecond.files
    const goal = goals[operation]
    return [
      operation,
      String(pages),
      String(callers),
      ...sides.map((side) => perSecond[side].toFixed(0)),
      `${times('store').toFixed(2)} ×`,
      `≥ ${goal} × ${times('store') >= goal ? 'yes' : 'NO'}`,
      `${times('zstd').toFixed(2)} ×`,
      `${times('floor').toFixed(2)} ×`,
      sides.map((side) => processorUs[side].toFixed(0)).join(' '),
    ]
  })
  return printTable(
    [
      '',
      'pages',
      'callers',
      ...sides.map((side) => `${side}/s`),
      'ratio',
      'goal',
      'zstd’s ratio',
      'floor’s ratio',
      'processor µs of each',
    ],
    rows,
  )
}
