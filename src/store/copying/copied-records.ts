// The records of a capture that came from elsewhere, read: one capture with what belongs to it, and every byte as its digests say.

import { WarcDamage } from '../../formats/warc/damage.ts'
import { type DecodedRecord, decodeRecord } from '../../formats/warc/reading/record-decoding.ts'
import { typeOf } from '../../formats/warc/record.ts'
import { isCompanion, type RecordGroup } from '../import/pairing.ts'
import { type ReadRecord, readInMemory } from '../import/read-record.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'

interface CopiedRecords {
  group: RecordGroup
  /** Of the main record, as it came. */
  mainBytes: number
}

interface CopyReadOptions {
  /** For the records, which are gone when it is used again. */
  memory?: Buffer
  /** False: the caller checks the digests itself. */
  isJudged?: boolean
}

/** Throws WarcDamage. */
export function readCopy(
  bytes: Uint8Array,
  { memory, isJudged = true }: CopyReadOptions = {},
): CopiedRecords {
  const read: ReadRecord[] = []
  let mainBytes = 0
  let room = memory
  for (let at = 0; at < bytes.length; ) {
    const record = decodeRecord(bytes.subarray(at), { dictionary: recordDictionary, memory: room })
    room = room && behind(room, record.block)
    if (at === 0) mainBytes = record.length
    read.push(isJudged ? readInMemory(record, at) : unjudged(record, at))
    at += record.length
  }
  return { group: groupOf(read), mainBytes }
}

function unjudged({ fields, block }: DecodedRecord, offset: number): ReadRecord {
  const verdicts = { block: 'not judged', payload: 'not judged' } as const
  return { fields, block, offset, verdicts, discard: async () => {} }
}

/** What of the memory is left, where the bytes are in it. */
function behind(memory: Buffer, { buffer, byteOffset, length }: Uint8Array): Buffer {
  return buffer === memory.buffer ? memory.subarray(byteOffset - memory.byteOffset + length) : memory
}

/** The main one first. */
export function groupOf([main, ...companions]: ReadRecord[]): RecordGroup {
  if (main === undefined || isCompanion(main))
    throw new WarcDamage('warc-not-a-record', 0, 'a copy without a capture')
  const group: RecordGroup = { main }
  for (const record of companions) {
    const place = typeOf(record) === 'request' ? 'request' : 'metadata'
    if (!isCompanion(record) || group[place] !== undefined) {
      throw new WarcDamage('warc-not-a-record', record.offset, 'a copy of more than one capture')
    }
    group[place] = record
  }
  return group
}

/** A payload that comes with it must be told, and right. What revisits and deltas stand for is judged with what they rest on. */
export function checkDigests(main: ReadRecord): void {
  const isPointer = typeOf(main) === 'revisit'
  const { payload, block } = main.verdicts
  if (payload === 'mismatch' && !isPointer) throw wrong(main, 'payload')
  if (block === 'mismatch') throw wrong(main, 'block')
  if (!isPointer && payload !== 'match') throw wrong(main, 'payload')
}

function wrong({ offset }: ReadRecord, what: string): WarcDamage {
  return new WarcDamage('warc-digest-mismatch', offset, `the ${what} of a copy does not have its digest`)
}
