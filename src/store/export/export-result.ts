// What an export tells of itself, while it runs and when it is done.

import type { ExportFailure } from './warc-export.ts'

interface ExportProblem {
  url: string
  capturedAtMs: number
  recordId: string
  code: string
  message: string
}

export interface ExportProgress {
  /** Captures dealt with, of how many. */
  doneCaptures: number
  totalCaptures: number
  /** Of the file, so far. */
  writtenBytes: number
}

export interface ExportResult extends ExportProgress {
  /** Captures in the file, those outside of the selection that others need included. */
  exported: number
  /** How many of those are revisits. */
  revisits: number
  /** Damaged or without payload: left out. */
  failed: number
  /** The first of them. */
  problems: ExportProblem[]
}

const problemsMax = 1_000

export function noResult(): ExportResult {
  return {
    doneCaptures: 0,
    totalCaptures: 0,
    writtenBytes: 0,
    exported: 0,
    revisits: 0,
    failed: 0,
    problems: [],
  }
}

export function countFailure(result: ExportResult, { capture, error }: ExportFailure): void {
  result.failed++
  const { url, capturedAtMs, recordId } = capture
  if (result.problems.length >= problemsMax) return
  result.problems.push({ url, capturedAtMs, recordId, code: error.code, message: error.message })
}
