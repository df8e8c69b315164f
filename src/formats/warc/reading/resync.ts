// Finds the next place after damage where reading can go on.
//
// Only what the file has shown itself to be made of is looked for: a plain file may well hold an archived .warc.gz,
// whose members are not its own records. Candidates must prove themselves by decompressing to the start of a record.
// The source is moved to the place found, or to the end. Memory: a window of windowBytes.

import { looksLikeGzip, peekGzipMember } from '../compression/gzip-member.ts'
import { decodeZstdFrame, zstdFrameLength, zstdMagicAt } from '../compression/zstd-frame.ts'
import { WarcDamage } from '../damage.ts'
import type { ByteSource } from './byte-source.ts'
import type { RecordGrammar } from './record-grammar.ts'

export type Layout = 'plain' | 'gzip' | 'zstd'

const windowBytes = 64 * 1024
/** Enough of a gzip member to see its first bytes: a deflate block's tables take at most 300. */
const peekBytes = 2048
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08])
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** What starts here, if anything that we know. Needs four bytes, or those that the grammar asks for. */
export function layoutAt(window: Buffer, grammar: RecordGrammar): Layout | undefined {
  if (looksLikeGzip(window)) return 'gzip'
  if (zstdMagicAt(window) !== undefined) return 'zstd'
  return grammar.startsRecord(window) ? 'plain' : undefined
}

/** False: no further record. `layouts`: what to look for. */
export async function resync(
  source: ByteSource,
  grammar: RecordGrammar,
  layouts: readonly Layout[],
  dictionary?: Buffer,
): Promise<boolean> {
  for (;;) {
    const filled = await source.fill(windowBytes)
    const index = nextCandidate(source.window, grammar, layouts)
    if (index < 0) {
      // The last bytes may be the start of a magic number.
      source.consume(filled ? source.window.length - 8 : source.window.length)
      if (!filled) return false
      continue
    }
    source.consume(index)
    await source.fill(windowBytes)
    if (isRecordStart(source.window, grammar, dictionary)) return true
    source.stepOver(zstdMagicAt(source.window) === 'frame' ? windowBytes : peekBytes)
  }
}

function nextCandidate(window: Buffer, grammar: RecordGrammar, layouts: readonly Layout[]): number {
  const found = layouts.map((layout) => findLayout(window, grammar, layout)).filter((index) => index >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

function findLayout(window: Buffer, grammar: RecordGrammar, layout: Layout): number {
  if (layout === 'gzip') return window.indexOf(gzipMagic)
  return layout === 'zstd' ? window.indexOf(zstdMagic) : grammar.find(window)
}

function isRecordStart(window: Buffer, grammar: RecordGrammar, dictionary: Buffer | undefined): boolean {
  switch (layoutAt(window, grammar)) {
    case 'plain':
      return true
    case 'gzip':
      return grammar.startsRecord(peekGzipMember(window.subarray(0, peekBytes)))
    case 'zstd':
      return isRecordFrame(window, grammar, dictionary)
    case undefined:
      return false
  }
}

function isRecordFrame(window: Buffer, grammar: RecordGrammar, dictionary: Buffer | undefined): boolean {
  try {
    const length = zstdFrameLength(window)
    // A frame that is larger than the window is believed from its header.
    if (length === undefined) return true
    return grammar.startsRecord(decodeZstdFrame(window.subarray(0, length), 1 << 22, dictionary))
  } catch (error) {
    if (error instanceof WarcDamage) return error.code === 'warc-too-large'
    throw error
  }
}
