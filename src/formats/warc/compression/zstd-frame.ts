// Zstandard frames (RFC 8878), as `.warc.zst` files use them: a frame per record, and a dictionary, if any, in a
// skippable frame at the start of the file.
//
// A frame's extent is found by walking its block headers, without decompressing. Dictionary frames are those of the
// ArchiveTeam's "zstd WARC" specification: magic 0x184D2A5D, the dictionary plain or itself a zstd frame.

import assert from 'node:assert/strict'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { bufferView } from '../../wire/buffer-view.ts'
import { WarcDamage } from '../damage.ts'
import { frameAtOnce } from './frame-at-once.ts'

const zstdLevelDefault = 3
/** Frames that need a larger window are damage: 128 MiB is what zstd's own decoder takes unless told otherwise. */
export const zstdWindowLogMax = 27
/** The specification of dictionary frames sets no bound; trained dictionaries are about 100 kB. */
export const dictionaryBytesMax = 16 * 1024 * 1024

const frameMagic = 0xfd2fb528
const dictionaryFrameMagic = 0x184d2a5d
const dictionaryMagic = 0xec30a437

/** A frame of nothing. */
const emptyFrame = zstdCompressSync(Buffer.alloc(0))

type ZstdMagic = 'frame' | 'dictionary' | 'skippable'

/** What starts here; undefined when it is not zstd or fewer than four bytes are at hand. */
export function zstdMagicAt(bytes: Buffer, start = 0): ZstdMagic | undefined {
  if (bytes.length < start + 4) return undefined
  const magic = bytes.readUInt32LE(start)
  if (magic === frameMagic) return 'frame'
  if (magic === dictionaryFrameMagic) return 'dictionary'
  return magic >= 0x184d2a50 && magic <= 0x184d2a5f ? 'skippable' : undefined
}

/** How far a walk over a frame has come. */
interface FrameWalk {
  /** Bytes of the frame that are certain so far: header, then whole blocks, then the checksum. */
  length: number
  state: 'header' | 'blocks' | 'checksum' | 'end'
  hasChecksum: boolean
}

export function startFrameWalk(): FrameWalk {
  return { length: 0, state: 'header', hasChecksum: false }
}

/** Takes the walk on over one part of the frame. `bytes` starts where `walk.length` points. False: needs more bytes
 * than the header of the next part, at most 14. */
export function stepFrameWalk(walk: FrameWalk, bytes: Buffer): boolean {
  switch (walk.state) {
    case 'header': {
      const length = frameHeaderLength(bytes)
      if (length === undefined) return false
      walk.hasChecksum = (bytes[4]! & 0x04) !== 0
      walk.length = length
      walk.state = 'blocks'
      return true
    }
    case 'blocks': {
      if (bytes.length < 3) return false
      const header = bytes.readUIntLE(0, 3)
      const type = (header >> 1) & 3
      const size = header >> 3
      if (type === 3 || size > 128 * 1024) {
        throw new WarcDamage('warc-bad-compression', 0, 'zstd frame has a block of a reserved type or size')
      }
      // A block of type 1 is one byte to be repeated.
      walk.length += 3 + (type === 1 ? 1 : size)
      if (header & 1) walk.state = walk.hasChecksum ? 'checksum' : 'end'
      return true
    }
    case 'checksum':
      walk.length += 4
      walk.state = 'end'
      return true
    case 'end':
      return false
  }
}

function frameHeaderLength(bytes: Buffer): number | undefined {
  const descriptor = bytes[4]
  if (descriptor === undefined) return undefined
  if (descriptor & 0x08) throw new WarcDamage('warc-bad-compression', 0, 'zstd frame has a reserved bit set')
  const singleSegment = (descriptor & 0x20) !== 0
  const contentSizeLength = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  const dictionaryIdLength = [0, 1, 2, 4][descriptor & 3]!
  const length = 5 + (singleSegment ? 0 : 1) + dictionaryIdLength + contentSizeLength
  return bytes.length < length ? undefined : length
}

/** Length of the frame at the start of `bytes`, or undefined when they end within it. */
export function zstdFrameLength(bytes: Buffer): number | undefined {
  const walk = startFrameWalk()
  while (walk.state !== 'end') {
    if (!stepFrameWalk(walk, bytes.subarray(walk.length))) return undefined
  }
  return walk.length <= bytes.length ? walk.length : undefined
}

/** Length of a skippable frame, its header of eight bytes included; undefined when fewer than those are at hand. */
export function skippableFrameLength(bytes: Buffer): number | undefined {
  return bytes.length < 8 ? undefined : 8 + bytes.readUInt32LE(4)
}

export interface ZstdOptions {
  level?: number | undefined
  dictionary?: Uint8Array | undefined
}

export function zstdCompressOptions(options: ZstdOptions): {
  params: Record<number, number>
  dictionary?: Buffer
} {
  const params = {
    [constants.ZSTD_c_compressionLevel]: options.level ?? zstdLevelDefault,
    [constants.ZSTD_c_checksumFlag]: 1,
  }
  return options.dictionary ? { params, dictionary: bufferView(options.dictionary) } : { params }
}

export function encodeZstdFrame(bytes: Uint8Array, options: ZstdOptions = {}): Buffer {
  return zstdCompressSync(bytes, zstdCompressOptions(options))
}

/** `frame`: one frame and nothing else. Damage has offset 0. */
export function decodeZstdFrame(frame: Buffer, lengthMax: number, dictionary?: Uint8Array): Buffer {
  const decoded = frameAtOnce(frame, lengthMax, dictionary)
  if (decoded !== undefined) return decoded
  try {
    return zstdDecompressSync(frame, {
      maxOutputLength: lengthMax,
      params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
      ...(dictionary && { dictionary: bufferView(dictionary) }),
    })
  } catch (error) {
    throw zstdDamage(error, lengthMax)
  }
}

/** What an error of zstd says about the frame. */
export function zstdDamage(error: unknown, lengthMax: number): WarcDamage {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR') {
    return new WarcDamage('warc-truncated-member', 0, 'the bytes end within a zstd frame')
  }
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new WarcDamage('warc-too-large', 0, `zstd frame is larger than ${lengthMax} bytes`)
  }
  if (code === 'ERR_ZLIB_INITIALIZATION_FAILED') {
    return new WarcDamage('warc-bad-dictionary', 0, 'zstd does not take the dictionary', { cause: error })
  }
  if (code?.startsWith('ZSTD_') !== true) throw error
  if (code === 'ZSTD_error_checksum_wrong') {
    return new WarcDamage('warc-bad-checksum', 0, 'checksum of the zstd frame does not match', {
      cause: error,
    })
  }
  if (code.startsWith('ZSTD_error_dictionary')) {
    return new WarcDamage('warc-bad-dictionary', 0, `zstd frame needs another dictionary: ${message}`, {
      cause: error,
    })
  }
  return new WarcDamage('warc-bad-compression', 0, `zstd frame does not decompress: ${message}`, {
    cause: error,
  })
}

/** A frame made without a dictionary as one that names it: in a file with a dictionary every frame must. It decodes with
 * the dictionary to what it decodes to without, if that has the offsets to start with that zstd has anyway (1, 4 and 8),
 * as trained ones do. */
export function nameDictionary(frame: Uint8Array, dictionary: Uint8Array): Buffer {
  const descriptor = frame[4]!
  assert((descriptor & 3) === 0, 'the frame names a dictionary already')
  const place = descriptor & 0x20 ? 5 : 6
  const named = Buffer.allocUnsafe(frame.length + 4)
  named.set(frame.subarray(0, place))
  named[4] = descriptor | 3
  named.set(dictionary.subarray(4, 8), place)
  named.set(frame.subarray(place), place + 4)
  return named
}

/** The frame that opens a `.warc.zst` file whose records are compressed with this dictionary. */
export function encodeDictionaryFrame(dictionary: Uint8Array): Buffer {
  const content = zstdCompressSync(dictionary, zstdCompressOptions({ level: 19 }))
  const header = Buffer.alloc(8)
  header.writeUInt32LE(dictionaryFrameMagic, 0)
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content])
}

/** The dictionary in a whole dictionary frame. Damage has offset 0. */
export function decodeDictionaryFrame(frame: Buffer): Buffer {
  const content = frame.subarray(8)
  const dictionary = zstdMagicAt(content) === 'frame' ? decodeZstdFrame(content, dictionaryBytesMax) : content
  const isPlain = content.length >= 4 && content.readUInt32LE(0) === dictionaryMagic
  if (dictionary === content && !isPlain) {
    throw new WarcDamage('warc-bad-dictionary', 0, 'dictionary frame holds no dictionary')
  }
  // One that zstd does not take is better known here than at every record.
  decodeZstdFrame(emptyFrame, 1, dictionary)
  return dictionary
}
