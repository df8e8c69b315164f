// Undoes the chunked transfer-coding (RFC 9112, 7.1) of bytes as they come.
//
// Many archived responses say `chunked` though the tool that wrote them had undone it already. So the first chunk
// must prove itself: if it is not a chunk, all bytes pass unchanged. Where a later chunk is malformed, the rest
// passes unchanged. The result does not depend on how the bytes were cut. Memory: at most firstChunkBytesMax held.

import { bufferView } from '../wire/buffer-view.ts'

const sizeLineBytesMax = 4096
/** A first chunk larger than this is believed from its size line alone. */
const firstChunkBytesMax = 64 * 1024
const sizeLinePattern = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[^\n]*)?\r?\n$/

type State = 'first' | 'size' | 'data' | 'data-end' | 'trailer' | 'raw'

export class ChunkedDecoder {
  #state: State = 'first'
  #held: Buffer = Buffer.alloc(0)
  #remaining = 0
  #malformed = false

  /** Whether some bytes passed unchanged because they were not chunks. Certain only after end(). */
  get malformed(): boolean {
    return this.#malformed
  }

  push(chunk: Uint8Array): Uint8Array[] {
    if (this.#state === 'raw') return [chunk]
    if (this.#state === 'trailer') return []
    const bytes = this.#held.length === 0 ? bufferView(chunk) : Buffer.concat([this.#held, chunk])
    if (this.#state === 'first') {
      const verdict = judgeFirstChunk(bytes)
      if (verdict === 'unknown') {
        this.#held = bytes
        return []
      }
      this.#state = verdict === 'chunk' ? 'size' : 'raw'
    }
    return this.#decode(bytes)
  }

  /** What is left once no more bytes come. */
  end(): Uint8Array[] {
    const held = this.#held
    const complete = this.#state === 'trailer' || (this.#state === 'first' && held.length === 0)
    if (!complete) this.#malformed = true
    this.#held = Buffer.alloc(0)
    return held.length === 0 || this.#state === 'data-end' ? [] : [held]
  }

  #decode(bytes: Buffer): Uint8Array[] {
    const output: Uint8Array[] = []
    let position = 0
    for (;;) {
      const rest = bytes.subarray(position)
      const used = this.#step(rest, output)
      if (used === undefined) {
        this.#held = rest
        return output
      }
      position += used
    }
  }

  /** Bytes used up by one step, or undefined when the step needs more than there are. */
  #step(bytes: Buffer, output: Uint8Array[]): number | undefined {
    if (bytes.length === 0) return undefined
    switch (this.#state) {
      case 'size':
        return this.#readSize(bytes)
      case 'data': {
        const used = Math.min(this.#remaining, bytes.length)
        output.push(bytes.subarray(0, used))
        this.#remaining -= used
        if (this.#remaining === 0) this.#state = 'data-end'
        return used
      }
      case 'data-end': {
        const length = lineEndLength(bytes)
        if (length === 'unknown') return undefined
        if (length === 'none') return this.#passTheRest()
        this.#state = 'size'
        return length
      }
      case 'trailer':
        return bytes.length
      case 'raw':
        this.#malformed = true
        output.push(bytes)
        return bytes.length
      case 'first':
        return undefined
    }
  }

  #readSize(bytes: Buffer): number | undefined {
    const size = readSizeLine(bytes)
    if (size === 'unknown') return undefined
    if (size === 'none') return this.#passTheRest()
    this.#remaining = size.value
    this.#state = size.value === 0 ? 'trailer' : 'data'
    return size.lineLength
  }

  #passTheRest(): number {
    this.#state = 'raw'
    return 0
  }
}

function judgeFirstChunk(bytes: Buffer): 'chunk' | 'no chunk' | 'unknown' {
  const size = readSizeLine(bytes)
  if (size === 'unknown') return 'unknown'
  if (size === 'none') return 'no chunk'
  if (size.value === 0 || size.value > firstChunkBytesMax) return 'chunk'
  const end = size.lineLength + size.value
  if (bytes.length <= end) return 'unknown'
  const length = lineEndLength(bytes.subarray(end))
  if (length === 'unknown') return 'unknown'
  return length === 'none' ? 'no chunk' : 'chunk'
}

function readSizeLine(bytes: Buffer): { value: number; lineLength: number } | 'none' | 'unknown' {
  const lineFeed = bytes.indexOf(0x0a)
  if (lineFeed < 0) return bytes.length >= sizeLineBytesMax ? 'none' : 'unknown'
  if (lineFeed >= sizeLineBytesMax) return 'none'
  const match = sizeLinePattern.exec(bytes.toString('latin1', 0, lineFeed + 1))
  return match === null ? 'none' : { value: Number.parseInt(match[1]!, 16), lineLength: lineFeed + 1 }
}

function lineEndLength(bytes: Buffer): number | 'none' | 'unknown' {
  if (bytes[0] === 0x0a) return 1
  if (bytes[0] !== 0x0d) return 'none'
  if (bytes.length < 2) return 'unknown'
  return bytes[1] === 0x0a ? 2 : 'none'
}
