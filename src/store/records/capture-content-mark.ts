// Marks a record that holds a content by itself although nobody put it: its capture was taken down, and other captures
// need it. Without the mark a rebuilt index would take it for a put, and keep for ever what must go with the last of them.

import type { FieldList } from '../../formats/http/field-list.ts'
import type { WarcBlock, WarcRecord } from '../../formats/warc/record.ts'

const name = 'Polyhistor-Kept-For'
const value = 'captures'

export function markedForCaptures<Block extends WarcBlock>(record: WarcRecord<Block>): WarcRecord<Block> {
  return { ...record, fields: record.fields.with(name, value) }
}

export function isMarkedForCaptures({ fields }: { fields: FieldList }): boolean {
  return fields.get(name) === value
}
