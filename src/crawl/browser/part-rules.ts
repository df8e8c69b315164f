// Which requests of a page are not made at all, whatever they ask for: told from the request alone.
//
// A page is shown as a reader without an account sees it, who does nothing: what it asks for then is carried through, with method and
// body. Not carried through is what only tells its server something (beacons), what a reader would have to do (sending a form),
// what has no end of its own (WebSockets), and what deletes. Where it is shown as somebody with an account sees it (`isReadOnly`), only
// what changes nothing by its method is carried through: a script must not do things in that person's name because a page was archived.

import type { FieldList } from '../../formats/http/field-list.ts'
import type { PageRequest } from '../../platform/network/browser.ts'
import type { SentRequest } from '../fetch/fetcher.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { PartKind } from './part-request.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'QUERY', 'OPTIONS', 'REPORT', 'PROPFIND'])

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

export function ruleAgainst(
  { method, headers, body }: PageRequest,
  kind: PartKind,
  isReadOnly = false,
): MissedReason | undefined {
  if (headers.has('Upgrade')) return { code: 'websocket', reason: 'it is a WebSocket, which has no end' }
  if (!methods.has(method)) return { code: 'method', reason: `${method.slice(0, 20)} is not asked for` }
  if (isReadOnly && !reading.has(method))
    return { code: 'method', reason: `${method.slice(0, 20)} could change something in your name` }
  if (body === 'too-large') return { code: 'request-too-large', reason: 'what the page sends is too large' }
  if (method === 'GET') return undefined
  if (kind === 'page' || kind === 'frame') return { code: 'form', reason: 'it sends a form' }
  return isBeacon(headers) ? { code: 'beacon', reason: 'it only tells its server something' } : undefined
}

/** undefined for what any crawler asks. */
export function sentOf({ method, body }: PageRequest): SentRequest | undefined {
  return method === 'GET' ? undefined : { method, body: body === 'too-large' ? undefined : body }
}

/** No script can read what comes back. Browsers say so over https only. */
function isBeacon(headers: FieldList): boolean {
  return headers.get('Sec-Fetch-Mode') === 'no-cors' || /^text\/ping/i.test(headers.get('Content-Type') ?? '')
}
