// Index line: one capture as an index knows it, whatever the format of the index. See cdxj.ts.
//
// Invariants of a parsed line: the key has no space and no line end, the timestamp is a real moment, numbers are
// whole, safe and not negative; what the index did not know (`-`) is left out.
//
// Digests stay text: an index may name algorithms that we cannot compute. See digest.ts.

import { PolyhistorError } from '../../errors.ts'
import { parseTimestamp } from '../../model/timestamp.ts'
import { urlCharsMax } from '../../model/url/url.ts'

export interface IndexLine {
  readonly surt: string
  /** 14 or 17 digits. */
  readonly timestamp: string
  readonly url: string
  /** `warc/revisit` for a revisit. */
  readonly mime?: string
  readonly status?: number
  readonly digest?: string
  /** Bytes of the record in its file, compressed as it stands there. */
  readonly length?: number
  /** Where in its file the record starts. */
  readonly offset?: number
  readonly filename?: string
  /** Fields that this program gives no meaning to. */
  readonly more?: Readonly<Record<string, unknown>>
}

export class IndexLineError extends PolyhistorError {
  declare readonly code: 'index-line-malformed' | 'index-line-too-long'
}

/** Room for the longest URL as key and value, and what else there is. */
export const lineCharsMax = 3 * urlCharsMax

/** The order of `LC_ALL=C sort`: by UTF-8 bytes, which differs from JavaScript's beyond U+FFFF only. */
export function compareLines(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const leftUnit = left.charCodeAt(i)
    const rightUnit = right.charCodeAt(i)
    if (leftUnit !== rightUnit) return byteRank(leftUnit) - byteRank(rightUnit)
  }
  return left.length - right.length
}

/** Surrogates stand for the code points above all others, but have lower numbers than U+E000 to U+FFFF. */
function byteRank(codeUnit: number): number {
  return codeUnit >= 0xd800 && codeUnit <= 0xdfff ? codeUnit + 0x10000 : codeUnit
}

/** The fields of a line as its format had them, still to be checked. */
type RawFields = { readonly [name in keyof IndexLine]?: unknown }

/** Throws IndexLineError; `line` is what its message quotes. */
export function checkedIndexLine(raw: RawFields, line: string): IndexLine {
  const checked: { -readonly [name in keyof IndexLine]: IndexLine[name] } = {
    surt: checkedKey(textOf(raw.surt, 'key', line) ?? '', line),
    timestamp: checkedTimestamp(textOf(raw.timestamp, 'timestamp', line) ?? '', line),
    url: textOf(raw.url, 'url', line) ?? fail(line, 'it has no url'),
  }
  const mime = textOf(raw.mime, 'mime', line)
  if (mime !== undefined) checked.mime = mime
  const status = numberOf(raw.status, 'status', line)
  if (status !== undefined) checked.status = status
  const digest = textOf(raw.digest, 'digest', line)
  if (digest !== undefined) checked.digest = digest
  const length = numberOf(raw.length, 'length', line)
  if (length !== undefined) checked.length = length
  const offset = numberOf(raw.offset, 'offset', line)
  if (offset !== undefined) checked.offset = offset
  const filename = textOf(raw.filename, 'filename', line)
  if (filename !== undefined) checked.filename = filename
  if (raw.more !== undefined) checked.more = raw.more as Record<string, unknown>
  return checked
}

export function checkedKey(surt: string, line: string): string {
  return surt === '' || /[ \n\r]/.test(surt) ? fail(line, 'its key is empty or has a space in it') : surt
}

export function checkedTimestamp(timestamp: string, line: string): string {
  try {
    parseTimestamp(timestamp)
    return timestamp
  } catch (error) {
    if (error instanceof PolyhistorError) fail(line, error.message)
    throw error
  }
}

export function checkLineLength(line: string): void {
  if (line.length <= lineCharsMax) return
  throw new IndexLineError('index-line-too-long', `An index line has more than ${lineCharsMax} characters`)
}

export function fail(line: string, why: string): never {
  throw new IndexLineError('index-line-malformed', `Bad index line "${line.slice(0, 80)}": ${why}`)
}

function textOf(value: unknown, name: string, line: string): string | undefined {
  if (value === undefined || value === null || value === '-' || value === '') return undefined
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : fail(line, `its ${name} must be a string`)
}

function numberOf(value: unknown, name: string, line: string): number | undefined {
  const text = textOf(value, name, line)
  if (text === undefined) return undefined
  const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : fail(line, `its ${name} must be a whole number`)
}
