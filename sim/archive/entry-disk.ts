// What a simulated peer keeps entries with: an index that stands for the store, or a real store. Outlives its process as far
// as it can be looked at.

import type { HeldCaptures } from '../../src/network/replication/captures/held-captures.ts'
import type { Takedown, TakedownTarget } from '../../src/store/takedowns/takedowns.ts'
import type { SimulatedEntry } from './simulated-entry.ts'

/** Told of what is on a disk, once it is there for good. */
export interface DiskWatch {
  came(key: Uint8Array): void
  /** Because others keep it. */
  dropped(key: Uint8Array): void
  /** Everything of the URL, for good. */
  hidden(url: string): void
}

export interface EntryDisk {
  readonly held: HeldCaptures
  /** Gives the key that all rosters know it by; undefined when it was refused. */
  keep(entry: SimulatedEntry): Promise<Uint8Array | undefined>
  has(key: Uint8Array): boolean
  keys(): Iterable<Uint8Array>
  takedown(target: TakedownTarget, reason: string): Promise<number>
  takedowns(): Iterable<Takedown>
  /** Whether it can be read as it was kept. */
  isSound(key: Uint8Array, entry: SimulatedEntry): Promise<boolean>
}
