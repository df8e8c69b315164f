// The head of an HTTP/1 response: the very bytes, seen on their way from the socket into undici's parser.
//
// undici tells status, reason and header pairs, but neither the HTTP version nor how a line was written. So the
// socket's read() is watched while a head is awaited: the bytes are referred to, not copied.

import type { Socket } from 'node:net'
import { findEmptyLine } from '../../record/field-list.ts'

/** Sees the bytes that are read from a socket while it is open. */
export class HeadTap {
  #parts: Buffer[] = []
  #bytes = 0
  #seen: ((bytes: number) => void) | undefined

  constructor(socket: Socket) {
    const read = socket.read
    socket.read = (size) => {
      const chunk = read.call(socket, size)
      if (chunk !== null && this.#seen !== undefined) this.#see(chunk)
      return chunk
    }
  }

  /** `seen` is told how many bytes have come since the tap was opened. */
  open(seen: (bytes: number) => void): void {
    this.#seen = seen
  }

  /** What came, and forgets it. */
  close(): Buffer {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    this.#seen = undefined
    return bytes
  }

  #see(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#bytes += chunk.length
    this.#seen!(this.#bytes)
  }
}

/** The head with this status in the bytes, interim ones (1xx) passed over. */
export function findHead(bytes: Buffer, status: number): Buffer | undefined {
  let start = 0
  for (;;) {
    while (bytes[start] === 0x0d || bytes[start] === 0x0a) start++
    const end = findEmptyLine(bytes, start)
    if (end < 0) return undefined
    const match = /^HTTP\/\d\.\d (\d{3})/.exec(bytes.toString('latin1', start, start + 12))
    if (match === null) return undefined
    if (Number(match[1]) === status) return bytes.subarray(start, end)
    if (!match[1]!.startsWith('1')) return undefined
    start = end
  }
}
