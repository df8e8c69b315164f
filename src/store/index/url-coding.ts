// URLs in index entries: most can be told from the SURT in the key, so only what differs is written.
//
// The SURT says what the URL was but for scheme, `www.`, letter case and the like. The likeliest URL is made of it; how
// much of that is right is written, and the rest as text. So whatever the URL, it is read back exactly.

import type { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { type EntryReader, indexDamage } from './entry-coding.ts'

/** The place in the list is what is on disk. */
const starts = ['https://', 'http://', 'https://www.', 'http://www.'] as const

export function writeUrl(writer: MessageWriter, url: string, surt: string): void {
  const form = formOf(url)
  const likely = likelyUrl(form, surt)
  const shared = sharedLength(url, likely)
  writer.number(shared * starts.length + form).text(url.slice(shared))
}

export function readUrl(reader: EntryReader, surt: string): string {
  const code = reader.number()
  const form = code % starts.length
  const shared = (code - form) / starts.length
  const likely = likelyUrl(form, surt)
  if (shared > likely.length) throw indexDamage('it has another URL than its key')
  return likely.slice(0, shared) + reader.text()
}

function formOf(url: string): number {
  const scheme = url.startsWith('https:') ? 0 : 1
  const withWww = scheme + 2
  return url.startsWith(starts[withWww]!) ? withWww : scheme
}

/** `com,example:8080)/a` → `https://example.com:8080/a`. Of a SURT without a host just the start. */
function likelyUrl(form: number, surt: string): string {
  const hostEnd = surt.indexOf(')')
  if (hostEnd < 0) return starts[form]!
  const portStart = surt.indexOf(':')
  const labelsEnd = portStart >= 0 && portStart < hostEnd ? portStart : hostEnd
  const labels = surt.slice(0, labelsEnd).split(',').reverse().join('.')
  return starts[form]! + labels + surt.slice(labelsEnd, hostEnd) + surt.slice(hostEnd + 1)
}

function sharedLength(left: string, right: string): number {
  if (left.startsWith(right)) return right.length
  let length = 0
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length++
  return length
}
