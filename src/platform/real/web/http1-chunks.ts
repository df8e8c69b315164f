// A chunked body as it comes (RFC 9112, section 7.1): its data told, everything else passed over.
//
// Strict, like the head: a size that is no number, a line that does not end in CR LF or data that are longer than their
// size are malformed. Holds nothing: sizes and extensions without an end cost time, which others watch over; trailers are
// bounded like a head.

import { httpHeadBytesMax } from '../../../formats/http/http-message.ts'
import { Http1Fault } from './http1-fault.ts'

type State =
  | 'size'
  | 'extension'
  | 'size-end'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer'
  | 'trailer-rest'
  | 'trailer-lf'
  | 'end-lf'

const carriageReturn = 0x0d
const lineFeed = 0x0a

export class ChunkReader {
  #state: State = 'size'
  /** Bytes of the chunk that are still to come; the size while that is read. */
  #left = 0
  #hasDigits = false
  #trailerBytes = 0

  /** Where the body ends in these bytes; undefined while more has to come. Throws Http1Fault. */
  push(bytes: Buffer, tell: (data: Buffer) => void): number | undefined {
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'data') {
        const data = bytes.subarray(at, at + this.#left)
        at += data.length
        this.#left -= data.length
        if (this.#left === 0) this.#state = 'data-cr'
        tell(data)
      } else if (this.#step(bytes[at++]!)) return at
    }
    return undefined
  }

  /** Takes one byte that is no data. True when it was the last of the body. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        this.#readSize(byte)
        break
      case 'extension':
        if (byte === lineFeed) throw malformed('the line of a size does not end in CR LF')
        if (byte === carriageReturn) this.#state = 'size-end'
        break
      case 'size-end':
        this.#expect(byte, lineFeed, this.#left === 0 ? 'trailer' : 'data')
        this.#hasDigits = false
        break
      case 'data-cr':
        this.#expect(byte, carriageReturn, 'data-lf')
        break
      case 'data-lf':
        this.#expect(byte, lineFeed, 'size')
        break
      case 'trailer':
        if (byte === lineFeed) throw malformed('a trailer does not end in CR LF')
        this.#state = byte === carriageReturn ? 'end-lf' : 'trailer-rest'
        break
      case 'trailer-rest':
        if (++this.#trailerBytes > httpHeadBytesMax)
          throw new Http1Fault('overflow', 'the trailers have no end')
        if (byte === lineFeed) throw malformed('a trailer does not end in CR LF')
        if (byte === carriageReturn) this.#state = 'trailer-lf'
        break
      case 'trailer-lf':
        this.#expect(byte, lineFeed, 'trailer')
        break
      case 'end-lf':
        if (byte !== lineFeed) throw malformed('the body does not end in CR LF')
        return true
    }
    return false
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit !== undefined) {
      this.#left = 16 * this.#left + digit
      this.#hasDigits = true
      if (this.#left > Number.MAX_SAFE_INTEGER) throw malformed('a chunk is larger than can be')
      return
    }
    if (!this.#hasDigits) throw malformed('a chunk has no size')
    if (byte === carriageReturn) this.#state = 'size-end'
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#state = 'extension'
    else throw malformed('the size of a chunk is no number')
  }

  #expect(byte: number, wanted: number, next: State): void {
    if (byte !== wanted) throw malformed('a chunk does not end where it says')
    this.#state = next
  }
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}

function malformed(why: string): Http1Fault {
  return new Http1Fault('malformed', `the body is no HTTP/1: ${why}`)
}
