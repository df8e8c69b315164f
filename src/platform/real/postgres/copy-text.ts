// Rows as PostgreSQL's COPY reads them, many to a piece.

import type { Column, Row, Value } from '../../../formats/tables/columns.ts'

const pieceChars = 64 * 1024
const special = /[\\\n\r\t]/g
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

export async function* copyText(
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<{ text: string; rows: number }> {
  let text = ''
  let count = 0
  for await (const row of rows) {
    text += `${columns.map(({ type }, place) => written(row[place] ?? null, type)).join('\t')}\n`
    count++
    if (text.length < pieceChars) continue
    yield { text, rows: count }
    text = ''
    count = 0
  }
  if (count > 0) yield { text, rows: count }
}

function written(value: Value, type: Column['type']): string {
  if (value === null) return '\\N'
  if (type === 'time') return new Date(Number(value)).toISOString()
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (typeof value === 'number') return String(Math.trunc(value))
  // PostgreSQL has no text with NUL in it, nor one that is no UTF-8.
  return value
    .replaceAll('\0', '')
    .toWellFormed()
    .replace(special, (character) => escapes[character]!)
}
