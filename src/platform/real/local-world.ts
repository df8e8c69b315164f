// The world that there is, without the network: for a program that needs none, and need not wait for it to load.

import { JournaledKeyValues } from '../journaled/key-value.ts'
import type { OpenBucket } from '../storage/bucket.ts'
import type { KeyValues } from '../storage/key-value.ts'
import { UnwrittenDisk } from '../storage/unwritten-disk.ts'
import type { World } from '../world.ts'
import { S3Bucket } from './bucket/s3-bucket.ts'
import { s3SettingsFrom } from './bucket/s3-settings.ts'
import { RealClock } from './clock.ts'
import { realCompressor } from './compression/compressor.ts'
import { RealDisk } from './disk/disk.ts'
import { RealKeyValues } from './key-value/key-value.ts'
import { ReadOnlyKeyValues } from './key-value/key-value-reading.ts'
import { RealRandom } from './random.ts'

type LocalWorld = Omit<World, 'network'> & { readonly openBucket: OpenBucket }

export function localWorld(): LocalWorld {
  const disk = new RealDisk()
  const clock = new RealClock()
  const random = new RealRandom()
  return {
    clock,
    random,
    openBucket: (address) => new S3Bucket({ clock, random }, address, () => s3SettingsFrom(process.env)),
    disk,
    keyValues: new JournaledKeyValues({ disk, below: new RealKeyValues({ disk }) }),
    compressor: realCompressor,
  }
}

/** The same, but nothing is written to any disk: changes are kept in memory, and gone with the process. For disks that are full or
 * read-only. */
export function localReadingWorld(): LocalWorld {
  const disk = new UnwrittenDisk(new RealDisk())
  const below = new ReadOnlyKeyValues({ disk })
  // What is not written below must not be forgotten, however much it is.
  const journaled = new JournaledKeyValues({ disk, below }, { heldBytesMax: Number.POSITIVE_INFINITY })
  // Each map gets a journal, for that is where changes are held: also who only looks makes notes, such as of the cursors it gave.
  const open: KeyValues['open'] = (folder, options) =>
    journaled.open(folder, { ...options, hasJournal: true })
  return { ...localWorld(), disk, keyValues: { open } }
}
