// Reads one uncompressed record from a source: a plain file, or what a member decompresses to.
//
// A small block is read whole before the record is given out; of a large one only the head. Nothing is used up of a
// record that turns out damaged, so that the search for the next one starts right behind its first byte.
// Memory: never more than headBytesMax + the block limit, whatever Content-Length says. Damage has offset 0.

import { bufferView } from '../../wire/buffer-view.ts'
import { WarcDamage } from '../damage.ts'
import { checkDigests } from '../digest-check.ts'
import type { WarcRecord } from '../record.ts'
import { headBytesMax, parseHead, type WarcHead } from '../record-head.ts'
import type { ByteSource } from './byte-source.ts'
import { blockTruncation, headDamage, recordEndLength } from './record-decoding.ts'
import type { PlainRecord } from './record-grammar.ts'

export async function readPlainRecord(source: ByteSource, blockBytesBuffered: number): Promise<PlainRecord> {
  const headLength = await findHead(source)
  const head = parseHead(source.window.subarray(0, headLength), 0)
  if (head.blockLength <= blockBytesBuffered) return readWhole(source, head, headLength)
  source.consume(headLength)
  return { kind: 'head', head }
}

/** Length of the head. Stops at the first line that cannot belong to one: a file full of version lines must not have
 * each of them read on for the whole limit. */
async function findHead(source: ByteSource): Promise<number> {
  let lineStart = 0
  for (;;) {
    const lineFeed = source.window.indexOf(0x0a, lineStart)
    if (lineFeed >= headBytesMax || (lineFeed < 0 && source.window.length >= headBytesMax)) break
    if (lineFeed < 0) {
      if (!couldStartRecord(source.window) || !(await source.fill(source.window.length + 1))) break
      continue
    }
    const { window } = source
    if (isEmpty(window, lineStart, lineFeed)) return lineFeed + 1
    if (lineStart > 0 && !couldBeField(window, lineStart, lineFeed)) {
      const line = JSON.stringify(window.toString('latin1', lineStart, Math.min(lineFeed, lineStart + 80)))
      throw new WarcDamage('warc-bad-head-line', 0, `head line without a name: ${line}`)
    }
    lineStart = lineFeed + 1
  }
  throw headDamage(source.window)
}

function isEmpty(window: Buffer, start: number, end: number): boolean {
  let at = start
  while (at < end && window[at] === 0x0d) at++
  return at === end
}

function couldStartRecord(window: Buffer): boolean {
  return 'WARC/'.startsWith(window.toString('latin1', 0, 5))
}

function couldBeField(window: Buffer, start: number, end: number): boolean {
  const first = window[start]
  if (first === 0x20 || first === 0x09) return true
  const colon = window.indexOf(0x3a, start)
  return colon > start && colon < end
}

async function readWhole(source: ByteSource, head: WarcHead, headLength: number): Promise<PlainRecord> {
  const blockEnd = headLength + head.blockLength
  await source.fill(blockEnd + 16)
  const { window } = source
  if (window.length < blockEnd) throw blockTruncation(head.blockLength, window.length - headLength)
  const { version, fields, warnings } = head
  const record = { version, fields, block: window.subarray(headLength, blockEnd) }
  const endLength = recordEndLength(window, blockEnd)
  if (endLength < 4) {
    if (swallowsAnother(record, window.subarray(blockEnd + endLength))) {
      throw new WarcDamage('warc-bad-content-length', 0, 'block runs on into another record')
    }
    warnings.push('missing-record-end')
  }
  source.consume(blockEnd + endLength)
  return { kind: 'whole', record, warnings }
}

/** Whether a record that is not closed properly has taken in the start of the next, so that its length must be wrong.
 * A digest that fits proves the length right: then the block is itself of WARC. */
function swallowsAnother(record: WarcRecord, rest: Buffer): boolean {
  if (rest.length === 0 || rest.toString('latin1', 0, 5) === 'WARC/') return false
  return bufferView(record.block).includes('\nWARC/1.') && checkDigests(record).block !== 'match'
}
