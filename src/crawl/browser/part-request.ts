// What a request of a page is for, as far as its headers tell, and which of them are sent on.
//
// Browsers say what a request is for (Sec-Fetch-Dest) over https and on localhost only. Over http it is guessed from what else they
// send: there a frame and a page that goes elsewhere look alike.

import type { Field, FieldList } from '../../formats/http/field-list.ts'
import type { PageAnswer, PageRequest } from '../../platform/network/browser.ts'

/** `page`: the window goes elsewhere. `frame`: a document within the page. `asset`: pictures, styles, scripts, media, fonts: the same for
 * every page of a crawl. `data`: what scripts fetch. */
export type PartKind = 'page' | 'frame' | 'asset' | 'data'

const framesBy = new Set(['iframe', 'frame', 'fencedframe', 'embed', 'object'])

export function partKind(headers: FieldList): PartKind {
  const destination = headers.get('Sec-Fetch-Dest')
  if (destination === 'document') return 'page'
  if (destination === 'empty') return 'data'
  if (destination !== undefined) return framesBy.has(destination) ? 'frame' : 'asset'
  if (headers.has('Upgrade-Insecure-Requests')) return 'frame'
  return /^(?:image\/|text\/css)/.test(headers.get('Accept') ?? '') ? 'asset' : 'data'
}

/** Its response has no end; the browser asks again whenever it breaks off. */
export function isStream(headers: FieldList): boolean {
  return (headers.get('Accept') ?? '').startsWith('text/event-stream')
}

/** Ours to say (who we are, which codings, whether it changed), of the connection, or about the browser. */
const ours =
  /^(?:host|connection|user-agent|accept-encoding|range|if-.*|cache-control|pragma|content-length|transfer-encoding|te|trailer|upgrade.*|expect|via|dnt|proxy-.*|sec-.*)$/i
const headersMax = 64
const headerCharsMax = 8_192

export function headersSentOn(headers: FieldList): Field[] {
  return [...headers]
    .filter(([name, value]) => !ours.test(name) && value.length <= headerCharsMax)
    .slice(0, headersMax)
}

/** Whether a request only asks if another may be made. The other's response says the same, so that no server is asked. */
export function isPreflight({ method, headers }: PageRequest): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}

export function preflightAnswer({ headers }: PageRequest): PageAnswer {
  const allowed: Field[] = [
    ['Access-Control-Allow-Origin', headers.get('Origin') ?? '*'],
    ['Access-Control-Allow-Methods', headers.get('Access-Control-Request-Method') ?? 'GET'],
    ['Access-Control-Allow-Credentials', 'true'],
  ]
  const asked = headers.get('Access-Control-Request-Headers')
  if (asked !== undefined) allowed.push(['Access-Control-Allow-Headers', asked])
  return emptyAnswer(204, allowed)
}

export function emptyAnswer(status: number, headers: readonly Field[] = []): PageAnswer {
  return { status, headers, body: new Uint8Array(0), bodyBytes: 0 }
}
