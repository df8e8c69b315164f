// The log of a home's captures on a network: told to the others and asked by them, wired to calls and announcements.

import { join } from 'node:path'
import type { Announcements } from '../../network/announcements/announcements.ts'
import { LogHandler } from '../../network/log-heads/log-handler.ts'
import { LogHeads } from '../../network/log-heads/log-heads.ts'
import { peerOfPublicKey } from '../../network/membership/peer-key.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { LogInclusion } from '../../proof/log/capture-log.ts'
import type { Hash } from '../../proof/merkle-tree.ts'
import type { Platform } from '../platform.ts'
import type { HomeProof } from '../proof/home-proof.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'keyValues'>
  readonly services: Pick<CallServices, 'service'>
  readonly announcements: Announcements
  readonly proof: HomeProof
  readonly self: PeerId
  readonly log: Log
}

export interface NetworkLog {
  readonly heads: LogHeads
  /** Of a capture that this key signed. */
  inclusion(key: Uint8Array, leaf: Hash, signedAtMs: number): Promise<LogInclusion | undefined>
  close(): Promise<void>
}

export async function openNetworkLog(needs: Needs, folder: string): Promise<NetworkLog> {
  const { platform, services, proof } = needs
  const keyValue = await platform.keyValues.open(join(folder, 'heads'), { hasJournal: true })
  const calls = services.service('proofs')
  if (proof.captures !== undefined) new LogHandler({ calls, log: proof.captures, clock: platform.clock })
  const heads = new LogHeads({
    ...needs,
    clock: platform.clock,
    calls,
    keyValue,
    captures: proof.captures,
  })
  return {
    heads,
    inclusion: async (key, leaf, signedAtMs) => {
      const peer = peerOfPublicKey(key)
      return peer === undefined ? undefined : heads.inclusion(peer, leaf, signedAtMs)
    },
    close: async () => {
      await heads.close()
      await keyValue.close()
    },
  }
}
