// Compacts the store of a peer whose share fills up: only where there is something to gain, and more thoroughly when it is full.

import type { Store } from '../../store/store.ts'

/** Of a volume, that must be dead for it to be worth rewriting when nothing more fits. */
const deadShareOfFull = 0.05

/** Gives how much was freed; undefined when there was nothing to gain. */
export async function compactShare(
  store: Store,
  { deadShare, signal }: { deadShare: number; signal: AbortSignal },
): Promise<number | undefined> {
  const { volumes } = await store.stat()
  if (volumes.every(({ bytes, deadBytes }) => deadBytes <= deadShare * bytes)) return undefined
  return (await store.compact({ deadShare, signal })).freedBytes
}

export function deadShareFor(isFull: boolean, usual: number): number {
  return isFull ? Math.min(deadShareOfFull, usual) : usual
}
