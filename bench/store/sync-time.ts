// What it takes this disk to make an append safe: the ratios against a file per object depend on it.

import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { median } from '../measure.ts'

const appendBytes = 5_000
const appends = 100

/** Milliseconds for a sync after 5 kB were appended to a file: the median. */
export async function syncMsOf(path: string): Promise<number> {
  const disk = new RealDisk()
  const file = await disk.open(path, 'create')
  const bytes = Buffer.alloc(appendBytes, 7)
  const durations: number[] = []
  for (let count = 0; count < appends; count++) {
    await file.write(count * appendBytes, bytes)
    const startMs = performance.now()
    await file.sync()
    durations.push(performance.now() - startMs)
  }
  await file.close()
  await disk.remove(path)
  return median(durations)
}
