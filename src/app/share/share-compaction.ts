// Compacts the store of a peer whose share fills up: only where there is something to gain, and more thoroughly when it is full.

import type { Store } from '../../store/store.ts'

/** Of a volume, that must be dead for it to be worth rewriting when nothing more fits. */
const deadShareOfFull = 0.05

export interface Compaction {
  readonly freedBytes: number
  /** How much was dead before. */
  readonly deadBytes: number
}

/** undefined when there was nothing to gain. `triedBytes`: how much was dead when it was tried in vain; it is tried again when a part of
 * everything has died since. */
export async function compactShare(
  store: Store,
  {
    deadShare,
    triedBytes,
    signal,
  }: { deadShare: number; triedBytes?: number | undefined; signal: AbortSignal },
): Promise<Compaction | undefined> {
  const { volumes } = await store.stat()
  if (volumes.every(({ bytes, deadBytes }) => deadBytes <= deadShare * bytes)) return undefined
  const deadBytes = volumes.reduce((sum, volume) => sum + volume.deadBytes, 0)
  const allBytes = volumes.reduce((sum, { bytes }) => sum + bytes, 0)
  if (triedBytes !== undefined && deadBytes <= triedBytes + deadShare * allBytes) return undefined
  return { deadBytes, freedBytes: (await store.compact({ deadShare, signal })).freedBytes }
}

export function deadShareFor(isFull: boolean, usual: number): number {
  return isFull ? Math.min(deadShareOfFull, usual) : usual
}
