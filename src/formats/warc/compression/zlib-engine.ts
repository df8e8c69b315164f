// A zlib stream that does one small input after the other, at once.
//
// Node's one-shot functions make a stream and its state for every input, which takes a sixth of the time (measured:
// inflating a page of 19 kB takes 37 microseconds, 32 without) and leaves the garbage collector several times as much as
// the result. The part of a stream that works at once is not documented. So it is asked whether it is there, and whatever
// is not plain (damage, more bytes than there is room for) is left to the documented functions.
//
// For zstd as well, to compress. There it spares most: a context of megabytes, and the dictionary, which is digested once
// (measured: a record of 560 bytes with a dictionary of 16 kB takes 12 microseconds, 130 without; a page 110, 160 without).

import {
  constants,
  type Gzip,
  type InflateRaw,
  type ZlibReset,
  type ZstdCompress,
  type ZstdDecompress,
} from 'node:zlib'

type DeclaredStream = InflateRaw | Gzip | ZstdCompress | ZstdDecompress
type ZlibStream = DeclaredStream & ZlibReset & Undeclared

interface Undeclared {
  readonly _handle?: {
    writeSync?(
      flush: number,
      input: Uint8Array,
      inputStart: number,
      inputBytes: number,
      output: Uint8Array,
      outputStart: number,
      outputBytes: number,
    ): void
  } | null
  /** How much room is left in the output, and how much of the input. */
  readonly _writeState?: Uint32Array
}

export class ZlibEngine {
  readonly #make: () => DeclaredStream
  readonly #isZstd: boolean
  #stream: ZlibStream | undefined
  #isThere = true

  constructor(make: () => DeclaredStream, kind: 'zlib' | 'zstd' = 'zlib') {
    this.#make = make
    this.#isZstd = kind === 'zstd'
  }

  /** Puts into `output` what the input comes to, and says how much of each that took. undefined when the input is damaged
   * or the output full, and where Node has no such thing. */
  run(input: Uint8Array, output: Uint8Array): { inputBytes: number; outputBytes: number } | undefined {
    if (!this.#isThere) return undefined
    this.#stream ??= this.#begin()
    const stream = this.#stream
    const { _handle: handle, _writeState: state } = stream
    if (handle?.writeSync === undefined || state === undefined) {
      this.#isThere = false
      return undefined
    }
    const end = this.#isZstd ? constants.ZSTD_e_end : constants.Z_FINISH
    handle.writeSync(end, input, 0, input.length, output, 0, output.length)
    const [outputLeft, inputLeft] = state
    if (stream.destroyed || outputLeft === 0) {
      stream.close()
      this.#stream = undefined
      return undefined
    }
    // At the end of a frame zstd is ready for the next, and keeps what a reset would throw away.
    if (!this.#isZstd) stream.reset()
    return { inputBytes: input.length - inputLeft!, outputBytes: output.length - outputLeft! }
  }

  #begin(): ZlibStream {
    const stream = this.#make() as ZlibStream
    // One that fails is thrown away, and its failure is found again by whoever does the work instead.
    stream.on('error', () => {})
    return stream
  }
}
