// Archived head: the status and headers that came with a capture, and what of them a reader gets.
//
// Every header is handed on as `X-Archive-Orig-…`; very few take effect. Cookies, transport security, policies, reporting,
// preloads and alternative services of a site that is long gone must not act on a reader of today.

import { FieldList, fieldFault } from '../formats/http/field-list.ts'
import { parseHttpHead, parseStatusLine } from '../formats/http/http-message.ts'
import type { ReplayCapture } from './capture-source.ts'

export type Header = readonly [name: string, value: string]

export interface ArchivedHead {
  readonly status: number
  readonly headers: FieldList
}

/** What says how the bytes are to be understood, and nothing else. */
const passed = new Set(['content-language'])

/** A server can have sent thousands: what is beyond these is of no use to anyone. */
const originalHeadersMax = 100
const originalCharsMax = 16 * 1024

export function archivedHead(head: Uint8Array | undefined, capture: ReplayCapture): ArchivedHead {
  const parsed = head && parseHttpHead(head)
  if (parsed === undefined) {
    const headers = capture.mime === '' ? [] : [['Content-Type', capture.mime] as const]
    return { status: capture.status || 200, headers: new FieldList(headers) }
  }
  return { status: parseStatusLine(parsed.startLine)?.status ?? 200, headers: parsed.headers }
}

/** Those that take effect, and all of them under their other name. What was to be downloaded is, where its original bytes
 * are asked for; elsewhere it is shown if it can be (file-offer.ts). */
export function* handedOn(headers: FieldList, isOriginal: boolean): Iterable<Header> {
  let count = 0
  let chars = 0
  for (const [name, value] of headers) {
    if (fieldFault(name, value) !== undefined || /[^\x00-\xff]/.test(value)) continue
    chars += name.length + value.length
    if (++count > originalHeadersMax || chars > originalCharsMax) return
    const lower = name.toLowerCase()
    if (passed.has(lower) || (isOriginal && lower === 'content-disposition')) yield [name, value]
    yield [`X-Archive-Orig-${name}`, value]
  }
}

/** Answers with these have no body, and readers would not wait for one. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304 || status < 200
}

/** A status that an HTTP server can send: captures hold stranger ones. */
export function sendableStatus(status: number): number {
  if (status === 304 || status < 200 || status > 599) return 200
  return status
}
