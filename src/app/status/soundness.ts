// What a store knows of its own rot, for the status.

import type { SoundnessStatus } from '../../model/peer-status.ts'
import type { Store } from '../../store/store.ts'

export function soundnessOf({ soundness }: Pick<Store, 'soundness'>): SoundnessStatus {
  const { passedAtMs, found, mended, damaged } = soundness
  return { passedAtMs: passedAtMs ?? null, found, mended, damaged }
}
