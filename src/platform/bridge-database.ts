// A database that tables of the archive are kept in, as the bridge sees it. The real one is PostgreSQL.

import { PolyhistorError } from '../errors.ts'
import type { Row, Value } from '../formats/tables/columns.ts'

/** Tables whose rows follow from the archive as it stands. `changes` follow from events. */
export const bridgedTables = ['pages', 'captures', 'links'] as const
export type BridgedTable = (typeof bridgedTables)[number]

export interface StreamEvent {
  readonly id: string
  readonly url: string
  readonly [field: string]: Value | undefined
}

export interface BridgeBatch {
  /** What must stand in the database: another bridge may have gone on. */
  readonly cursorBefore: string | undefined
  readonly cursor: string
  readonly events: readonly StreamEvent[]
  readonly urls: readonly string[]
  rowsOf(table: BridgedTable): AsyncIterable<Row>
}

export interface BridgeDatabase {
  /** Makes or renews the tables. `isNew`: nothing was ever bridged into it. */
  begin(): Promise<{ readonly isNew: boolean; readonly cursor: string | undefined }>
  /** What a new one begins with; whole or not at all. */
  fill(rows: (table: BridgedTable) => AsyncIterable<Row>): Promise<number>
  /** Resolves with how many rows were written. */
  apply(batch: BridgeBatch): Promise<number>
}

export class BridgeError extends PolyhistorError {}
