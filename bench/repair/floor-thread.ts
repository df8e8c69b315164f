// What runs in the threads of the plain program: see floor.ts.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { constants, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { decodeGzipMember } from '../../src/formats/warc/compression/gzip-member.ts'

export interface FloorTask {
  /** undefined: there is nothing to write. */
  path: string | undefined
  offset: number
  /** Records, each with its length before it. */
  bytes: Uint8Array
}

const lengthBytes = 4
const recordBytesMax = 10_000_000
const headEnd = Buffer.from('\r\n\r\n')
let file: number | undefined

/** Gives how many records there were. They are written as they came, with their lengths. */
export function work({ path, offset, bytes }: FloorTask): number {
  if (path === undefined) return 0
  file ??= openSync(path, constants.O_WRONLY | constants.O_CREAT)
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = 0; at < message.length; count++) {
    const start = at + lengthBytes
    at = start + message.readUInt32BE(at)
    check(message.subarray(start, at))
  }
  assert.equal(writeSync(file, message, 0, message.length, offset), message.length)
  fdatasyncSync(file)
  return count
}

function check(record: Buffer): void {
  const { bytes } = decodeGzipMember(record, recordBytesMax)
  const blockStart = bytes.indexOf(headEnd) + headEnd.length
  const head = bytes.toString('latin1', 0, blockStart)
  const [, wanted] = /^WARC-Payload-Digest: sha256:(\w+)/m.exec(head) ?? []
  // The first record of a volume tells about the volume; the payload of a revisit is another's.
  if (wanted === undefined || head.includes('\r\nWARC-Type: revisit\r\n')) return
  const payload = bytes.subarray(bytes.indexOf(headEnd, blockStart) + headEnd.length, -headEnd.length)
  assert.equal(hash('sha256', payload), wanted)
}
