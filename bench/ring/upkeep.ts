// What a position costs when nothing happens: bytes per second, headers of calls included.

import { buildRing } from '../../sim/ring/built-ring.ts'

export async function measureUpkeep(
  positions: number,
): Promise<{ bytesPerSecond: number; callsPerSecond: number }> {
  const { world } = buildRing(positions, { seed: `upkeep ${positions}` })
  await world.simulation.advance(30_000)
  const { bytesSent, callCount } = world.fabric
  const seconds = 60
  await world.simulation.advance(seconds * 1_000)
  return {
    bytesPerSecond: (world.fabric.bytesSent - bytesSent) / seconds / positions,
    callsPerSecond: (world.fabric.callCount - callCount) / seconds / positions,
  }
}
