// File offer: where a frame asks for what browsers show in no frame of ours (PDF, archive files, programs), it gets a page
// that offers the file for download. Texts that browsers would download (tables, calendars) are shown as plain text.
//
// Archived pages may start no download (safety-headers.ts). This page may: it is ours, and its reader has to click.

import { isShownInFrames } from '../formats/markup/shown-types.ts'
import { printTimestamp } from '../model/timestamp.ts'
import type { Header } from './archived-head.ts'
import type { ReplayCapture } from './capture-source.ts'
import type { Content, ContentRequest } from './content/content.ts'
import { escaped, ownPage, reportScript } from './error-answer.ts'
import { printReplayAddress } from './replay-address.ts'
import type { ReplayOrigins } from './replay-origins.ts'

export const offerPolicy: Header = [
  'Content-Security-Policy',
  "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
]

const frames = new Set(['iframe', 'frame', 'document'])
/** These have a fallback of their own for most types, but not for this one. */
const plugins = new Set(['embed', 'object'])

/** `content`: as it would go out. */
export function isOffered(content: Content, { destination = '' }: ContentRequest): boolean {
  const { status, hasStart, headers } = content
  if (status !== 200 || hasStart === true) return false
  const mime = mimeIn(headers)
  if (plugins.has(destination)) return mime === 'application/pdf'
  return frames.has(destination) && !isShownInFrames(mime)
}

export function fileOffer(capture: ReplayCapture, content: Content, origins: ReplayOrigins): Content {
  const { url, payloadBytes } = capture
  const timestamp = printTimestamp(capture.capturedAtMs)
  const mime = mimeIn(content.headers)
  const title = fileName(url)
  const address = printReplayAddress(timestamp, 'id_', url)
  const kind = mime === 'application/pdf' ? 'PDF document' : `file of the type ${mime}`
  const text =
    `<p>${escaped(`This is a ${kind}, ${payloadBytes.toLocaleString('en')} bytes. Browsers do not show it within an archived page.`)}</p>` +
    `<p><a href="${escaped(address)}">Download the file as it was archived</a></p>`
  const report = reportScript({ url, timestamp, title, archive: origins.archive })
  const body = Buffer.from(ownPage(title, text) + report)
  return {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8'], ...content.headers.filter(isOfCapture)],
    body,
    sizeBytes: body.length,
    entityTag: content.entityTag.replace(/"$/, '-offer"'),
    isOffer: true,
  }
}

const downloadedText =
  /^text\/(?:(?:x-)?(?:csv|v?calendar|vcard|vcf|qif)|comma-separated-values|tab-separated-values|tsv|directory|ldif|rtf|ofx)\s*(?=;|$)/i

/** For what is neither offered nor rewritten. */
export function asShown(headers: readonly Header[], { destination = '' }: ContentRequest): readonly Header[] {
  if (!frames.has(destination)) return headers
  return headers.map(
    ([name, value]): Header => [
      name,
      name.toLowerCase() === 'content-type' ? value.replace(downloadedText, 'text/plain') : value,
    ],
  )
}

/** The headers of original bytes that a frame is led to. */
export function asDownload(headers: readonly Header[], url: string): Header[] {
  const isDisposition = ([name]: Header) => name.toLowerCase() === 'content-disposition'
  const archived = headers.find(isDisposition)
  const own: Header = [
    'Content-Disposition',
    `attachment; filename*=UTF-8''${encodeURIComponent(fileName(url))}`,
  ]
  const kept = archived !== undefined && /^\s*attachment\b/i.test(archived[1]) ? archived : own
  return [...headers.filter((header) => !isDisposition(header)), kept]
}

function fileName(url: string): string {
  const { pathname, hostname } = new URL(url)
  const name = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name) || hostname
  } catch {
    return name
  }
}

/** Those that speak of the bytes would not be true of the page. */
function isOfCapture([name]: Header): boolean {
  return !/^content-(?!location)/i.test(name)
}

function mimeIn(headers: readonly Header[]): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return type.split(';', 1)[0]!.trim().toLowerCase()
}
