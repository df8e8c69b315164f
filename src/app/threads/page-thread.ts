// What runs in the threads of a crawler: see page-task.ts.

import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { VersionWork } from '../../changes/page-change/version-work.ts'
import type { Looked, LookWork } from '../../changes/watches/look-work.ts'
import type { PageRead } from '../../crawl/visit/page-work.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { compressorAtOnce } from '../../platform/real/compression/compressor-at-once.ts'
import { RealRandom } from '../../platform/real/random.ts'
import {
  doThreadTask,
  doThreadTasks,
  type PageTask,
  type PageThreadResult,
  type PageThreadTask,
} from './page-task.ts'

let comparing: Promise<typeof import('../../changes/page-change/version-work.ts')> | undefined
let looking: Promise<typeof import('../../changes/watches/look-work.ts')> | undefined

const needs = {
  clock: new RealClock(),
  random: new RealRandom(),
  compressor: compressorAtOnce,
  // Loaded when the first page has changed: a first crawl has none.
  compareVersions: async (work: VersionWork) => {
    comparing ??= import('../../changes/page-change/version-work.ts')
    return (await comparing).compareVersions(work)
  },
  lookAtPart: async (work: LookWork) => {
    looking ??= import('../../changes/watches/look-work.ts')
    return (await looking).lookAtPart(work)
  },
}

export function work(task: PageTask): Promise<PageRead>
export function work(task: VersionWork): Promise<VersionDifference>
export function work(task: LookWork): Promise<Looked>
export function work(task: PageThreadTask): Promise<PageThreadResult> {
  return doThreadTask(needs, task)
}

/** Those that came together. */
export function workTogether(tasks: readonly PageThreadTask[]): ReturnType<typeof doThreadTasks> {
  return doThreadTasks(needs, tasks)
}

/** The buffers that the main thread gets without a copy. */
export function given(result: PageThreadResult): ArrayBuffer[] {
  if (!('bytes' in result)) return []
  const { records, bytes } = result
  const memory = bytes.buffer as ArrayBuffer
  return records === undefined ? [memory] : [memory, records.bytes.buffer as ArrayBuffer]
}
