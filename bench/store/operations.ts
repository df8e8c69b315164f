// Webstore's experiments 1 to 3: storing, storing duplicates, retrieving and deleting distinct pages, by 1 to 30 callers
// at once, against one file per object.
//
// Store and file tree take turns at every portion of the pages, so that both see the same machine; the median over the
// portions counts. A duplicate is the same page put again: to the file tree it is one more object. Retrieving is measured
// as Webstore did, with nothing in the operating system's cache (where we may empty that), and once more with all of it
// there. Rates depend on who else uses the machine, processor time less: both are shown. Beside them the floor: what
// the plainest program that could promise the same does on this machine (floor.ts). The store verifies and decompresses
// what it reads; the file tree does neither. What the store read lately it has in memory, verified, up to its cacheBytes
// (32 MB): 1,000 pages fit, so the second reading shows that, and not its volumes.

import type { ContentKey } from '../../src/store/content-key.ts'
import type { Store } from '../../src/store/store.ts'
import { median, printTable } from '../measure.ts'
import { type Pace, paceOf } from './callers.ts'
import type { FileTree } from './file-tree.ts'
import type { Floor } from './floor.ts'
import { page } from './page.ts'
import type { Scene } from './scene.ts'

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
  storePerSecond: number
  filesPerSecond: number
  floorPerSecond: number
  /** For one of them. */
  processorUs: Record<Side, number>
}

const sides = ['store', 'files', 'floor'] as const
type Side = (typeof sides)[number]
type Paces = Record<Side, Pace[]>

export async function measureOperations(scene: Scene, plan: OperationsPlan): Promise<OperationResult[]> {
  const results: OperationResult[] = []
  for (const callers of plan.callers) {
    const paces = new Map(
      operations.map((operation) => [operation, { store: [], files: [], floor: [] } as Paces]),
    )
    for (let round = 0; round < plan.rounds; round++) {
      scene.progress(`${plan.pages} pages, ${callers} callers, round ${round + 1} of ${plan.rounds}`)
      const store = await scene.openStore()
      const floor = await scene.openFloor()
      await new Turn({ store, floor, tree: await scene.tree() }, plan, callers, paces).run(scene)
      await floor.close()
      await scene.removeStore(store)
    }
    for (const operation of operations) {
      const measured = paces.get(operation)!
      if (measured.store.length === 0) continue
      const perSecond = (side: Side) => median(measured[side].map((pace) => pace.perSecond))
      const processorUs = (side: Side) => median(measured[side].map((pace) => pace.processorUs))
      results.push({
        pages: plan.pages,
        callers,
        operation,
        storePerSecond: perSecond('store'),
        filesPerSecond: perSecond('files'),
        floorPerSecond: perSecond('floor'),
        processorUs: {
          store: processorUs('store'),
          files: processorUs('files'),
          floor: processorUs('floor'),
        },
      })
    }
  }
  scene.print(printed(results))
  return results
}

type Work = Record<Side, (number: number, bytes: Uint8Array | undefined) => Promise<unknown>>

class Turn {
  readonly #store: Store
  readonly #tree: FileTree
  readonly #floor: Floor
  readonly #plan: OperationsPlan
  readonly #callers: number
  readonly #paces: Map<Operation, Paces>
  readonly #keys: ContentKey[] = []

  constructor(
    { store, tree, floor }: { store: Store; tree: FileTree; floor: Floor },
    plan: OperationsPlan,
    callers: number,
    paces: Map<Operation, Paces>,
  ) {
    this.#store = store
    this.#tree = tree
    this.#floor = floor
    this.#plan = plan
    this.#callers = callers
    this.#paces = paces
  }

  async run(scene: Scene): Promise<void> {
    const store = this.#store
    const tree = this.#tree
    const floor = this.#floor
    const keys = this.#keys
    const copies = this.#plan.pages
    await this.#measure('store', {
      store: async (number, bytes) => {
        keys[number] = await store.put(bytes!)
      },
      files: (number, bytes) => tree.put(number, bytes!),
      floor: (number, bytes) => floor.put(number, bytes!),
    })
    await this.#measure('store duplicate', {
      store: (_, bytes) => store.put(bytes!),
      files: (number, bytes) => tree.put(copies + number, bytes!),
      floor: (number, bytes) => floor.put(number, bytes!),
    })
    const retrieve: Work = {
      store: async (number) => checkPage(await contentOf(store, keys[number]!), number),
      files: async (number) => checkPage(await tree.get(number), number),
      floor: async (number) => checkPage(await floor.get(number), number),
    }
    const coldly = () => scene.dropPageCache()
    if (coldly()) await this.#measure('retrieve', retrieve, coldly)
    await this.#check()
    await this.#measure('retrieve cached', retrieve)
    await this.#measure('delete duplicate', {
      store: (number) => store.delete(keys[number]!),
      files: (number) => tree.delete(copies + number),
      floor: () => floor.delete(),
    })
    await this.#measure('delete', {
      store: (number) => store.delete(keys[number]!),
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
  const rows = results.map(
    ({ pages, callers, operation, storePerSecond, filesPerSecond, floorPerSecond, processorUs }) => {
      const ratio = storePerSecond / filesPerSecond
      const goal = goals[operation]
      return [
        operation,
        String(pages),
        String(callers),
        storePerSecond.toFixed(0),
        filesPerSecond.toFixed(0),
        floorPerSecond.toFixed(0),
        `${ratio.toFixed(2)} ×`,
        `≥ ${goal} × ${ratio >= goal ? 'yes' : 'NO'}`,
        `${(floorPerSecond / filesPerSecond).toFixed(2)} ×`,
        sides.map((side) => processorUs[side].toFixed(0)).join(' '),
      ]
    },
  )
  return printTable(
    [
      '',
      'pages',
      'callers',
      'store/s',
      'files/s',
      'floor/s',
      'ratio',
      'goal',
      'floor’s ratio',
      'processor µs of each',
    ],
    rows,
  )
}
