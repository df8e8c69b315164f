// What a store knows of its own rot, and of buckets that do not answer, for the status.

import type { SoundnessStatus } from '../../model/peer-status.ts'
import type { Store } from '../../store/store.ts'

/** A sentence for each bucket that does not answer. */
export function bucketLacks(store: Pick<Store, 'bucketTroubles'>): string[] {
  return store.bucketTroubles().map(({ path, sinceMs, why }) => {
    const since = new Date(sinceMs).toISOString().slice(0, 16).replace('T', ' ')
    return `Bucket ${path} has not answered since ${since} UTC, and what lies there cannot be read: ${why}`
  })
}

export function soundnessOf({ soundness }: Pick<Store, 'soundness'>): SoundnessStatus {
  const { passedAtMs, found, mended, damaged } = soundness
  return { passedAtMs: passedAtMs ?? null, found, mended, damaged }
}
