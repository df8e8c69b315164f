// A capture that another peer sent, as it is taken: its bytes, or where to have them piece by piece.

import type { PeerId } from '../../../platform/network/network.ts'
import type { ReceivedCopy } from '../../../store/copying/copying.ts'
import { idBytes } from '../sums/tally.ts'
import type { CopiesCalls } from './copies-calls.ts'
import type { Traffic } from './traffic.ts'
import type { SentCapture } from './wire/questions.ts'

interface Needs {
  calls: CopiesCalls
  traffic: Traffic
}

/** What comes in pieces is counted as it comes. */
export function sentCopy(
  { calls, traffic }: Needs,
  peer: PeerId,
  { key, isWhole, bytes, stored }: SentCapture,
  signal?: AbortSignal,
): ReceivedCopy {
  if (bytes !== undefined) return bytes
  async function* pieces(from: number): AsyncGenerator<Uint8Array> {
    for await (const piece of calls.pieces(peer, { key, isWhole, from }, signal)) {
      traffic.countIn(piece.length)
      yield piece
    }
  }
  if (stored === undefined) return pieces(0)
  const id = Buffer.from(key.subarray(-idBytes)).toString('hex')
  return { name: `${id} ${stored.sizeBytes} ${stored.checksum}`, stored: { ...stored, from: pieces } }
}
