// Marks the record of a capture that was no GET with method and body of its request, as request-query.ts writes them: so whoever
// gets a copy of it, or makes the index anew, files it under the same URL without a look at the request.

import type { FieldList } from '../../formats/http/field-list.ts'
import { indexUrl } from '../../formats/http/request-query.ts'
import { urlOfTarget, urlOfViewTarget } from '../../formats/warc/page-views.ts'
import { targetUriOf, type WarcBlock, type WarcRecord } from '../../formats/warc/record.ts'
import type { Url } from '../../model/url/url.ts'

const name = 'Polyhistor-Request-Query'
const queryPattern = /^__wb_method=[A-Z]{1,20}&[\x21-\x7e]*$/

/** `url`: that it is filed under. */
export function markedRequest<Block extends WarcBlock>(
  record: WarcRecord<Block>,
  url: string,
): WarcRecord<Block> {
  const target = targetUriOf(record) ?? ''
  if (url.length <= target.length || urlOfViewTarget(target)?.href === url) return record
  return { ...record, fields: record.fields.without(name).with(name, url.slice(target.length + 1)) }
}

export function isMarkedRequest(record: { fields: FieldList }): boolean {
  return record.fields.has(name)
}

/** The URL that a record's capture is filed under: its target, with method and body where it is marked. null: not one that we know. */
export function filedUrl(record: { fields: FieldList }): Url | null {
  const target = targetUriOf(record) ?? ''
  const url = urlOfTarget(target)
  const query = record.fields.get(name)
  return url === null || query === undefined || !queryPattern.test(query) ? url : indexUrl(url, query)
}
