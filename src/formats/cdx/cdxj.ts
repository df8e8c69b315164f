// CDXJ: an index line as `surt SP timestamp SP {json}`, the format that exports write.
//
// Values are written as strings, as pywb does. A line has no line end in it, its key no space, its timestamp is a real moment, and
// it has no more than lineCharsMax characters.
//
// Digests stay text: an index may name algorithms that we cannot compute. See digest.ts.

import { errorFamily, PolyhistorError } from '../../errors.ts'
import { parseTimestamp } from '../../model/timestamp.ts'
import { urlCharsMax } from '../../model/url/url.ts'

/** One capture as an index knows it. */
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

class IndexLineError extends errorFamily({
  'index-line-malformed': 'never',
  'index-line-too-long': 'never',
}) {}

/** Room for the longest URL as key and value, and what else there is. */
export const lineCharsMax = 3 * urlCharsMax

/** Without a line end. Throws IndexLineError. */
export function printCdxjLine(line: IndexLine): string {
  const { surt, timestamp, more = {} } = line
  if (surt === '' || /[ \n\r]/.test(surt)) fail(surt, 'its key is empty or has a space in it')
  checkTimestamp(timestamp, surt)
  const members =
    member('url', line.url) +
    member('mime', line.mime) +
    member('status', line.status?.toString()) +
    member('digest', line.digest) +
    member('length', line.length?.toString()) +
    member('offset', line.offset?.toString()) +
    member('filename', line.filename) +
    Object.entries(more)
      .map(([name, value]) => member(name, value))
      .join('')
  const printed = `${surt} ${timestamp} {${members.slice(2)}}`
  if (printed.length <= lineCharsMax) return printed
  throw new IndexLineError('index-line-too-long', `An index line has more than ${lineCharsMax} characters`)
}

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

/** Spaced as Python's `json.dumps` does, for the scripts that look for `"url": "`. */
function member(name: string, value: unknown): string {
  return value === undefined ? '' : `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`
}

function checkTimestamp(timestamp: string, line: string): void {
  try {
    parseTimestamp(timestamp)
  } catch (error) {
    if (error instanceof PolyhistorError) fail(line, error.message)
    throw error
  }
}

function fail(line: string, why: string): never {
  throw new IndexLineError('index-line-malformed', `Bad index line "${line.slice(0, 80)}": ${why}`)
}
