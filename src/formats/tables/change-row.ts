// The row of an event of the stream in the table `changes`: wherever that table is, it means the same. Columns are named after the
// event's fields.

import type { Column, Row, Value } from './columns.ts'

/** As the stream tells it. */
export type EventFields = { readonly [field in string]?: unknown }

export function changeRow(event: EventFields, columns: readonly Column[]): Row {
  return columns.map(({ name, type }) => {
    const value = (event[fieldOf(name)] ?? null) as Value
    return type === 'time' && typeof value === 'string' ? Date.parse(value) : value
  })
}

function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
