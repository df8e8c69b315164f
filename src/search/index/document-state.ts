// The state of a document: whether it is alive and the newest text of its page, and when it was current. As the runs of its page say,
// and as it is noted when that changes.

import { type DocumentState, hasGapsFlag, isAliveFlag, isNewestFlag } from './columns.ts'
import type { TextRun } from './page-versions.ts'
import { damaged, sealed, unsealed } from './sealed-bytes.ts'

/** Of a document that is gone. */
export const noState: DocumentState = { flags: 0, fromMs: 0, lastMs: 0, toMs: 0 }

export function stateOf(document: number, runs: readonly TextRun[]): DocumentState {
  const own = runs.filter((run) => run.document === document)
  const [first, last] = [own[0], own.at(-1)]
  if (first === undefined || last === undefined) return noState
  const isNewest = runs.at(-1)?.document === document
  const flags = isAliveFlag | (isNewest ? isNewestFlag : 0) | (own.length > 1 ? hasGapsFlag : 0)
  return { flags, fromMs: first.firstMs, lastMs: last.lastMs, toMs: last.endMs ?? Number.POSITIVE_INFINITY }
}

export function encodeState({ flags, fromMs, lastMs, toMs }: DocumentState): Buffer {
  const bytes = Buffer.allocUnsafe(25)
  bytes[0] = flags
  for (const [index, ms] of [fromMs, lastMs, toMs].entries()) bytes.writeDoubleLE(ms, 1 + 8 * index)
  return sealed(bytes)
}

export function decodeState(value: Uint8Array): DocumentState {
  const bytes = unsealed(value)
  if (bytes.length !== 25) throw damaged()
  const [fromMs, lastMs, toMs] = [bytes.readDoubleLE(1), bytes.readDoubleLE(9), bytes.readDoubleLE(17)]
  return { flags: bytes[0]!, fromMs, lastMs, toMs }
}
