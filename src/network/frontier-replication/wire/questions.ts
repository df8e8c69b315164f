// What peers ask each other about sites, as bytes. Every list has a bound; entries are compressed.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { SiteId, SitePiece, Value } from '../site-frontier.ts'
import type { Stage } from '../stage.ts'
import type { HoldingAnswer, JobCard, Load, Parcel, ParcelAnswer, Question, RecallAnswer } from './parcel.ts'

const kinds = ['ship', 'recall', 'fetch', 'jobs', 'holdings'] as const
const answerKinds = ['taken', 'behind', 'superseded', 'later'] as const
const holdingAnswers: readonly HoldingAnswer[] = ['keep', 'drop', 'coming']
/** In one message. */
export const sitesMax = 500
const jobsMax = 1_000
const jobIdBytes = 10
const optionsBytesMax = 4e6
/** A key of an index has no room for more. */
const nameBytesMax = 1_800
const valueBytesMax = 4e6
/** Of what is in a message, before it was compressed. */
const bytesMax = 32e6
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function writeQuestion(question: Question): Uint8Array {
  const head = Uint8Array.of(kinds.indexOf(question.kind))
  const writer = new MessageWriter()
  switch (question.kind) {
    case 'ship':
      writeJobs(writer, question.jobs)
      writer.number(question.parcels.length)
      for (const parcel of question.parcels) writeParcel(writer, parcel)
      return Buffer.concat([head, zstdCompressSync(writer.finish(), zstdOptions)])
    case 'recall':
      writer.number(question.sites.length)
      for (const { site, epoch } of question.sites) writer.fixed(ringKeyToBytes(site)).number(epoch)
      break
    case 'fetch':
      writeStage(writer.fixed(ringKeyToBytes(question.site)), question.stage)
      writeLatin(writer, question.from ?? '')
      break
    case 'jobs':
      writer.number(question.ids.length)
      for (const id of question.ids) writer.hex(id)
      break
    case 'holdings':
      writer.number(question.sites.length)
      for (const { site, stage } of question.sites) writeStage(writer.fixed(ringKeyToBytes(site)), stage)
  }
  return Buffer.concat([head, writer.finish()])
}

export function readQuestion(bytes: Uint8Array): Question {
  const kind = kinds[bytes[0] ?? -1]
  if (kind === undefined) throw new MessageMalformed('no such question about sites')
  if (kind === 'ship') return readShip(new MessageReader(inflated(bytes.subarray(1))))
  const reader = new MessageReader(bytes.subarray(1))
  switch (kind) {
    case 'recall':
      return { kind, sites: readList(reader, () => ({ site: readSite(reader), epoch: reader.counter() })) }
    case 'fetch': {
      const site = readSite(reader)
      const stage = readStage(reader)
      return { kind, site, stage, from: readLatin(reader, nameBytesMax) || undefined }
    }
    case 'jobs':
      return { kind, ids: Array.from({ length: reader.number(jobsMax) }, () => reader.hex(jobIdBytes)) }
    case 'holdings':
      return {
        kind,
        sites: readList(reader, () => ({ site: readSite(reader), stage: readStage(reader) })),
      }
  }
}

function readShip(reader: MessageReader): Question {
  const jobs = readJobCards(reader)
  return { kind: 'ship', jobs, parcels: readList(reader, () => readParcel(reader)) }
}

export function writeParcelAnswers(answers: readonly ParcelAnswer[]): Uint8Array {
  const writer = new MessageWriter()
  for (const answer of answers) {
    writer.byte(answerKinds.indexOf(answer.kind))
    if (answer.kind === 'superseded') writer.number(answer.epoch)
  }
  return writer.finish()
}

export function readParcelAnswers(bytes: Uint8Array, count: number): ParcelAnswer[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: count }, () => {
    const kind = answerKinds[reader.byte()]
    if (kind === undefined) throw new MessageMalformed('no such answer to a parcel')
    return kind === 'superseded' ? { kind, epoch: reader.counter() } : { kind }
  })
}

export function writeRecallAnswers(answers: readonly RecallAnswer[]): Uint8Array {
  const writer = new MessageWriter()
  for (const answer of answers) {
    if (answer === 'superseded') writer.byte(2)
    else if (answer === 'later') writer.byte(3)
    else {
      writer.byte(answer.stage === undefined ? 0 : 1)
      if (answer.stage !== undefined) writeStage(writer, answer.stage)
      writer.number(answer.established)
    }
  }
  return writer.finish()
}

export function readRecallAnswers(bytes: Uint8Array, count: number): RecallAnswer[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: count }, () => {
    const kind = reader.byte()
    if (kind === 2) return 'superseded'
    if (kind === 3) return 'later'
    const stage = kind === 1 ? readStage(reader) : undefined
    return { stage, established: reader.counter() }
  })
}

export function writePiece({ entries, next }: SitePiece): Uint8Array {
  const writer = new MessageWriter()
  writeEntries(writer, entries)
  writeLatin(writer, next ?? '')
  return zstdCompressSync(writer.finish(), zstdOptions)
}

export function readPiece(bytes: Uint8Array): SitePiece {
  const reader = new MessageReader(inflated(bytes))
  const entries = readEntries(reader).map(([name, value]) => [name, value as Uint8Array] as const)
  return { entries, next: readLatin(reader, nameBytesMax) || undefined }
}

export function writeJobCards(jobs: readonly JobCard[]): Uint8Array {
  const writer = new MessageWriter()
  writeJobs(writer, jobs)
  return writer.finish()
}

export function readJobs(bytes: Uint8Array): JobCard[] {
  return readJobCards(new MessageReader(bytes))
}

export function writeHoldingAnswers(answers: readonly HoldingAnswer[]): Uint8Array {
  return Uint8Array.from(answers, (answer) => holdingAnswers.indexOf(answer))
}

export function readHoldingAnswers(bytes: Uint8Array, count: number): HoldingAnswer[] {
  return Array.from({ length: count }, (_, index) => holdingAnswers[bytes[index] ?? 0] ?? 'keep')
}

function writeJobs(writer: MessageWriter, jobs: readonly JobCard[]): void {
  writer.number(jobs.length)
  for (const { id, options } of jobs) writer.hex(id).text(JSON.stringify(options))
}

function readJobCards(reader: MessageReader): JobCard[] {
  return Array.from({ length: reader.number(jobsMax) }, () => ({
    id: reader.hex(jobIdBytes),
    options: asJobOptions(reader.text(optionsBytesMax)),
  }))
}

export function asJobOptions(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    throw new MessageMalformed('a job that cannot be read', error)
  }
  throw new MessageMalformed('a job without options')
}

function writeParcel(writer: MessageWriter, parcel: Parcel): void {
  const { site, epoch, since, established, load, entries } = parcel
  writer.fixed(ringKeyToBytes(site)).number(epoch).number(since).number(established)
  writeLoad(writer, load)
  writeEntries(writer, entries)
}

function readParcel(reader: MessageReader): Parcel {
  const site = readSite(reader)
  const [epoch, since, established] = [reader.counter(), reader.counter(), reader.counter()]
  const load = readLoad(reader)
  return { site, epoch, since, established, load, entries: readEntries(reader) }
}

function writeLoad(writer: MessageWriter, load: Load): void {
  if (load.kind === 'changes') {
    writeStage(writer.byte(0), load.after)
    writeStage(writer, load.upTo)
    return
  }
  writer
    .byte(load.upTo === undefined ? 1 : 2)
    .number(load.copy)
    .number(load.index)
  if (load.upTo !== undefined) writeStage(writer, load.upTo)
}

function readLoad(reader: MessageReader): Load {
  const kind = reader.byte()
  if (kind === 0) return { kind: 'changes', after: readStage(reader), upTo: readStage(reader) }
  const [copy, index] = [reader.number(), reader.counter()]
  return { kind: 'copy', copy, index, upTo: kind === 2 ? readStage(reader) : undefined }
}

function writeEntries(writer: MessageWriter, entries: Parcel['entries']): void {
  writer.number(entries.length)
  for (const [name, value] of entries) {
    writeLatin(writer, name)
    if (value === null) writer.number(0)
    else
      writer.number(value.length + 1).fixed(typeof value === 'string' ? Buffer.from(value, 'latin1') : value)
  }
}

function readEntries(reader: MessageReader): (readonly [string, Uint8Array | null])[] {
  return Array.from({ length: reader.count() }, () => {
    const name = readLatin(reader, nameBytesMax)
    const length = reader.number(valueBytesMax + 1)
    return [name, length === 0 ? null : reader.copy(length - 1)] as const
  })
}

function writeLatin(writer: MessageWriter, text: string): void {
  writer.bytes(Buffer.from(text, 'latin1'))
}

function readLatin(reader: MessageReader, lengthMax: number): string {
  return reader.bytes(lengthMax).toString('latin1')
}

function writeStage(writer: MessageWriter, { epoch, sequence }: Stage): void {
  writer.number(epoch).number(sequence)
}

function readStage(reader: MessageReader): Stage {
  return { epoch: reader.counter(), sequence: reader.counter() }
}

function readSite(reader: MessageReader): SiteId {
  return ringKeyFromBytes(reader.fixed(ringKeyBytes))
}

function readList<T>(reader: MessageReader, read: () => T): T[] {
  return Array.from({ length: reader.number(sitesMax) }, read)
}

function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    throw new MessageMalformed('it cannot be decompressed', error)
  }
}

export function bytesOf(value: Value | null): number {
  return value?.length ?? 0
}
