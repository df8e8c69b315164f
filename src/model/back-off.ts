// Back-off: how long to leave alone what has failed. Twice as long after each failure in a row, up to a limit.

export interface BackOff {
  readonly firstMs: number
  readonly longestMs: number
}

/** More would be no number any more. */
const doublingsMax = 30

/** `failures`: in a row, the last one included; 0 when there was none, and nothing to wait for. */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number): number {
  if (failures === 0) return 0
  return Math.min(longestMs, firstMs * 2 ** Math.min(doublingsMax, failures - 1))
}
