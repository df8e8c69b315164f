// What peers ask each other for a page that one of them shows: to fetch a part whose site they crawl. As bytes.

import { bytes, choice, counter, flag, printable, text } from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'

const urlBytesMax = 8_192
const headersMax = 32
const nameBytesMax = 128
const valueBytesMax = 4_096
const methodBytesMax = 32
/** Of what a page sends. */
const bodyBytesMax = 256 * 1024

export const errandQuestion = record({
  url: text(urlBytesMax),
  /** The page that asks for it. */
  page: text(urlBytesMax),
  /** A document within the page, what all pages share, or what a script fetches. */
  kind: choice(['frame', 'asset', 'data']),
  method: printable(methodBytesMax),
  body: optional(bytes(bodyBytesMax)),
  headers: list(record({ name: printable(nameBytesMax), value: printable(valueBytesMax) }), headersMax),
  /** Without an end: what comes at first is all that is kept. */
  isStream: flag,
  /** A capture since then will do; 0: it is to be fetched. */
  sinceMs: counter,
})
export type ErrandQuestion = Out<typeof errandQuestion>

/** `kept`: the archive has it, as a capture of that time. */
export const errandAnswer = union('answer to an errand', {
  kept: { capturedAtMs: counter },
  missed: { code: printable(64), reason: printable(500) },
})
export type ErrandAnswer = Out<typeof errandAnswer>

/** Whether it fits into a question. */
export function fits({ url, page, method, body }: Omit<ErrandQuestion, 'headers'>): boolean {
  const isShort = Buffer.byteLength(url) <= urlBytesMax && Buffer.byteLength(page) <= urlBytesMax
  return isShort && isPrintable(method, methodBytesMax) && (body?.length ?? 0) <= bodyBytesMax
}

/** Those that fit, and are plain text. */
export function headersThatFit(headers: Iterable<readonly [string, string]>): ErrandQuestion['headers'] {
  return [...headers]
    .filter(([name, value]) => isPrintable(name, nameBytesMax) && isPrintable(value, valueBytesMax))
    .slice(0, headersMax)
    .map(([name, value]) => ({ name, value }))
}

function isPrintable(word: string, bytesMax: number): boolean {
  return word.length <= bytesMax && /^[\x20-\x7e]*$/.test(word)
}

/** For an answer: others' words, as far as they may be sent. */
export function printableWords(words: string, charsMax: number): string {
  return words.replace(/[^\x20-\x7e]/g, '?').slice(0, charsMax)
}
