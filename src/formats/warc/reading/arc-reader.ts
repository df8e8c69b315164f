// Reads ARC files, version 1 and 2: what archives were written in before WARC. Reading only.
//
// A record is one line (URL, IP address, date, media type, …, length), then the block, then a line feed; `.arc.gz` has
// a member per record. Records come out as WARC records would: a `response` if the block is HTTP, else a `resource`;
// the file's own description as `warcinfo`. Record ids are derived from the line and the date, for ARC has none: the
// same record always gets the same id.

import { hash } from 'node:crypto'
import { type Field, FieldList } from '../../http/field-list.ts'
import { WarcDamage } from '../damage.ts'
import { httpResponseType, type WarcType } from '../record.ts'
import type { WarcHead } from '../record-head.ts'
import type { ByteSource } from './byte-source.ts'
import { ArchiveReader, type ReadOptions, type WarcItem } from './reader.ts'
import { blockTruncation, recordEndLength } from './record-decoding.ts'
import type { PlainRecord, RecordGrammar } from './record-grammar.ts'

const lineBytesMax = 96 * 1024
// URL SP address SP date SP type SP (five more in version 2) SP length. Old URLs have spaces in them.
const linePattern =
  /^([a-zA-Z][a-zA-Z0-9+.-]*:[^\r\n]{0,65536}?) ([0-9a-fA-F.:]{1,45}|-) (\d{10,17}) ([^ \r\n]{1,255})(?: [^ \r\n]{1,4096}){0,6}? (\d{1,16})\r?\n/

/** Where it is not known whether a line starts, the rest of a line (`ttp://…`) must not be taken for one. */
const knownSchemes = /^(?:https?|ftp|dns|filedesc|whois):/i

/** As readWarc, for ARC. */
export function readArc(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<WarcItem> {
  return new ArchiveReader(chunks, arcGrammar, options).items()
}

const arcGrammar: RecordGrammar = {
  peekBytes: lineBytesMax,
  endLength: 1,
  startsRecord: (bytes) => lineIn(bytes) !== undefined,
  find(window) {
    for (let start = 0; start >= 0 && start < window.length; ) {
      const isLineStart = start > 0 || knownSchemes.test(window.toString('latin1', 0, 16))
      if (isLineStart && lineIn(window.subarray(start)) !== undefined) return start
      const lineFeed = window.indexOf(0x0a, start)
      start = lineFeed < 0 ? -1 : lineFeed + 1
    }
    return -1
  },
  read,
  parseSole: () => undefined,
}

interface ArcLine {
  url: string
  address: string
  date: string
  mediaType: string
  blockLength: number
  length: number
}

function lineIn(bytes: Buffer): ArcLine | undefined {
  const lineFeed = bytes.subarray(0, lineBytesMax).indexOf(0x0a)
  const match = lineFeed < 0 ? null : linePattern.exec(bytes.toString('latin1', 0, lineFeed + 1))
  if (match === null) return undefined
  const [, url, address, date, mediaType, length] = match as unknown as string[]
  const blockLength = Number(length)
  if (!Number.isSafeInteger(blockLength)) return undefined
  return {
    url: url!,
    address: address!,
    date: date!,
    mediaType: mediaType!,
    blockLength,
    length: lineFeed + 1,
  }
}

/** The head of the record at the start of these bytes, as a WARC record's. */
export function arcHead(bytes: Buffer): { head: WarcHead; headBytes: number } | undefined {
  const line = lineIn(bytes)
  return line && { head: headOf(line, bytes.subarray(line.length)), headBytes: line.length }
}

async function read(source: ByteSource, blockBytesBuffered: number): Promise<PlainRecord> {
  const line = lineIn(source.window)
  if (line === undefined) throw new WarcDamage('warc-bad-head-line', 0, 'no ARC record line')
  const { blockLength, length } = line
  if (blockLength > blockBytesBuffered) {
    const blockStart = source.window.subarray(length)
    source.consume(length)
    return { kind: 'head', head: headOf(line, blockStart) }
  }
  const blockEnd = length + blockLength
  await source.fill(blockEnd + 4)
  const { window } = source
  if (window.length < blockEnd) throw blockTruncation(blockLength, window.length - length)
  const block = window.subarray(length, blockEnd)
  const { version, fields, warnings } = headOf(line, block)
  const endLength = recordEndLength(window, blockEnd)
  if (endLength === 0) warnings.push('missing-record-end')
  source.consume(blockEnd + endLength)
  return { kind: 'whole', record: { version, fields, block }, warnings }
}

function headOf(line: ArcLine, block: Buffer): WarcHead {
  const isHttp = block.toString('latin1', 0, 5) === 'HTTP/'
  const isDescription = line.url.startsWith('filedesc:')
  const type: WarcType = isDescription ? 'warcinfo' : isHttp ? 'response' : 'resource'
  const fields: Field[] = [
    ['WARC-Type', type],
    ['WARC-Record-ID', recordIdOf(line)],
    ['WARC-Date', dateOf(line.date)],
  ]
  if (isDescription) fields.push(['WARC-Filename', line.url.replace(/^filedesc:\/\//, '')])
  else fields.push(['WARC-Target-URI', line.url])
  if (line.address !== '-' && line.address !== '0.0.0.0') fields.push(['WARC-IP-Address', line.address])
  fields.push(['Content-Type', isHttp ? httpResponseType : line.mediaType])
  fields.push(['Content-Length', String(line.blockLength)])
  return { version: '1.1', fields: new FieldList(fields), blockLength: line.blockLength, warnings: [] }
}

/** 10 digits lack minutes and seconds, 12 the seconds; 17 have milliseconds. */
function dateOf(digits: string): string {
  const text = digits.padEnd(14, '0')
  const part = (start: number, length: number) => text.slice(start, start + length)
  const day = `${part(0, 4)}-${part(4, 2)}-${part(6, 2)}`
  const fraction = text.length === 17 ? `.${part(14, 3)}` : ''
  return `${day}T${part(8, 2)}:${part(10, 2)}:${part(12, 2)}${fraction}Z`
}

function recordIdOf(line: ArcLine): string {
  const { url, address, date, blockLength } = line
  const hex = hash('sha1', `arc ${url} ${address} ${date} ${blockLength}`, 'hex')
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}>`
}
