// Entries of a table that can be read. One that cannot is left out: a damaged entry costs itself, and not the peer.

import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { Decoder } from '../../formats/wire/message-schema.ts'
import type { Range, Table } from '../../platform/storage/key-value.ts'

export function* readableEntries<T>(table: Table, coding: Decoder<T>, range?: Range): Generator<T> {
  for (const [, value] of table.range(range)) {
    const entry = readable(coding, value)
    if (entry !== undefined) yield entry
  }
}

export function readable<T>(coding: Decoder<T>, value: Uint8Array): T | undefined {
  try {
    return coding.decode(value)
  } catch (error) {
    if (!(error instanceof MessageMalformed)) throw error
    return undefined
  }
}
