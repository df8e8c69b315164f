// Asking only for what has changed (RFC 9110, 13): the validators of the last version go along with the next request.
//
// Entity tags are sent as they came, byte for byte, weak ones too; a date only when it is one. Anything that could make
// a header of its own is left out.

import { type Field, type FieldList, fieldFault } from '../../formats/http/field-list.ts'

/** What a response says of its version. */
export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

const validatorCharsMax = 1_024
const etagPattern = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

export function validatorsOf(headers: FieldList): Validators {
  const etag = headers.get('ETag')
  const lastModified = headers.get('Last-Modified')
  return {
    ...(isSendable(etag) && etagPattern.test(etag) && { etag }),
    ...(isSendable(lastModified) && !Number.isNaN(Date.parse(lastModified)) && { lastModified }),
  }
}

/** The headers that ask for a response only if there is a newer one. */
export function conditionalHeaders({ etag, lastModified }: Validators): Field[] {
  const headers: Field[] = []
  if (etag !== undefined) headers.push(['If-None-Match', etag])
  if (lastModified !== undefined) headers.push(['If-Modified-Since', lastModified])
  return headers
}

export function hasValidators({ etag, lastModified }: Validators): boolean {
  return etag !== undefined || lastModified !== undefined
}

function isSendable(value: string | undefined): value is string {
  if (value === undefined || value.length > validatorCharsMax) return false
  return fieldFault('X', value) === undefined && !/[^\x00-\xff]/.test(value)
}
