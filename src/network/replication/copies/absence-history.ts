// What is known of a peer's absences: since when we know it, and the longest absence that it came back from.
//
// A value, and small: one is kept for every peer that holds a copy of something of ours.

export interface AbsenceHistory {
  readonly knownSinceMs: number
  readonly longestMs: number
}

export function newlyKnown(nowMs: number): AbsenceHistory {
  return { knownSinceMs: nowMs, longestMs: 0 }
}

/** It came back after so long. */
export function cameBack(history: AbsenceHistory, absenceMs: number): AbsenceHistory {
  return { ...history, longestMs: Math.max(history.longestMs, absenceMs) }
}
