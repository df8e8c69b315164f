// Error answer: a failure as a reader sees it within the frame, or a tool reads it.

import type { PolyhistorError } from '../errors.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Header } from './archived-head.ts'

const statuses: Readonly<Record<string, number>> = {
  'replay-bad-address': 400,
  'replay-bad-time': 400,
  'replay-bad-url': 400,
  'replay-url-too-long': 414,
  'replay-bad-policy': 400,
  'replay-not-archived': 404,
  'replay-taken-down': 451,
  'replay-redirect-loop': 508,
  'replay-damaged': 502,
  'replay-method': 405,
  'replay-not-here': 403,
  'replay-range': 416,
  'http-body-too-large': 413,
  'http-body-cut': 400,
  'store-not-found': 404,
  'store-taken-down': 451,
  'store-content-missing': 404,
  'store-content-damaged': 502,
  'store-volume-missing': 503,
  'store-bucket-unavailable': 503,
  'store-closed': 503,
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address is not understood',
  403: 'Not here',
  404: 'Not in this archive',
  405: 'Only for reading',
  413: 'Too much was sent',
  414: 'This URL is too long',
  416: 'There are no such bytes',
  451: 'Taken down',
  502: 'This capture cannot be shown',
  503: 'Not now',
  508: 'Leads in circles',
}

/** What the page tells the archive's frame around it, as in in-page/report.js. */
interface MissingReport {
  readonly url: string
  readonly timestamp: string
  readonly archive: string
}

export function errorAnswer(
  error: PolyhistorError,
  headers: readonly Header[],
  report?: MissingReport,
): HttpAnswer {
  const status = statuses[error.code] ?? (error.retry === 'later' ? 503 : 500)
  const title = titles[status] ?? 'A fault of this archive'
  return {
    status,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['X-Polyhistor-Error', error.code],
      ['Cache-Control', 'no-store'],
      ...(error.retry === 'later' && status === 503 ? [['Retry-After', '60'] as const] : []),
      ...headers,
    ],
    body:
      ownPage(title, `<p>${escaped(error.message)}</p>`) +
      (report === undefined ? '' : reportScript({ isMissing: true, ...report })),
  }
}

/** `text` is markup. */
export function ownPage(title: string, text: string): string {
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
    '<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;' +
    'padding:0 1rem;overflow-wrap:anywhere}</style>' +
    `<h1>${escaped(title)}</h1>${text}</html>\n`
  )
}

/** So that the bar shows where the reader is, and the archive can offer to fetch what is missing. */
export function reportScript({
  archive,
  ...told
}: {
  readonly url: string
  readonly timestamp: string
  readonly archive: string
  readonly title?: string
  readonly isMissing?: boolean
}): string {
  const message = { polyhistor: 'page', ...told }
  const quoted = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
  return `<script>parent.postMessage(${quoted(message)},${quoted(archive)})</script>\n`
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
