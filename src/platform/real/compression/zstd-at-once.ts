// Zstd in the thread that asks: for what is done sooner than handed over, and for threads that have nothing else to do.
//
// Invariants: the same bytes for the same input, level and dictionary, whichever way they are made; what is kept for a
// dictionary goes with it.

import { createZstdCompress, zstdCompressSync } from 'node:zlib'
import { ZlibEngine } from '../../../formats/warc/compression/zlib-engine.ts'
import { zstdOptions } from '../../compressor.ts'
import { JoiningMemory } from './joining-memory.ts'

/** Larger inputs are rare, and what is made for each of them matters little beside them. */
const engineBytesMax = 128 * 1024

/** By level. */
type Engines = Map<number, ZlibEngine>

const plainEngines: Engines = new Map()
/** Most dictionaries are the last version of a page, for a delta, and never used again. So the first use only notes them. */
const enginesByDictionary = new WeakMap<Uint8Array, Engines>()
const joining = new JoiningMemory()
const output = Buffer.allocUnsafeSlow(engineBytesMax + 1024)

export function zstdAtOnce(
  bytes: Uint8Array | readonly Uint8Array[],
  level: number,
  dictionary?: Uint8Array,
): Buffer {
  const input = joining.join(bytes)
  const engines = input.length > engineBytesMax ? undefined : enginesFor(dictionary)
  const took = engines && engineFor(engines, level, dictionary).run(input, output)
  if (took !== undefined) return Buffer.from(output.subarray(0, took.outputBytes))
  return zstdCompressSync(input, zstdOptions(level, dictionary, input.length))
}

function enginesFor(dictionary: Uint8Array | undefined): Engines | undefined {
  if (dictionary === undefined) return plainEngines
  const engines = enginesByDictionary.get(dictionary)
  if (engines === undefined) enginesByDictionary.set(dictionary, new Map())
  return engines
}

function engineFor(engines: Engines, level: number, dictionary: Uint8Array | undefined): ZlibEngine {
  let engine = engines.get(level)
  if (engine === undefined) {
    engine = new ZlibEngine(() => createZstdCompress(zstdOptions(level, dictionary)), 'zstd')
    engines.set(level, engine)
  }
  return engine
}
