// One process per home: a process that works on a home holds its lock, and a second one is told which process that is.
//
// Invariant: the lock goes with the process that holds it, however that ends. There is nothing to clean up by hand.

import { errorFamily } from '../../errors.ts'

export class HomeError extends errorFamily({
  /** Another process works on this home. */
  'home-in-use': 'later',
  /** Its file system has no locks, or lets us make no files. */
  'home-not-lockable': 'never',
  /** Its disk has no room, not even for the lock. */
  'home-full': 'later',
}) {}

export interface HeldHome {
  /** Lets the next one in. Releasing again does nothing. */
  release(): Promise<void>
}

export interface HomeLock {
  /** Makes the folder when it is not there. Rejects at once with 'home-in-use' when another holds it. */
  hold(folder: string): Promise<HeldHome>
  /** For looking at a home that cannot be written to: makes and writes nothing. Several may hold it so, and nobody otherwise
   * meanwhile. */
  holdToRead(folder: string): Promise<HeldHome>
}
