// CDXJ: an index line as `surt SP timestamp SP {json}`, the format that we write.
//
// Values are read as strings or numbers, for both are found, and written as strings, as pywb does. Fields that
// we do not know are kept and written again. A written line has no line end in it and reads back as the same
// record. Neither way has a line more than lineCharsMax characters.

import {
  checkedIndexLine,
  checkedKey,
  checkedTimestamp,
  checkLineLength,
  fail,
  type IndexLine,
} from './index-line.ts'

/** Throws IndexLineError. */
export function parseCdxjLine(line: string): IndexLine {
  checkLineLength(line)
  const keyEnd = line.indexOf(' ')
  const timestampEnd = line.indexOf(' ', keyEnd + 1)
  if (keyEnd === -1 || timestampEnd === -1) fail(line, 'it must be a key, a timestamp and JSON')
  // Rest syntax copies even a field called `__proto__` as plain data.
  const { url, mime, status, digest, length, offset, filename, ...more } = parseObject(line, timestampEnd + 1)
  const surt = line.slice(0, keyEnd)
  const timestamp = line.slice(keyEnd + 1, timestampEnd)
  const known = { surt, timestamp, url, mime, status, digest, length, offset, filename }
  return checkedIndexLine(hasFields(more) ? { ...known, more } : known, line)
}

/** Without a line end. With `numbers`, numbers are written as such, as in the CDXJ draft. Throws IndexLineError. */
export function printCdxjLine(line: IndexLine, options: { readonly numbers?: boolean } = {}): string {
  const number = (value: number | undefined) =>
    options.numbers || value === undefined ? value : String(value)
  const members =
    member('url', line.url) +
    member('mime', line.mime) +
    member('status', number(line.status)) +
    member('digest', line.digest) +
    member('length', number(line.length)) +
    member('offset', number(line.offset)) +
    member('filename', line.filename) +
    Object.entries(line.more ?? {})
      .map(([name, value]) => member(name, value))
      .join('')
  const surt = checkedKey(line.surt, line.surt)
  const printed = `${surt} ${checkedTimestamp(line.timestamp, surt)} {${members.slice(2)}}`
  checkLineLength(printed)
  return printed
}

/** Spaced as Python's `json.dumps` does, for the scripts that look for `"url": "`. */
function member(name: string, value: unknown): string {
  return value === undefined ? '' : `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`
}

function parseObject(line: string, start: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line.slice(start))
  } catch {
    fail(line, 'its JSON cannot be read')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail(line, 'its JSON must be an object')
  return value as Record<string, unknown>
}

function hasFields(object: object): boolean {
  for (const _ in object) return true
  return false
}
