// The stream of changes of a running peer, and the rows of what it names, as the bridge reads them.

import { rowOf } from '../../app/tables/peer-tables.ts'
import type { Row, TableName, Value } from '../../formats/tables/columns.ts'
import type { BridgedTable, StreamEvent } from '../../platform/bridge-database.ts'
import type { BridgeSource, StreamLine } from '../../tables/bridge.ts'
import { readLines } from '../input/lines.ts'
import type { PeerClient } from './peer-client.ts'

const lineBytesMax = 1024 * 1024

interface WrittenLine {
  readonly cursor?: string
  readonly id?: string
  readonly gap?: object
}

export class PeerStream implements BridgeSource {
  readonly #peer: PeerClient

  constructor(peer: PeerClient) {
    this.#peer = peer
  }

  async *lines(
    since: string | undefined,
    { isFollowing, signal }: { isFollowing: boolean; signal: AbortSignal },
  ): AsyncGenerator<StreamLine> {
    const query = { since, follow: String(isFollowing), cursors: 'true' }
    const response = await this.#peer.open('/api/v1/changes', query, {
      accept: 'application/x-ndjson',
      signal,
    })
    for await (const text of readLines(this.#peer.body(response), lineBytesMax)) {
      // A sign of life.
      if (text.trim() === '') continue
      const { cursor, ...line } = JSON.parse(text) as WrittenLine
      if (cursor === undefined) continue
      if (line.id === undefined) yield { cursor, hasGap: line.gap !== undefined }
      else yield { cursor, event: line as StreamEvent }
    }
  }

  async *rowsOf(table: BridgedTable, urls: readonly string[]): AsyncGenerator<Row> {
    const { signal } = new AbortController()
    const lines = this.#peer.postLines<Record<string, Value>>(`/api/v1/tables/${table}`, { urls }, signal)
    for await (const line of lines) yield rowOf(table, line)
  }

  allRows(table: BridgedTable): AsyncGenerator<Row> {
    return rowsOfPeer(this.#peer, table, {})
  }
}

/** All that it keeps, or of a site or job. */
export async function* rowsOfPeer(
  peer: PeerClient,
  table: TableName,
  of: { readonly site?: string | undefined; readonly job?: string | undefined },
): AsyncGenerator<Row> {
  const lines = peer.lines<Record<string, Value>>(`/api/v1/tables/${table}`, of)
  for await (const line of lines) yield rowOf(table, line)
}
