// HTTP/1.x messages as WARC blocks hold them: a head, an empty line, a body.
//
// Reading is lenient, for these are bytes that servers really sent: LF-only lines, folded headers, lines that are no
// header, no head at all. Bytes are kept as Latin-1, so that printing a parsed value gives the same bytes again.
// The body is left as it stands; chunked-decoder.ts undoes transfer-coding. Content-coding is nobody's business here.

import { PolyhistorError } from '../../errors.ts'
import { bufferView } from '../wire/buffer-view.ts'
import { FieldList, fieldFault, findEmptyLine, parseFieldLines } from './field-list.ts'

/** A head that is still open after this many bytes is not believed to be one. */
export const httpHeadBytesMax = 256 * 1024

export interface HttpHead {
  readonly startLine: string
  readonly headers: FieldList
  /** Bytes up to the body. */
  readonly length: number
}

interface StatusLine {
  readonly protocol: string
  readonly status: number
  readonly reason: string
}

interface RequestLine {
  readonly method: string
  readonly target: string
  readonly protocol: string
}

class HttpMessageRefusal extends PolyhistorError {
  declare readonly code: 'http-bad-head'

  constructor(message: string) {
    super('http-bad-head', message)
  }
}

// Shoutcast servers say `ICY 200 OK`, and players take it for HTTP.
const statusPattern = /^(HTTP\/\d+(?:\.\d+)?|ICY)[ \t]+(\d{3})(?:[ \t]+(.*))?$/i
const requestPattern = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) +(\S+)(?: +(HTTP\/\d+(?:\.\d+)?))?$/i

/** The head at the start of a block, or undefined when the block does not start with one. */
export function parseHttpHead(block: Uint8Array): HttpHead | undefined {
  const bytes = bufferView(block)
  const limited = bytes.length > httpHeadBytesMax ? bytes.subarray(0, httpHeadBytesMax) : bytes
  if (!startsLikeHttp(limited)) return undefined
  const end = findEmptyLine(limited)
  if (end < 0) return bytes.length > httpHeadBytesMax ? undefined : headIn(bytes)
  return headIn(bytes.subarray(0, end))
}

function headIn(bytes: Buffer): HttpHead {
  const text = bytes.toString('latin1')
  const lineEnd = text.indexOf('\n')
  const startLine = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trimEnd()
  const headers = lineEnd < 0 ? new FieldList() : parseFieldLines(text, lineEnd + 1).fields
  return { startLine, headers, length: bytes.length }
}

function startsLikeHttp(bytes: Buffer): boolean {
  const lineEnd = bytes.indexOf(0x0a)
  const line = bytes.toString('latin1', 0, lineEnd < 0 ? bytes.length : lineEnd).trimEnd()
  if (/^(?:HTTP\/|ICY \d{3})/i.test(line)) return true
  return requestPattern.exec(line)?.[3] !== undefined
}

export function parseStatusLine(startLine: string): StatusLine | undefined {
  const match = statusPattern.exec(startLine)
  if (match === null) return undefined
  return { protocol: match[1]!, status: Number(match[2]), reason: match[3] ?? '' }
}

export function parseRequestLine(startLine: string): RequestLine | undefined {
  const match = requestPattern.exec(startLine)
  if (match === null) return undefined
  return { method: match[1]!, target: match[2]!, protocol: match[3] ?? 'HTTP/0.9' }
}

/** A head with its empty line. Refuses what would read back as something else. */
export function printHttpHead(startLine: string, headers: Iterable<readonly [string, string]>): Buffer {
  if (/[\x00-\x08\x0a-\x1f]|[^\x00-\xff]/.test(startLine)) {
    throw new HttpMessageRefusal('start line holds a control character or one outside Latin-1')
  }
  let text = `${startLine}\r\n`
  for (const [name, value] of headers) {
    const fault = fieldFault(name, value)
    if (fault !== undefined) throw new HttpMessageRefusal(fault)
    if (/[^\x00-\xff]/.test(value)) {
      throw new HttpMessageRefusal(`header ${name} holds a character outside Latin-1`)
    }
    text += `${name}: ${value}\r\n`
  }
  return Buffer.from(`${text}\r\n`, 'latin1')
}

/** Whether chunked is the last transfer-coding. Other codings are left in place: no crawler asks for them. */
export function isChunked(head: HttpHead): boolean {
  const codings = head.headers.getAll('Transfer-Encoding').join(',')
  return /(?:^|,)[ \t]*chunked[ \t]*$/i.test(codings)
}

/** The head of the same message with its body in one piece. */
export function withoutTransferCoding(head: Uint8Array): Uint8Array {
  const text = bufferView(head).toString('latin1')
  if (!/^transfer-encoding:/im.test(text)) return head
  return Buffer.from(text.replace(/^transfer-encoding:[^\n]*\n/gim, ''), 'latin1')
}

/** Parts the head from the body of a message that comes in chunks. */
export class HttpSplitter {
  #head: HttpHead | undefined
  #held: Buffer | undefined = Buffer.alloc(0)

  /** undefined until it has come whole, and for good when there is none. */
  get head(): HttpHead | undefined {
    return this.#head
  }

  /** Whether the head, or its absence, is known. */
  get settled(): boolean {
    return this.#held === undefined
  }

  /** Bytes of the body among those pushed so far. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#held === undefined) return chunk
    const bytes = this.#held.length === 0 ? bufferView(chunk) : Buffer.concat([this.#held, chunk])
    const couldGrow =
      findEmptyLine(bytes.subarray(0, httpHeadBytesMax)) < 0 && bytes.length <= httpHeadBytesMax
    if (couldGrow) {
      this.#held = bytes
      return bytes.subarray(0, 0)
    }
    return this.#settle(bytes)
  }

  /** Bytes of the body that were held back in case they were a head. */
  end(): Uint8Array {
    return this.#held === undefined ? new Uint8Array(0) : this.#settle(this.#held)
  }

  #settle(bytes: Buffer): Uint8Array {
    this.#head = parseHttpHead(bytes)
    this.#held = undefined
    return bytes.subarray(this.#head?.length ?? 0)
  }
}
