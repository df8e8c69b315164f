// Decodes small zstd frames with contexts that are used again.
//
// zstd's one-shot function makes a context for every frame and digests the dictionary anew (measured: a page of 19 kB with
// our dictionary takes 124 microseconds of which the decoding is 45). A context keeps what it had to make for the largest
// window; so only frames that are one segment and say their size come here, which is how all of ours are. Whatever is
// not plain is left to the one-shot function, which says what is wrong with it.

import { createZstdDecompress } from 'node:zlib'
import { LruCache } from '../../../model/lru-cache.ts'
import { bufferView } from '../../wire/buffer-view.ts'
import { ZlibEngine } from './zlib-engine.ts'

const contentBytesMax = 256 * 1024
/** A program meets few dictionaries that are named: that of our volumes, and those of archives it imports. */
const enginesMax = 5

/** The one without a dictionary among them. */
const engines = new LruCache<Uint8Array | undefined, ZlibEngine>({ max: enginesMax })

/** `frame`: one frame and nothing else. undefined when it is not plain, or larger than `lengthMax`. */
export function frameAtOnce(frame: Buffer, lengthMax: number, dictionary?: Uint8Array): Buffer | undefined {
  const contentBytes = contentBytesOf(frame)
  if (contentBytes === undefined || contentBytes > Math.min(contentBytesMax, lengthMax)) return undefined
  const engine = engineFor(frame, dictionary)
  // With room to spare: an output that is full may be one that was too small.
  const output = Buffer.allocUnsafeSlow(contentBytes + 1)
  const took = engine?.run(frame, output)
  if (took?.outputBytes === contentBytes && took.inputBytes === frame.length)
    return output.subarray(0, contentBytes)
  // Nobody knows what it waits for.
  if (took !== undefined) engines.delete(dictionary)
  return undefined
}

/** Of a frame of one segment. */
function contentBytesOf(frame: Buffer): number | undefined {
  const descriptor = frame[4]
  if (descriptor === undefined || (descriptor & 0x20) === 0) return undefined
  const at = 5 + [0, 1, 2, 4][descriptor & 3]!
  if (frame.length < at + 8) return undefined
  switch (descriptor >> 6) {
    case 0:
      return frame[at]!
    case 1:
      return frame.readUInt16LE(at) + 256
    case 2:
      return frame.readUInt32LE(at)
    default:
      return undefined
  }
}

/** Dictionaries that are not named are the last versions of pages, for deltas: too many to keep a context for each. */
function engineFor(frame: Buffer, dictionary: Uint8Array | undefined): ZlibEngine | undefined {
  if (dictionary !== undefined && (frame[4]! & 3) === 0) return undefined
  let engine = engines.get(dictionary)
  if (engine === undefined) {
    engines.set(dictionary, (engine = engineWith(dictionary)))
  }
  return engine
}

function engineWith(dictionary: Uint8Array | undefined): ZlibEngine {
  const options = dictionary && { dictionary: bufferView(dictionary) }
  return new ZlibEngine(() => createZstdDecompress(options), 'zstd')
}
