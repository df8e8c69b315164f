// All that a program may touch outside itself, in one bundle, so that a simulation can stand in for the whole of it.

import type { Clock } from './clock.ts'
import type { Compressor } from './compressor.ts'
import type { Network } from './network/network.ts'
import type { Random } from './random.ts'
import type { Disk } from './storage/disk.ts'
import type { KeyValues } from './storage/key-value.ts'

export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly keyValues: KeyValues
  readonly compressor: Compressor
  readonly network: Network
}
