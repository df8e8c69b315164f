// Webstore's experiment 4: the three modes of storing, as more and more of the pages are duplicates; ten callers.
//
// The duplicates are of pages that the store held before. The file tree writes whatever comes.

import type { StoreMode } from '../../src/store/capture.ts'
import type { Store } from '../../src/store/store.ts'
import { median, printTable } from '../measure.ts'
import { rateOf, spread } from './callers.ts'
import { page, pageBytes } from './page.ts'
import type { Scene } from './scene.ts'

export interface ModesPlan {
  pages: number
  rounds: number
  callers: number
  duplicatePercents: readonly number[]
}

const modes = ['regular', 'compare', 'force-new'] as const satisfies readonly StoreMode[]
const contenders = [...modes, 'files'] as const
type Contender = (typeof contenders)[number]

export interface ModesResult {
  duplicatePercent: number
  perSecond: Record<Contender, number>
  /** Contents that the stores have in the end. */
  contents: Record<StoreMode, number>
}

export async function measureModes(scene: Scene, plan: ModesPlan): Promise<ModesResult[]> {
  const results: ModesResult[] = []
  for (const duplicatePercent of plan.duplicatePercents) {
    const rates: Record<Contender, number[]> = { regular: [], compare: [], 'force-new': [], files: [] }
    const contents: Record<StoreMode, number> = { regular: 0, compare: 0, 'force-new': 0 }
    const duplicates = Math.round((plan.pages * duplicatePercent) / 100)
    for (let round = 0; round < plan.rounds; round++) {
      scene.progress(`${duplicatePercent} % duplicates, round ${round + 1} of ${plan.rounds}`)
      const bytes = Array.from({ length: plan.pages }, (_, place) => page(place))
      for (const mode of modes) {
        const store = await storeWith(scene, bytes.slice(0, duplicates))
        rates[mode].push(await rateOf(plan.callers, plan.pages, (i) => store.put(bytes[i]!, { mode })))
        contents[mode] = (await store.stat()).distinctPayloads
        await scene.removeStore(store)
      }
      rates.files.push(await fileRate(scene, plan, bytes))
    }
    const perSecond = Object.fromEntries(contenders.map((name) => [name, median(rates[name])]))
    results.push({ duplicatePercent, perSecond: perSecond as Record<Contender, number>, contents })
  }
  scene.print(`${plan.pages} pages of ${pageBytes} bytes, ${plan.callers} callers, stored per second`)
  scene.print(printed(results))
  return results
}

async function storeWith(scene: Scene, pages: readonly Uint8Array[]): Promise<Store> {
  const store = await scene.openStore()
  await spread(100, pages.length, (place) => store.put(pages[place]!))
  return store
}

async function fileRate(scene: Scene, plan: ModesPlan, bytes: readonly Uint8Array[]): Promise<number> {
  const tree = await scene.tree()
  const rate = await rateOf(plan.callers, plan.pages, (place) => tree.put(place, bytes[place]!))
  await spread(30, plan.pages, (place) => tree.delete(place))
  return rate
}

function printed(results: readonly ModesResult[]): string {
  const rows = results.map(({ duplicatePercent, perSecond }) => [
    `${duplicatePercent} %`,
    ...contenders.map((name) => perSecond[name].toFixed(0)),
    ...modes.map((mode) => `${(perSecond[mode] / perSecond.files).toFixed(2)} ×`),
  ])
  const header = ['duplicates', ...contenders, ...modes.map((mode) => `${mode}/files`)]
  return printTable(header, rows)
}
