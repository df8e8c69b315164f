// What readers ask of a peer's shelf, and what it answers, as bytes.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import { timestampMsMax, timestampMsMin } from '../../../model/timestamp.ts'
import { captureKinds, type ListOptions, type ShelfCapture, type ShelfSelection } from '../shelf.ts'

export type ShelfQuestion =
  | {
      readonly kind: 'list'
      readonly selection: ShelfSelection
      readonly options: ListOptions & { readonly limit: number }
    }
  /** The capture's head and the first piece of its payload. */
  | { readonly kind: 'open'; readonly cursor: string }
  /** The first piece of the capture's records. */
  | { readonly kind: 'records'; readonly cursor: string; readonly isWhole: boolean }
  /** The piece of that number (from 1), of what has more. */
  | { readonly kind: 'piece'; readonly session: number; readonly number: number }

export interface CaptureList {
  readonly captures: readonly ShelfCapture[]
  /** There is more behind the last. */
  readonly isCut: boolean
  /** The network keeps nothing else of what was asked for, up to where this list ends. */
  readonly isComplete: boolean
}

export interface Opened {
  readonly head: Uint8Array | undefined
  readonly sizeBytes: number
  readonly piece: Uint8Array
  /** For the pieces that follow; undefined when that was all. */
  readonly session: number | undefined
}

export const listMax = 1_000
const kinds = ['list', 'open', 'piece', 'records'] as const
const selectionKinds = ['url', 'prefix', 'host', 'site', 'arc'] as const
const urlBytesMax = 64 * 1024
const cursorBytesMax = 4_096
const domainBytesMax = 253
const headBytesMax = 2 * 1024 * 1024
const mimeBytesMax = 1_024
/** Times are counted from here, so that none is negative. */
const earliestMs = Date.UTC(-1, 0)

export function writeShelfQuestion(question: ShelfQuestion): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  switch (question.kind) {
    case 'list': {
      const { selection, options } = question
      writeSelection(writer, selection)
      writer
        .number(options.limit)
        .byte(options.reverse ? 1 : 0)
        .text(options.after ?? '')
      writeTime(writer, options.fromMs)
      writeTime(writer, options.toMs)
      break
    }
    case 'open':
      writer.text(question.cursor)
      break
    case 'records':
      writer.text(question.cursor).byte(question.isWhole ? 1 : 0)
      break
    case 'piece':
      writer.number(question.session).number(question.number)
  }
  return writer.finish()
}

export function readShelfQuestion(bytes: Uint8Array): ShelfQuestion {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('no such question to a shelf')
  switch (kind) {
    case 'list': {
      const selection = readSelection(reader)
      const limit = reader.number(listMax)
      const reverse = reader.byte() === 1
      const after = reader.text(cursorBytesMax)
      const [fromMs, toMs] = [readTime(reader), readTime(reader)]
      return { kind, selection, options: { limit, reverse, after: after || undefined, fromMs, toMs } }
    }
    case 'open':
      return { kind, cursor: reader.text(cursorBytesMax) }
    case 'records':
      return { kind, cursor: reader.text(cursorBytesMax), isWhole: reader.byte() === 1 }
    case 'piece':
      return { kind, session: reader.number(), number: reader.number() }
  }
}

export function writeCaptureList({ captures, isCut, isComplete }: CaptureList): Uint8Array {
  const writer = new MessageWriter().byte((isCut ? 1 : 0) + (isComplete ? 2 : 0)).number(captures.length)
  for (const capture of captures) writeCapture(writer, capture)
  return writer.finish()
}

export function readCaptureList(bytes: Uint8Array): CaptureList {
  const reader = new MessageReader(bytes)
  const marks = reader.byte()
  const captures = Array.from({ length: reader.number(listMax) }, () => readCapture(reader))
  return { captures, isCut: (marks & 1) !== 0, isComplete: (marks & 2) !== 0 }
}

export function writeOpened({ head, sizeBytes, piece, session }: Opened): Uint8Array {
  const writer = new MessageWriter().byte(head === undefined ? 0 : 1)
  if (head !== undefined) writer.bytes(head)
  return writer
    .number(sizeBytes)
    .number(session ?? 0)
    .fixed(piece)
    .finish()
}

export function readOpened(bytes: Uint8Array): Opened {
  const reader = new MessageReader(bytes)
  const head = reader.byte() === 1 ? reader.bytes(headBytesMax) : undefined
  const sizeBytes = reader.counter()
  const session = reader.number()
  return { head, sizeBytes, session: session === 0 ? undefined : session, piece: reader.rest() }
}

/** Marks of a capture. */
const [withContent, withImporter, later, importedRevisit, heard] = [1, 2, 4, 8, 16]
const minuteMs = 60_000
/** Past what any clock says. */
const minutesMax = 2 ** 32
const importedByBytesMax = 128

function writeCapture(writer: MessageWriter, capture: ShelfCapture): void {
  const { content } = capture
  writer.text(capture.url).text(capture.surt)
  writeTime(writer, capture.capturedAtMs)
  writer.number(capture.status).text(capture.mime).byte(captureKinds.indexOf(capture.kind))
  const { importedBy, heardAtMs } = capture
  writer.byte(
    (content === undefined ? 0 : withContent) |
      (importedBy === undefined ? 0 : withImporter) |
      (capture.isLater ? later : 0) |
      (capture.isImportedRevisit ? importedRevisit : 0) |
      (heardAtMs === undefined ? 0 : heard),
  )
  if (content !== undefined) writer.fixed(content.digest.bytes).number(content.overflow)
  if (importedBy !== undefined) writer.text(importedBy)
  if (heardAtMs !== undefined) writer.number(Math.floor(heardAtMs / minuteMs))
  writer.number(capture.payloadBytes).number(capture.storedBytes).text(capture.recordId).text(capture.cursor)
}

function readCapture(reader: MessageReader): ShelfCapture {
  const url = reader.text(urlBytesMax)
  const surt = reader.text(urlBytesMax)
  const capturedAtMs = readTime(reader)
  if (capturedAtMs === undefined) throw new MessageMalformed('a capture without a time')
  const status = reader.number(999)
  const mime = reader.text(mimeBytesMax)
  const kind = captureKinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('no such kind of capture')
  const marks = reader.byte()
  const content =
    (marks & withContent) !== 0
      ? { digest: { algorithm: 'sha256' as const, bytes: reader.copy(32) }, overflow: reader.number(65_535) }
      : undefined
  const importedBy = (marks & withImporter) !== 0 ? reader.text(importedByBytesMax) : undefined
  const heardAtMs = (marks & heard) !== 0 ? reader.number(minutesMax) * minuteMs : undefined
  return {
    url,
    surt,
    capturedAtMs,
    status,
    mime,
    kind,
    content,
    payloadBytes: reader.counter(),
    storedBytes: reader.counter(),
    recordId: reader.text(64),
    ...(importedBy !== undefined && { importedBy }),
    ...((marks & later) !== 0 && { isLater: true }),
    ...((marks & importedRevisit) !== 0 && { isImportedRevisit: true }),
    ...(heardAtMs !== undefined && { heardAtMs }),
    cursor: reader.text(cursorBytesMax),
  }
}

function writeSelection(writer: MessageWriter, selection: ShelfSelection): void {
  writer.byte(selectionKinds.indexOf(selection.kind))
  switch (selection.kind) {
    case 'arc':
      writer
        .hex(selection.from)
        .hex(selection.upTo)
        .text(selection.domain ?? '')
      break
    case 'host':
      writer.text(selection.host)
      break
    case 'site':
      writer.text(selection.site)
      break
    default:
      writer.text(selection.url)
  }
}

function readSelection(reader: MessageReader): ShelfSelection {
  const kind = selectionKinds[reader.byte()]
  switch (kind) {
    case undefined:
      throw new MessageMalformed('no such selection')
    case 'arc':
      return {
        kind,
        from: readKey(reader),
        upTo: readKey(reader),
        domain: reader.text(domainBytesMax) || undefined,
      }
    case 'host':
      return { kind, host: reader.text(urlBytesMax) }
    case 'site':
      return { kind, site: reader.text(urlBytesMax) }
    default:
      return { kind, url: reader.text(urlBytesMax) }
  }
}

function readKey(reader: MessageReader): RingKey {
  return reader.hex(ringKeyBytes) as RingKey
}

function writeTime(writer: MessageWriter, timeMs: number | undefined): void {
  writer.number(timeMs === undefined ? 0 : Math.max(1, Math.floor(timeMs) - earliestMs))
}

/** Of the years that archives write. */
function readTime(reader: MessageReader): number | undefined {
  const counted = reader.number(timestampMsMax - earliestMs)
  return counted === 0 ? undefined : Math.max(timestampMsMin, counted + earliestMs)
}
