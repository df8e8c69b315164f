// Rounds: polls all peers about some jobs, and collects their shares.
//
// A round is complete when every peer answered that could have work: those on the ring, and those that left it without notice and
// are not gone for good. What a silent peer has is unknown.

import { PolyhistorError } from '../../errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type PeerShare, readShares, writeQuestion } from './job-shares.ts'

interface RoundNeeds {
  readonly self: PeerId
  readonly calls: Pick<CallService, 'call'>
  own(jobIds: readonly string[]): PeerShare[]
}

export interface Round {
  /** By job, then by peer. */
  readonly shares: ReadonlyMap<string, ReadonlyMap<PeerId, PeerShare>>
  readonly missing: readonly PeerId[]
}

export async function askRound(
  needs: RoundNeeds,
  jobIds: readonly string[],
  peers: readonly PeerId[],
  deadlineMs: number,
): Promise<Round> {
  const shares = new Map(jobIds.map((id) => [id, new Map<PeerId, PeerShare>()]))
  const missing: PeerId[] = []
  const note = (peer: PeerId, heard: readonly PeerShare[]): void => {
    for (const [index, id] of jobIds.entries()) shares.get(id)!.set(peer, heard[index]!)
  }
  const question = writeQuestion({ kind: 'shares', jobIds, own: needs.own(jobIds) })
  await Promise.all(
    peers.map(async (peer) => {
      try {
        const answer = await needs.calls.call(peer, question, { deadlineMs })
        note(peer, readShares(answer, jobIds.length))
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        missing.push(peer)
      }
    }),
  )
  // Last, so that what came in meanwhile is counted.
  note(needs.self, needs.own(jobIds))
  return { shares, missing }
}
