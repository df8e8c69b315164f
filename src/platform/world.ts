// All that a program may touch outside itself, in one bundle, so that a simulation can stand in for the whole of it.

import type { Clock } from './clock.ts'
import type { Compressor } from './compressor.ts'
import type { Disk } from './disk.ts'
import type { KeyValues } from './key-value.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'

export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly keyValues: KeyValues
  readonly compressor: Compressor
  readonly network: Network
}
