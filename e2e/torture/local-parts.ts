// The parts of the world that a store needs, without the network, which takes half a second to load: here processes
// start by the hundred.

import type { StoreNeeds } from '../../src/store/store.ts'
import { RealClock } from '../../src/world/real/clock.ts'
import { realCompressor } from '../../src/world/real/compressor.ts'
import { RealDisk } from '../../src/world/real/disk.ts'
import { RealKeyValues } from '../../src/world/real/key-value.ts'
import { RealRandom } from '../../src/world/real/random.ts'

export function localParts(): StoreNeeds {
  const disk = new RealDisk()
  return {
    clock: new RealClock(),
    random: new RealRandom(),
    disk,
    keyValues: new RealKeyValues({ disk }),
    compressor: realCompressor,
  }
}
