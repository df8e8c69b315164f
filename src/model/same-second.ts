// Which of several captures of one URL and second a peer holds to be the first, and whether its word counts.
//
// A capture that was crawled here, or that the holder of the site's lease brought when it was fresh, is known at first hand. What
// came as any other copy says nothing of the order: copies come in the order of keys, and a liar's may come before. It counts as the
// first only where it lay here for a day before another came. See docs/decisions/0051-most-holders-say-which-capture-was-first.md.

export const secondMs = 1_000
/** By then a holder has compared what it keeps with all others. */
export const knownFirstMs = 86_400_000

export interface HeardCapture {
  /** Another capture of its URL and second is held to be the first. */
  readonly isLater?: boolean | undefined
  /** When it came as a copy; 0 if that is not known. undefined: known at first hand, or held to be the first by most holders. */
  readonly heardAtMs?: number | undefined
}

/** Of one URL and second, all crawled. undefined when none is held to be the first. */
export function firstKnown<T extends HeardCapture>(
  captures: readonly T[],
  nowMs: number,
): { readonly first: T; readonly isSure: boolean } | undefined {
  const first = captures.find(({ isLater }) => !isLater)
  if (first === undefined) return undefined
  if (first.heardAtMs === undefined) return { first, isSure: true }
  let nextMs = nowMs
  for (const other of captures)
    if (other !== first && other.heardAtMs !== undefined) nextMs = Math.min(nextMs, other.heardAtMs)
  return { first, isSure: nextMs - first.heardAtMs >= knownFirstMs }
}

export function secondOf(capturedAtMs: number): number {
  return Math.floor(capturedAtMs / secondMs) * secondMs
}
