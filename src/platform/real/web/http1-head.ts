// The head of an HTTP/1 response, read line by line as it comes, and what it says of the body and of the connection.
//
// What could mean two things (two lengths that differ, control characters, a length that goes on in the next line) is malformed,
// and told as soon as its line has come. What is only odd is read as browsers do, for old servers write it: lines that end in
// LF alone, folded lines, lines that are no field, a space before the colon, the same length twice, a length beside chunks
// (which count). But then the connection is not used again, so that nothing behind it can be taken for another response.
// The bytes of the head are kept as they are.
// Bounded: more than httpHeadBytesMax is an overflow; callers have limits of their own below that.

import { httpHeadBytesMax } from '../../../formats/http/http-message.ts'
import { Http1Fault } from './http1-fault.ts'

/** How the end of the body is known. */
type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'close' }

export interface ResponseHead {
  readonly status: number
  /** Start line, fields and empty line. */
  readonly bytes: Buffer
  readonly fieldCount: number
  readonly framing: Framing
  /** Whether another request may follow on the connection. */
  readonly keepsAlive: boolean
  /** How long the server says that it waits for one. */
  readonly idleMs: number | undefined
  /** What came behind the head. */
  readonly rest: Buffer
}

/** Reasons are for people, and anything may stand there. */
const statusPattern = /^HTTP\/([012]\.[019]) ([1-9]\d\d)(?: [^\r]*)?$/
const versions = ['0.9', '1.0', '1.1', '2.0']
const fieldPattern = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/
const spacedFieldPattern = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]+:[ \t]*(.*)$/
const controlPattern = /[^\t\x20-\x7e\x80-\xff]/
const lengthPattern = /^(\d{1,15})(?:[ \t]*,[ \t]*\1)*$/
const start = 'HTTP/'
const lineFeed = 0x0a
const carriageReturn = 0x0d

export class HeadReader {
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0
  #headStart = 0
  #lineStart = 0
  #fieldCount = 0
  #version = ''
  #status = 0
  #contentLength: number | undefined
  #transferCoding: string | undefined
  #connection = ''
  #keepAlive = ''
  /** The last field says where the body ends. */
  #isFraming = false
  #isOdd = false

  /** undefined while more has to come. Throws Http1Fault. */
  push(chunk: Buffer): ResponseHead | undefined {
    this.#hold(chunk)
    if (this.#status === 0 && !this.#skipsToStart()) return undefined
    for (;;) {
      const end = this.#bytes.indexOf(lineFeed, this.#lineStart)
      if (end < 0 || end >= this.#length) break
      const isUsual = end > this.#lineStart && this.#bytes[end - 1] === carriageReturn
      if (!isUsual) this.#isOdd = true
      const line = this.#bytes.toString('latin1', this.#lineStart, isUsual ? end - 1 : end)
      this.#lineStart = end + 1
      if (this.#status === 0) this.#readStatus(line)
      else if (line !== '') this.#readField(line)
      else return this.#finished()
    }
    if (this.#length > httpHeadBytesMax) throw new Http1Fault('overflow', 'the head has no end')
    return undefined
  }

  /** The first chunk is used as it is: most heads come in one. */
  #hold(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (this.#length === 0) this.#bytes = chunk
    else {
      if (length > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(2 * length)
        larger.set(this.#bytes.subarray(0, this.#length))
        this.#bytes = larger
      }
      this.#bytes.set(chunk, this.#length)
    }
    this.#length = length
  }

  /** Past line ends that some servers send behind the response before. False while there is nothing else. */
  #skipsToStart(): boolean {
    let at = this.#lineStart
    while (at < this.#length && (this.#bytes[at] === carriageReturn || this.#bytes[at] === lineFeed)) at++
    this.#headStart = at
    this.#lineStart = at
    const first = this.#bytes.toString('latin1', at, Math.min(at + start.length, this.#length))
    if (!start.startsWith(first)) throw malformed('it does not start with HTTP/')
    return first !== ''
  }

  #readStatus(line: string): void {
    const match = statusPattern.exec(line)
    if (match === null || !versions.includes(match[1]!)) throw malformed('its first line is no status line')
    this.#version = match[1]!
    this.#status = Number(match[2])
  }

  #readField(line: string): void {
    const match = fieldPattern.exec(line) ?? this.#oddField(line)
    if (match === null) return
    this.#fieldCount++
    this.#isFraming = false
    const [, name, value] = match as unknown as [string, string, string]
    switch (name.length) {
      case 10:
        if (isCalled(name, 'connection')) this.#connection += `,${value}`
        else if (isCalled(name, 'keep-alive')) this.#keepAlive += `,${value}`
        break
      case 14:
        if (isCalled(name, 'content-length')) this.#readLength(value.trimEnd())
        break
      case 17:
        if (isCalled(name, 'transfer-encoding')) {
          this.#transferCoding = value
          this.#isFraming = true
        }
    }
  }

  /** null for what is none, or belongs to the field before. */
  #oddField(line: string): RegExpExecArray | null {
    this.#isOdd = true
    if (controlPattern.test(line)) throw malformed('a line of its head holds a control character')
    const isFolded = line.startsWith(' ') || line.startsWith('\t')
    if (isFolded && (this.#isFraming || this.#fieldCount === 0))
      throw malformed('a line of its head goes on where it must not')
    return isFolded ? null : spacedFieldPattern.exec(line)
  }

  #readLength(value: string): void {
    const digits = lengthPattern.exec(value)?.[1]
    if (digits === undefined) throw malformed('its length is no number')
    const length = Number(digits)
    if (this.#contentLength !== undefined && this.#contentLength !== length)
      throw malformed('it says two lengths')
    if (this.#contentLength !== undefined || digits !== value) this.#isOdd = true
    this.#contentLength = length
    this.#isFraming = true
  }

  #finished(): ResponseHead {
    if (this.#contentLength !== undefined && this.#transferCoding !== undefined) this.#isOdd = true
    const status = this.#status
    const framing = this.#framing()
    const hasNone = status === 204 || status === 304
    // Who announces a body where none may come may well send it, and it would be taken for the next response.
    const isDoubtful = hasNone && ((this.#contentLength ?? 0) > 0 || this.#transferCoding !== undefined)
    return {
      status,
      bytes: this.#bytes.subarray(this.#headStart, this.#lineStart),
      fieldCount: this.#fieldCount,
      framing,
      keepsAlive: framing.kind !== 'close' && !isDoubtful && !this.#isOdd && this.#keepsAlive(),
      idleMs: this.#idleMs(),
      rest: this.#bytes.subarray(this.#lineStart, this.#length),
    }
  }

  #framing(): Framing {
    if (this.#status < 200 || this.#status === 204 || this.#status === 304)
      return { kind: 'length', bytes: 0 }
    if (this.#transferCoding !== undefined)
      return /(?:^|,)[ \t]*chunked[ \t]*$/i.test(this.#transferCoding)
        ? { kind: 'chunked' }
        : { kind: 'close' }
    if (this.#contentLength !== undefined) return { kind: 'length', bytes: this.#contentLength }
    return { kind: 'close' }
  }

  #keepsAlive(): boolean {
    if (this.#connection === '') return this.#version === '1.1'
    if (hasToken(this.#connection, 'close')) return false
    return this.#version === '1.1' || hasToken(this.#connection, 'keep-alive')
  }

  #idleMs(): number | undefined {
    const seconds = this.#keepAlive === '' ? undefined : /timeout=(\d{1,9})/i.exec(this.#keepAlive)?.[1]
    return seconds === undefined ? undefined : 1_000 * Number(seconds)
  }
}

function isCalled(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted
}

function hasToken(list: string, token: string): boolean {
  return list.split(',').some((each) => each.trim().toLowerCase() === token)
}

function malformed(why: string): Http1Fault {
  return new Http1Fault('malformed', `the response is no HTTP/1: ${why}`)
}
