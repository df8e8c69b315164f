// Webstore's experiment 6: the same pages to 1, 2, 3 and 4 volume folders, chosen by the store or by the caller.
//
// Here all folders are on one disk, so no gain is to be had from another; what shows is what several folders cost, and
// whether they fill evenly.

import { join } from 'node:path'
import type { Store } from '../../src/store/store.ts'
import { median, printTable } from '../measure.ts'
import { rateOf } from './callers.ts'
import { page } from './page.ts'
import type { Scene } from './scene.ts'

export interface VolumesPlan {
  pages: number
  rounds: number
  callers: number
  folderCounts: readonly number[]
}

export interface VolumesResult {
  folders: number
  choice: 'store' | 'caller'
  perSecond: number
  /** Bytes in each folder, after the last round. */
  folderBytes: number[]
}

export async function measureVolumes(scene: Scene, plan: VolumesPlan): Promise<VolumesResult[]> {
  const bytes = Array.from({ length: plan.pages }, (_, place) => page(place))
  const runs = plan.folderCounts.flatMap((folders) =>
    (['store', 'caller'] as const).map((choice) => ({ folders, choice, rates: [] as number[] })),
  )
  const sizes = new Map<object, number[]>()
  for (let round = 0; round < plan.rounds; round++) {
    for (const run of runs) {
      scene.progress(
        `${run.folders} folders, chosen by the ${run.choice}, round ${round + 1} of ${plan.rounds}`,
      )
      const store = await scene.openStore()
      const folders = await setFolders(store, run.folders)
      const folderOf = (place: number) =>
        run.choice === 'caller' ? folders[place % folders.length] : undefined
      const rate = await rateOf(plan.callers, plan.pages, (i) =>
        store.put(bytes[i]!, { folder: folderOf(i) }),
      )
      run.rates.push(rate)
      sizes.set(run, await folderBytes(store, folders))
      await scene.removeStore(store)
    }
  }
  const results = runs.map((run) => ({
    folders: run.folders,
    choice: run.choice,
    perSecond: median(run.rates),
    folderBytes: sizes.get(run)!,
  }))
  scene.print(`${plan.pages} pages, ${plan.callers} callers`)
  scene.print(printed(results))
  return results
}

async function setFolders(store: Store, count: number): Promise<string[]> {
  const folders = [join(store.folder, 'volumes')]
  while (folders.length < count) {
    const folder = join(store.folder, `volumes-${folders.length + 1}`)
    await store.volumes.setFolder(folder, 'writable')
    folders.push(folder)
  }
  return folders
}

async function folderBytes(store: Store, folders: readonly string[]): Promise<number[]> {
  const { volumes } = await store.stat()
  return folders.map((folder) =>
    volumes.reduce((sum, { path, bytes }) => sum + (path.startsWith(`${folder}/`) ? bytes : 0), 0),
  )
}

function printed(results: readonly VolumesResult[]): string {
  const one = results[0]!.perSecond
  const rows = results.map(({ folders, choice, perSecond, folderBytes }) => [
    String(folders),
    choice,
    perSecond.toFixed(0),
    `${(perSecond / one).toFixed(2)} ×`,
    folderBytes.map((bytes) => (bytes / 1e6).toFixed(1)).join(' '),
    (Math.min(...folderBytes) / Math.max(...folderBytes)).toFixed(2),
  ])
  return printTable(['folders', 'chosen by', 'stored/s', 'of one', 'MB in each', 'least/most'], rows)
}
