// The head of a record: version line, fields, empty line.
//
// Reading gives a WarcDamage for whatever leaves the record's extent or identity in doubt, and a warning for the
// rest. Writing refuses a field that could smuggle in another line.

import { isUtf8 } from 'node:buffer'
import { type FieldList, fieldFault, parseFieldLines } from '../http/field-list.ts'
import { WarcDamage, WarcRefusal, type WarcWarning } from './damage.ts'

/** A head larger than this is damage. Real ones are under 4 kB; long target URIs make the rest. */
export const headBytesMax = 160 * 1024

export interface WarcHead {
  version: string
  fields: FieldList
  blockLength: number
  warnings: WarcWarning[]
}

const versionPattern = /^WARC\/(\d{1,3}\.\d{1,3})[ \t]*(\r*)$/
const lengthPattern = /^\d{1,16}$/
/** WARC-Record-ID is mandatory as well, but tools have left it out, and nothing of the record is in doubt without. */
const mandatoryFields = ['WARC-Type', 'WARC-Date', 'Content-Length']

/** `bytes`: a head with its empty line. `offset`: where it stands, for the damage. */
export function parseHead(bytes: Buffer, offset: number): WarcHead {
  // The specification says UTF-8; old files hold whatever the server sent.
  const text = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
  const versionEnd = text.indexOf('\n')
  const version = versionPattern.exec(text.slice(0, versionEnd))
  if (version === null) {
    const line = JSON.stringify(text.slice(0, Math.min(versionEnd, 80)))
    throw new WarcDamage('warc-bad-version', offset, `no WARC version line but ${line}`)
  }
  const { fields, badLine } = parseFieldLines(text, versionEnd + 1)
  if (badLine !== undefined) {
    const line = JSON.stringify(badLine.slice(0, 80))
    throw new WarcDamage('warc-bad-head-line', offset, `head line without a name: ${line}`)
  }
  const blockLength = checkFields(fields, offset)
  const warnings: WarcWarning[] = []
  if (version[2] === '') warnings.push('line-feed-only')
  if (!version[1]!.startsWith('1.')) warnings.push('old-version')
  if (fields.get('WARC-Target-URI')?.startsWith('<')) warnings.push('bracketed-target-uri')
  return { version: version[1]!, fields, blockLength, warnings }
}

function checkFields(fields: FieldList, offset: number): number {
  for (const name of mandatoryFields) {
    if (!fields.has(name)) throw new WarcDamage('warc-missing-field', offset, `head lacks ${name}`)
  }
  const lengths = new Set(fields.getAll('Content-Length'))
  const [length] = lengths
  const value = lengths.size === 1 && lengthPattern.test(length!) ? Number(length) : Number.NaN
  if (!Number.isSafeInteger(value)) {
    const text = JSON.stringify([...lengths].join(', ').slice(0, 80))
    throw new WarcDamage('warc-bad-content-length', offset, `Content-Length is ${text}`)
  }
  return value
}

/** Text of a head with its empty line. Content-Length is added when the fields lack it. */
export function printHead(version: string, fields: FieldList, blockLength: number): string {
  if (!/^1\.[01]$/.test(version)) throw new WarcRefusal('warc-bad-field', `we do not write WARC/${version}`)
  let text = `WARC/${version}\r\n`
  let lengthSeen = false
  for (const [name, value] of fields) {
    const fault = fieldFault(name, value)
    if (fault !== undefined) throw new WarcRefusal('warc-bad-field', fault)
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      lengthSeen = true
      if (value !== String(blockLength)) {
        throw new WarcRefusal(
          'warc-bad-length',
          `Content-Length ${value}, but the block has ${blockLength} bytes`,
        )
      }
    }
    text += `${name}: ${value}\r\n`
  }
  return lengthSeen ? `${text}\r\n` : `${text}Content-Length: ${blockLength}\r\n\r\n`
}
