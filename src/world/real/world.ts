// The world that there is.

import type { World } from '../world.ts'
import { localWorld } from './local-world.ts'
import { type NetworkOptions, startNetwork } from './network.ts'

/** All of it. The network listens from now on, until it is closed. */
export async function realWorld(options: NetworkOptions): Promise<World> {
  return { ...localWorld(), network: await startNetwork(options) }
}
