// The URL that the answer to a request is filed under: the URL itself, or, where the request was no plain GET, with method and body behind it.

import { type Field, FieldList } from '../../formats/http/field-list.ts'
import { indexUrl, requestQuery } from '../../formats/http/request-query.ts'
import type { Url } from '../../model/url/url.ts'
import type { SentRequest } from '../fetch/fetcher.ts'

interface FiledRequest {
  readonly url: Url
  readonly sent?: SentRequest | undefined
  readonly headers?: readonly Field[] | undefined
}

/** Parsed once: the same object where it is the URL itself. */
export function filedUrl({ url, sent, headers = [] }: FiledRequest): Url {
  if (sent === undefined) return url
  const contentType = new FieldList(headers).get('Content-Type')
  const query = requestQuery({ method: sent.method, contentType, body: sent.body ?? new Uint8Array(0) })
  return query === undefined ? url : indexUrl(url, query)
}
