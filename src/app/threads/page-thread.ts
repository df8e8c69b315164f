// What runs in the threads of a crawler: see page-task.ts.

import type { PageRead } from '../../crawl/visit/page-work.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { compressorAtOnce } from '../../platform/real/compression/compressor-at-once.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { doPageTask, type PageTask } from './page-task.ts'

const needs = { clock: new RealClock(), random: new RealRandom(), compressor: compressorAtOnce }

export function work(task: PageTask): Promise<PageRead> {
  return doPageTask(needs, task)
}

/** The buffers that the main thread gets without a copy. */
export function given({ records, bytes }: PageRead): ArrayBuffer[] {
  const memory = bytes.buffer as ArrayBuffer
  return records === undefined ? [memory] : [memory, records.bytes.buffer as ArrayBuffer]
}
