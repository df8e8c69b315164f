// Peers that say they keep what they threw away, and answer challenges in different ways. In the comparisons of copies all of them
// claim to have everything.

import { createHash } from 'node:crypto'
import type { AuditedCaptures } from '../../src/network/audits/audit-chain.ts'
import type { CopiesCalls } from '../../src/network/replication/captures/copies-calls.ts'
import { nextKey } from '../../src/network/replication/sums/key-range.ts'
import type { PeerId } from '../../src/platform/network/network.ts'

/** `thrower`: makes bytes up. `halver`: half of them. `denier`: owns up to nothing, when asked. `fetcher`: gets what it is asked for from
 * another holder. `mute`: does not answer. */
export const freeRiderKinds = ['thrower', 'halver', 'denier', 'fetcher', 'mute'] as const
export type FreeRiderKind = (typeof freeRiderKinds)[number]

interface Needs {
  readonly captures: AuditedCaptures
  readonly calls: CopiesCalls
  /** Somebody who has it. */
  holderOf(key: Uint8Array): PeerId
}

export function freeRidingCaptures(
  kind: FreeRiderKind,
  { captures, calls, holderOf }: Needs,
): AuditedCaptures {
  const made = async (key: Uint8Array, at: number): Promise<Uint8Array> =>
    createHash('sha256').update(key).update(String(at)).digest()
  switch (kind) {
    case 'thrower':
      return { sizeOf: (key) => captures.sizeOf(key), stretch: made }
    case 'halver':
      return {
        sizeOf: (key) => captures.sizeOf(key),
        stretch: (key, at, bytesMax) =>
          createHash('sha256').update(key).digest()[0]! < 128
            ? made(key, at)
            : captures.stretch(key, at, bytesMax),
      }
    case 'denier':
      return { sizeOf: () => undefined, stretch: async () => undefined }
    case 'fetcher':
      return {
        sizeOf: (key) => captures.sizeOf(key),
        stretch: async (key, at, bytesMax) => {
          const wants = [{ range: { from: key, to: nextKey(key) }, ids: undefined }]
          // The bytes are cut from our own copy, which a real one would have to do from what came.
          await calls.fetch(holderOf(key), { wants, isWhole: true, bytesMax: 1_000_000 })
          return captures.stretch(key, at, bytesMax)
        },
      }
    case 'mute':
      return { sizeOf: (key) => captures.sizeOf(key), stretch: () => new Promise(() => {}) }
  }
}
