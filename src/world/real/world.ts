// The world that there is.

import type { World } from '../world.ts'
import { RealClock } from './clock.ts'
import { realCompressor } from './compressor.ts'
import { RealDisk } from './disk.ts'
import { RealKeyValues } from './key-value.ts'
import { type NetworkOptions, startNetwork } from './network.ts'
import { RealRandom } from './random.ts'

/** All of it but the network, for a program that needs none. */
export function localWorld(): Omit<World, 'network'> {
  const disk = new RealDisk()
  return {
    clock: new RealClock(),
    random: new RealRandom(),
    disk,
    keyValues: new RealKeyValues({ disk }),
    compressor: realCompressor,
  }
}

/** All of it. The network listens from now on, until it is closed. */
export async function realWorld(options: NetworkOptions): Promise<World> {
  return { ...localWorld(), network: await startNetwork(options) }
}
