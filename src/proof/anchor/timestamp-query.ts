// Questions to a time stamping authority and its answers (RFC 3161), as DER. Just enough of it: what is asked is built here, and of an
// answer status, digest, nonce and time are read. That the authority signed it is for whoever verifies to check, with its certificate:
//
//   openssl ts -verify -data FILE -in FILE.tsr -CAfile CA.pem
//
// Reading is bounded by the bytes: every length is checked against what is left.

import { hash } from 'node:crypto'
import { ProofError } from '../proof-error.ts'

const sha256Oid = Buffer.from('0609608648016503040201', 'hex')
const tstInfoOid = Buffer.from('060b2a864886f70d0109100104', 'hex')
const [integer, octets, sequence, generalizedTime] = [0x02, 0x04, 0x30, 0x18]
const truth = Buffer.from([0x01, 0x01, 0xff])

export function timestampQuery(data: Uint8Array, nonce: Uint8Array): Buffer {
  const algorithm = der(sequence, sha256Oid, Buffer.from([0x05, 0x00]))
  const imprint = der(sequence, algorithm, der(octets, hash('sha256', data, 'buffer')))
  return der(sequence, der(integer, Buffer.from([1])), imprint, der(integer, positive(nonce)), truth)
}

/** When the authority says that it saw the data. Throws 'anchor-refused' for what is no answer to this question. */
export function timestampIn(answer: Uint8Array, data: Uint8Array, nonce: Uint8Array): Date {
  const bytes = Buffer.from(answer)
  const response = read(bytes, 0, sequence)
  const status = read(bytes, response.start, sequence)
  const code = read(bytes, status.start, integer)
  const granted = bytes.subarray(code.start, code.end)
  if (granted.length !== 1 || granted[0]! > 1) throw refused('it did not grant a time stamp')
  const info = tstInfoIn(bytes.subarray(status.end, response.end))
  const digest = der(octets, hash('sha256', data, 'buffer'))
  if (!info.includes(digest)) throw refused('the time stamp is for something else')
  if (!info.includes(der(integer, positive(nonce)))) throw refused('the time stamp is one of before')
  const behind = info.indexOf(digest) + digest.length
  const time = info.indexOf(generalizedTime, behind)
  const { start, end } = read(info, time, generalizedTime)
  const text = info.toString('latin1', start, end)
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d+))?Z$/.exec(text)
  if (match === null) throw refused('its time cannot be read')
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  return new Date(Date.UTC(year!, month! - 1, day, hour, minute, second))
}

/** What is stamped lies in the token behind its object identifier, as octets. */
function tstInfoIn(token: Buffer): Buffer {
  const at = token.indexOf(tstInfoOid)
  if (at < 0) throw refused('there is no time stamp in it')
  const content = read(token, at + tstInfoOid.length, 0xa0)
  const inner = read(token, content.start, octets)
  return token.subarray(inner.start, inner.end)
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(content.length)
  return Buffer.concat([Buffer.from([tag, 0x82]), length, content])
}

/** Without a sign: a leading bit would make it negative, leading zeros are not DER. */
function positive(bytes: Uint8Array): Buffer {
  const number = Buffer.from(bytes)
  number[0] = (number[0]! & 0x7f) | 0x40
  return number
}

function read(bytes: Buffer, at: number, tag: number): { start: number; end: number } {
  if (at < 0 || at + 2 > bytes.length || bytes[at] !== tag)
    throw refused('it is no answer of such an authority')
  const first = bytes[at + 1]!
  const count = first < 0x80 ? 0 : first & 0x7f
  if (count > 4 || at + 2 + count > bytes.length) throw refused('it is cut off')
  const length = count === 0 ? first : bytes.readUIntBE(at + 2, count)
  const start = at + 2 + count
  if (first === 0x80 || start + length > bytes.length) throw refused('it is cut off')
  return { start, end: start + length }
}

function refused(why: string): ProofError {
  return new ProofError('anchor-refused', `The time stamp cannot be used: ${why}.`)
}
