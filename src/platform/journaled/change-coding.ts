// Changes of a map as bytes, for its journal.
//
// Invariant: what is written reads back in the same order. Lengths take four bytes each: a journal is short-lived.

export interface Change {
  table: string
  /** One character per byte, as in the value. */
  key: string
  /** undefined: removed. */
  value: string | undefined
}

const removed = 0xffff_ffff
const lengthBytes = 4

export function encodeChanges(changes: readonly Change[]): Uint8Array {
  let size = 0
  for (const { table, key, value } of changes)
    size += 3 * lengthBytes + table.length + key.length + (value?.length ?? 0)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { table, key, value } of changes) {
    at = bytes.writeUInt32BE(table.length, at)
    at += bytes.write(table, at, 'latin1')
    at = bytes.writeUInt32BE(key.length, at)
    at += bytes.write(key, at, 'latin1')
    at = bytes.writeUInt32BE(value?.length ?? removed, at)
    if (value !== undefined) at += bytes.write(value, at, 'latin1')
  }
  return bytes
}

export function* decodeChanges(record: Uint8Array): Generator<Change> {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  let at = 0
  const text = (): string | undefined => {
    const length = bytes.readUInt32BE(at)
    at += lengthBytes
    if (length === removed) return undefined
    at += length
    return bytes.toString('latin1', at - length, at)
  }
  while (at < bytes.length) yield { table: text()!, key: text()!, value: text() }
}
