// What an import tells of itself, while it runs and when it is done.

import type { ArchiveFormat } from './format.ts'

/** Why a record was passed over. */
export type SkipReason =
  /** Says something of the file, not of the web. */
  | 'warcinfo'
  /** A target other than http and https: dns:, whois:, screenshots and the like. */
  | 'not-http'
  /** Another record in another form: derived, never served by anybody. */
  | 'conversion'
  /** A part of a record that was cut up. */
  | 'continuation'
  | 'unknown-type'
  | 'bad-url'
  | 'bad-date'
  /** A request or metadata record whose answer is nowhere near. */
  | 'unpaired'
  /** Metadata that is not made of fields. */
  | 'metadata-form'
  | 'taken-down'
  /** The store would not have it. The problems say why. */
  | 'refused'

export interface ImportCounts {
  records: number
  /** Captures new to the store. */
  kept: number
  /** Captures that were there already. */
  known: number
  /** Records passed over. */
  skipped: number
  /** Records that cannot be read. */
  damaged: number
  /** Records kept although a digest in them is not that of their bytes. */
  mismatched: number
  skippedBy: Partial<Record<SkipReason, number>>
}

/** `damage`: lost, but for the beginning of the last record of a cut file, which is kept and marked as truncated. `mismatch`: kept under its true digest. `refused`: the store would not have it. `missing-base`: a delta
 * of ours whose base is neither here nor in the file. `package`: a WACZ whose parts are not as its manifest says. `same-id`: another
 * record has its id and other bytes; both are kept. `segmented`: only its first segment is kept. */
export type ProblemKind =
  | 'damage'
  | 'mismatch'
  | 'refused'
  | 'missing-base'
  | 'package'
  | 'same-id'
  | 'segmented'

interface ImportProblem {
  kind: ProblemKind
  /** In its file or, for a WACZ, in that part of it. */
  offset: number
  part?: string | undefined
  message: string
}

export interface ImportProgress extends ImportCounts {
  doneBytes: number
  totalBytes: number
}

export interface ImportResult extends ImportProgress {
  format: ArchiveFormat
  /** Where an earlier import of the same source had got to, or 0. */
  resumedAtBytes: number
  /** The source was imported before, to its end: nothing was read. */
  wasDone: boolean
  /** The first of them. */
  problems: ImportProblem[]
  problemCount: number
}

const problemsMax = 1_000

export function noCounts(): ImportCounts {
  return { records: 0, kept: 0, known: 0, skipped: 0, damaged: 0, mismatched: 0, skippedBy: {} }
}

export function countSkipped(counts: ImportCounts, reason: SkipReason): void {
  counts.skipped++
  counts.skippedBy[reason] = (counts.skippedBy[reason] ?? 0) + 1
}

/** The problems of an import: all counted, the first ones listed. */
export class Problems {
  readonly listed: ImportProblem[] = []
  count = 0

  add(problem: ImportProblem): void {
    this.count++
    if (this.listed.length < problemsMax) this.listed.push(problem)
  }
}
