// A peer on the ring: runs its positions on the world's clock and the transport's calls.

import type { Clock } from '../world/clock.ts'
import type { Random } from '../world/random.ts'
import type { RingCalls } from './ring.ts'

export interface RingNeeds {
  clock: Clock
  random: Random
  calls: RingCalls
}
