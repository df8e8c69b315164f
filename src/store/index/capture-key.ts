// Keys of captures: ring key of the site, SURT, time, serial. So a site's captures lie together in the order of the
// ring (replication walks ranges of it), its URLs in the order of their SURTs, and a URL's versions in that of time.
//
// A SURT is kept whole up to surtBytesMax; a longer one is cut and its digest put behind, so that it is still found and
// still sorts among its neighbours by its beginning.

import { createHash } from 'node:crypto'
import { type RingKey, ringKeyBytes, ringKeyToBytes } from '../../model/ring-key.ts'

const surtBytesMax = 1_800
const cutDigestBytes = 16
/** What is left of a SURT that is cut. */
export const cutSurtBytes = surtBytesMax - 2 * cutDigestBytes
/** Keys count from the year 0, in 7 bytes, so that time is never negative. */
const yearZeroMs = 62_167_219_200_000
export const timeBytes = 7
/** Ends the SURT: no SURT has a NUL, so that `…/a` sorts before `…/ab` whatever follows. */
const surtEnd = 0

interface CaptureKey {
  ringKey: Uint8Array
  /** Whole, or cut: see above. */
  surt: string
  capturedAtMs: number
  /** Tells captures of one URL in one millisecond apart. */
  serial: number
}

/** What all keys of this URL start with, and nothing else does. Asked for several times a capture: written in one piece. */
export function urlPrefix(ringKey: RingKey, surt: string): Buffer {
  const surtBytes = Buffer.byteLength(surt)
  if (surtBytes > surtBytesMax)
    return Buffer.concat([ringKeyToBytes(ringKey), keptSurt(surt), Buffer.from([surtEnd])])
  const prefix = Buffer.allocUnsafe(ringKeyBytes + surtBytes + 1)
  prefix.write(ringKey, 0, ringKeyBytes, 'hex')
  prefix.write(surt, ringKeyBytes, surtBytes, 'utf8')
  prefix[prefix.length - 1] = surtEnd
  return prefix
}

export function captureKey(prefix: Buffer, capturedAtMs: number, serial: number): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + timeBytes + 1)
  key.set(prefix)
  writeTime(key, capturedAtMs, prefix.length)
  key[key.length - 1] = serial
  return key
}

export const serialMax = 255

export function parseCaptureKey(key: Uint8Array): CaptureKey {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  const timeStart = bytes.length - timeBytes - 1
  return {
    ringKey: bytes.subarray(0, ringKeyBytes),
    surt: bytes.toString('utf8', ringKeyBytes, timeStart - 1),
    capturedAtMs: bytes.readUIntBE(timeStart + 1, 6) + bytes[timeStart]! * 2 ** 48 - yearZeroMs,
    serial: bytes[bytes.length - 1]!,
  }
}

/** Keys of one site from this SURT on. A SURT range bound is no whole SURT, so it has no end mark. */
export function siteBound(ringKey: RingKey, surtBound: string): Buffer {
  return Buffer.concat([ringKeyToBytes(ringKey), keptSurt(surtBound)])
}

/** The first key behind all those that start with this prefix; undefined when there is none. */
export function afterPrefix(prefix: Uint8Array): Buffer | undefined {
  const bound = Buffer.from(prefix)
  for (let end = bound.length; end > 0; end--) {
    if (bound[end - 1]! < 0xff) {
      bound[end - 1]!++
      return bound.subarray(0, end)
    }
  }
  return undefined
}

function keptSurt(surt: string): Buffer {
  const bytes = Buffer.from(surt)
  if (bytes.length <= surtBytesMax) return bytes
  const digest = createHash('sha256').update(bytes).digest().subarray(0, cutDigestBytes)
  return Buffer.concat([bytes.subarray(0, cutSurtBytes), Buffer.from(digest.toString('hex'))])
}

function writeTime(key: Buffer, capturedAtMs: number, position: number): void {
  const time = Math.floor(capturedAtMs) + yearZeroMs
  key[position] = Math.floor(time / 2 ** 48)
  key.writeUIntBE(time % 2 ** 48, position + 1, 6)
}
