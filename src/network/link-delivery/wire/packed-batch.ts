// Packed batch: links as they travel, each section compressed against what the two peers told each other before.
//
// Invariants: unpacking takes memory within limits, whatever the bytes say, and the same content has the same id however it
// was packed.

import { hash } from 'node:crypto'
import { constants, zstdDecompressSync } from 'node:zlib'
import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import type { Compressor } from '../../../platform/compressor.ts'
import { otherVersion, tooLarge } from '../exchange-error.ts'
import { type History, historyIdBytes } from './history.ts'
import type { Sections } from './link-coding.ts'

const version = 2
/** With mentions: who does not know them yet says so, and the batch waits until it does. */
const versionWithMentions = 3
/** Measured (bench/results/exchange.md): a large batch has time to be packed well, 10 µs a link for 0.6 bytes less than at level 12. A
 * small one gains little by it, and would take six times as long to look through the history. */
const levels = { large: 16, small: 6 }
const largeBytes = 16 * 1024
export const sectionBytesMax = 1024 * 1024
const noBytes = new Uint8Array()
const contentIdBytes = 8
// 2^20 bytes: no frame of ours needs a larger window, and a foreign one may not make us take one.
const windowLogMax = 20
const tooLargeCodes = new Set(['ERR_BUFFER_TOO_LARGE', 'ZSTD_error_frameParameter_windowTooLarge'])

/** What every zstd frame begins with: not sent. */
const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Asks for the receiver's arc. */
const wantsArcFlag = 1

export interface UnpackedBatch {
  readonly sections: Sections
  readonly history: History
  readonly wantsArc: boolean
}

export async function packBatch(
  compressor: Compressor,
  sections: Sections,
  options: { history: History; wantsArc: boolean },
): Promise<Uint8Array> {
  const { history, wantsArc } = options
  const { mentions } = sections
  const [figures, text, mentioned] = await Promise.all([
    zip(compressor, sections.figures, history.figuresDictionary),
    zip(compressor, sections.text, history.textDictionary),
    mentions && zip(compressor, mentions, history.mentionsDictionary),
  ])
  const writer = new MessageWriter().byte(mentioned === undefined ? version : versionWithMentions)
  if (mentioned !== undefined) writer.bytes(mentioned)
  return writer
    .byte(wantsArc ? wantsArcFlag : 0)
    .hex(history.id)
    .number(figures.length)
    .number(sections.hexes.length)
    .fixed(figures)
    .fixed(sections.hexes)
    .fixed(text)
    .finish()
}

/** `historyOf` throws when it does not know the history. */
export function unpackBatch(bytes: Uint8Array, historyOf: (id: string) => History): UnpackedBatch {
  const reader = new MessageReader(bytes)
  const written = reader.byte()
  if (written !== version && written !== versionWithMentions) throw otherVersion('A batch of links')
  const mentioned = written === versionWithMentions ? reader.bytes(sectionBytesMax) : undefined
  const flags = reader.byte()
  const history = historyOf(reader.hex(historyIdBytes))
  const figuresLength = reader.count()
  const hexesLength = reader.count()
  if (hexesLength > sectionBytesMax) throw tooLarge('of its hex digits')
  const figures = unzip(reader.fixed(figuresLength), history.figuresDictionary)
  const hexes = reader.fixed(hexesLength)
  const text = unzip(reader.rest(), history.textDictionary)
  const mentions = mentioned && { mentions: unzip(mentioned, history.mentionsDictionary) }
  return { sections: { figures, text, hexes, ...mentions }, history, wantsArc: (flags & wantsArcFlag) !== 0 }
}

/** What a batch is known by. */
export function contentIdOf({ figures, text, hexes, mentions = noBytes }: Sections): string {
  const lengths = `${figures.length} ${text.length} ${mentions.length > 0 ? `${mentions.length} ` : ''}`
  return hash('sha256', Buffer.concat([Buffer.from(lengths), figures, text, mentions, hexes]), 'hex').slice(
    0,
    2 * contentIdBytes,
  )
}

async function zip(compressor: Compressor, bytes: Uint8Array, dictionary: Uint8Array): Promise<Uint8Array> {
  const level = bytes.length >= largeBytes ? levels.large : levels.small
  const frame = await compressor.zstd(bytes, level, dictionary)
  return frame.subarray(frameStart.length)
}

function unzip(bytes: Uint8Array, dictionary: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(Buffer.concat([frameStart, bytes]), {
      maxOutputLength: sectionBytesMax,
      params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
      dictionary: Buffer.from(dictionary.buffer, dictionary.byteOffset, dictionary.byteLength),
    })
  } catch (error) {
    if (tooLargeCodes.has((error as NodeJS.ErrnoException).code ?? ''))
      throw tooLarge(`a section has more than ${sectionBytesMax} bytes`)
    throw new MessageMalformed('it cannot be unpacked', error)
  }
}
