// The world that there is, without the network: for a program that needs none, and need not wait for it to load.

import { JournaledKeyValues } from '../journaled/key-value.ts'
import type { World } from '../world.ts'
import { RealClock } from './clock.ts'
import { realCompressor } from './compressor.ts'
import { RealDisk } from './disk.ts'
import { RealKeyValues } from './key-value.ts'
import { RealRandom } from './random.ts'

export function localWorld(): Omit<World, 'network'> {
  const disk = new RealDisk()
  return {
    clock: new RealClock(),
    random: new RealRandom(),
    disk,
    keyValues: new JournaledKeyValues({ disk, below: new RealKeyValues({ disk }) }),
    compressor: realCompressor,
  }
}
