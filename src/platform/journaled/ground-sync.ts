// Makes the bytes safe that changes stand on: all of them at the same time, and tells which could not be.

import type { Ground } from '../storage/key-value.ts'

/** With what each of them failed with. */
export class LostGround extends Error {
  readonly failures: ReadonlyMap<Ground, unknown>

  constructor(failures: ReadonlyMap<Ground, unknown>) {
    super()
    this.failures = failures
  }
}

/** Throws LostGround. */
export async function syncAll(grounds: readonly Ground[]): Promise<void> {
  if (grounds.length === 0) return
  const failures = new Map<Ground, unknown>()
  const sync = (ground: Ground) => ground.sync().catch((error: unknown) => failures.set(ground, error))
  await Promise.all(grounds.map(sync))
  if (failures.size > 0) throw new LostGround(failures)
}
