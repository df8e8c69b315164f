// `npm run bench -- store [--quick] [--only NAME] [--folder FOLDER] [--warm]`: the store against the plain ways of
// keeping pages. `--only store --pages 50000 --callers 10,30` is a part of that experiment.
//
//   store    Webstore's experiments 1 to 3: store, store a duplicate, retrieve, delete, against one file per object
//   modes    experiment 4: regular, compare and force-new at 0 to 100 % duplicates
//   volumes  experiment 6: 1 to 4 volume folders
//   space    bytes on disk of a site crawled again and again
//   million  a million captures: opening, index, lookups, memory
//
// Each experiment runs in a process of its own, with as many threads for files and compression as there are callers: the
// file tree is the faster for it. As superuser on Linux some reads are measured with the page cache emptied, which slows
// everyone else on the machine: not with --warm. Results go to stdout, progress to stderr.

import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { settings } from '../src/config/settings.ts'
import { measureMillion } from './store/million.ts'
import { measureModes } from './store/modes.ts'
import { measureOperations } from './store/operations.ts'
import { Scene } from './store/scene.ts'
import { measureSpace } from './store/space.ts'
import { measureVolumes } from './store/volumes.ts'

/** As many as there are callers at most, or more. */
const threads = '32'

interface Part {
  readonly pages: number
  readonly callers: readonly number[]
}

const experiments: Record<string, (scene: Scene, isQuick: boolean, part?: Part) => Promise<unknown>> = {
  store: async (scene, isQuick, part) => {
    if (part !== undefined)
      return measureOperations(scene, { ...part, portion: Math.min(part.pages, 5_000), rounds: 1 })
    const callers = isQuick ? [1, 10, 30] : [1, 5, 10, 15, 20, 25, 30]
    await measureOperations(scene, { pages: 1_000, portion: 1_000, rounds: isQuick ? 1 : 5, callers })
    if (isQuick) return
    await measureOperations(scene, { pages: 50_000, portion: 5_000, rounds: 1, callers: [1, 10, 30] })
  },
  modes: (scene, isQuick) =>
    measureModes(scene, {
      pages: isQuick ? 200 : 1_000,
      rounds: isQuick ? 1 : 5,
      callers: 10,
      duplicatePercents: [0, 20, 40, 60, 80, 100],
    }),
  volumes: (scene, isQuick) =>
    measureVolumes(scene, {
      pages: isQuick ? 400 : 4_000,
      rounds: isQuick ? 1 : 5,
      callers: 30,
      folderCounts: [1, 2, 3, 4],
    }),
  space: (scene, isQuick) =>
    measureSpace(scene, {
      pages: isQuick ? 100 : 500,
      crawls: 20,
      changedPercent: 5,
      // As they are configured by default.
      compressions: [
        { kind: 'gzip', level: settings['store.compressionLevel'].default },
        { kind: 'zstd', level: settings['store.compressionLevel'].default },
      ],
    }),
  million: (scene, isQuick) => {
    const captures = isQuick ? 20_000 : 1_000_000
    const looks = [captures / 4, captures / 2, captures]
    const callers = 200
    return measureMillion(scene, { captures, crawls: 4, sites: 1_000, callers, looks, lookups: 10_000 })
  },
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      folder: { type: 'string' },
      warm: { type: 'boolean' },
      pages: { type: 'string' },
      callers: { type: 'string' },
    },
  })
  const { quick = false, only, folder, warm = false } = values
  const names = Object.keys(experiments)
  if (only !== undefined && !names.includes(only))
    throw new Error(`There is no experiment ${only}. There are: ${names.join(', ')}`)
  if (only === undefined || process.env.UV_THREADPOOL_SIZE !== threads)
    return runEach(only === undefined ? names : [only], words)
  const scene = new Scene({
    folder,
    dropsPageCache: !warm,
    print: (text) => console.log(text),
    progress: (text) => console.error(text),
  })
  try {
    await experiments[only]!(scene, quick, partOf(values))
  } finally {
    await scene.end()
  }
}

function partOf({ pages, callers }: { pages?: string; callers?: string }): Part | undefined {
  if (pages === undefined && callers === undefined) return undefined
  return { pages: Number(pages ?? 1_000), callers: (callers ?? '1,10,30').split(',').map(Number) }
}

function runEach(names: readonly string[], words: string[]): void {
  for (const name of names) {
    console.log(`\n# ${name}\n`)
    const run = [`${import.meta.dirname}/run.ts`, 'store', ...words, '--only', name]
    const env = { ...process.env, UV_THREADPOOL_SIZE: threads }
    const startMs = performance.now()
    const { status } = spawnSync(process.execPath, run, { stdio: 'inherit', env })
    if (status !== 0) throw new Error(`Experiment ${name} failed.`)
    console.error(`${name} took ${((performance.now() - startMs) / 60_000).toFixed(1)} minutes`)
  }
}
