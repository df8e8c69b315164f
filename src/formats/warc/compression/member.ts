// Opens the gzip member or zstd frame at the source's position: in one piece when it is small, else as a stream.
//
// In one piece is much faster, and most records are small; but how large a member is shows only when it has been
// decompressed. So it is tried with what is at hand, and tried again with more, up to the limit. Damage has offset 0.

import { WarcDamage } from '../damage.ts'
import type { ByteSource } from '../reading/byte-source.ts'
import { headBytesMax } from '../record-head.ts'
import { type DecodedMember, decodeGzipMember } from './gzip-member.ts'
import { decompressFrame, inflateMember } from './member-stream.ts'
import { decodeZstdFrame, zstdFrameLength } from './zstd-frame.ts'

/** Enough for most records at once. */
const firstBytes = 16 * 1024

type Member =
  /** Still in the source's window: `length` bytes of it. */
  | { kind: 'whole'; bytes: Buffer; length: number }
  /** The source moves as the chunks are read. */
  | { kind: 'stream'; chunks: AsyncIterable<Buffer> }

export async function openMember(
  source: ByteSource,
  layout: 'gzip' | 'zstd',
  blockBytesBuffered: number,
  dictionary: Buffer | undefined,
): Promise<Member> {
  const lengthMax = blockBytesBuffered + headBytesMax
  for (let wanted = firstBytes; ; wanted = Math.max(wanted, source.window.length) * 2) {
    const filled = await source.fill(wanted)
    const member = tryWhole(source.window, layout, lengthMax, dictionary, !filled)
    if (member === 'too large' || (member === 'unfinished' && source.window.length > lengthMax)) {
      const chunks = layout === 'gzip' ? inflateMember(source) : decompressFrame(source, dictionary)
      return { kind: 'stream', chunks }
    }
    if (member !== 'unfinished') return { kind: 'whole', ...member }
  }
}

/** `isAll`: no more bytes will come, so that an unfinished member is damage. */
function tryWhole(
  window: Buffer,
  layout: 'gzip' | 'zstd',
  lengthMax: number,
  dictionary: Buffer | undefined,
  isAll: boolean,
): DecodedMember | 'unfinished' | 'too large' {
  try {
    return layout === 'gzip'
      ? decodeGzipMember(window, lengthMax)
      : decodeFrame(window, lengthMax, dictionary)
  } catch (error) {
    if (!(error instanceof WarcDamage)) throw error
    if (error.code === 'warc-too-large') return 'too large'
    if (error.code === 'warc-truncated-member' && !isAll) return 'unfinished'
    throw error
  }
}

function decodeFrame(window: Buffer, lengthMax: number, dictionary: Buffer | undefined): DecodedMember {
  const length = zstdFrameLength(window)
  if (length === undefined) {
    throw new WarcDamage('warc-truncated-member', 0, 'the bytes end within a zstd frame')
  }
  try {
    return { bytes: decodeZstdFrame(window.subarray(0, length), lengthMax, dictionary), length }
  } catch (error) {
    throw error instanceof WarcDamage ? error.at(0, length) : error
  }
}
