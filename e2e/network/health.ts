// Whether a network has got over what was done to it: those that run know exactly each other, and nothing lacks copies.

import { sumsOf } from '../../src/model/peer-status.ts'
import type { ArchivePeer } from './archive-peer.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

/** A busy machine takes many times as long as a quiet one. */
const healMsMax = 300_000
const pollMs = 2_000
const tellMs = 15_000
/** What a peer says may be older than the last trouble; it must be well for so many looks in a row. */
const looks = 2
/** A page waits twice as long until its links have arrived. Then it counts as done, and they are on one disk only. */
const linkMsMax = 30_000

/** What is not well, if anything is not. */
export async function healthProblemOf(
  network: Pick<NetworkOfPeers, 'answering'>,
): Promise<string | undefined> {
  const peers = network.answering
  try {
    return (await healthProblemOfRing(peers)) ?? (await healthProblemOfCopies(peers))
  } catch (error) {
    return (error as Error).message
  }
}

/** Waits until all is well, and tells what is not now and then. Rejects when that takes too long. */
export async function healed(
  network: NetworkOfPeers,
  deadlineMs = healMsMax,
  tell: (sentence: string) => void = () => {},
): Promise<void> {
  const startMs = performance.now()
  let toldAtMs = startMs
  for (let well = 0; well < looks; ) {
    const healthProblem = await healthProblemOf(network)
    well = healthProblem === undefined ? well + 1 : 0
    const tookMs = performance.now() - startMs
    if (healthProblem !== undefined && performance.now() - toldAtMs > tellMs) {
      toldAtMs = performance.now()
      tell(`not well: ${healthProblem}`)
    }
    if (tookMs > deadlineMs && well === 0)
      throw new Error(`not healed after ${Math.round(tookMs / 1_000)} s: ${healthProblem}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function healthProblemOfRing(peers: readonly ArchivePeer[]): Promise<string | undefined> {
  const views = await Promise.all(peers.map((peer) => peer.view()))
  const there = views.map(({ peer }) => peer).sort()
  for (const [index, { known }] of views.entries()) {
    const seen = [...new Set(known.map(({ contact }) => contact.peer))].sort()
    if (seen.join() !== there.join())
      return `${peers[index]!.name} knows ${seen.length} peers, and ${there.length} are there`
  }
  return undefined
}

/** Each is asked for its own, however long that takes: a busy machine makes others too slow for whoever asks them all. */
async function healthProblemOfCopies(peers: readonly ArchivePeer[]): Promise<string | undefined> {
  if (peers.length <= 1) return undefined
  const told = await Promise.all(peers.map((peer) => peer.status()))
  const { copiesWanted } = told[0]!
  const { histogram, queue, sitesToCopy, links } = sumsOf(told.map(({ peers: [own] }) => own!.status!))
  const wanted = Math.min(copiesWanted, peers.length)
  if (histogram.slice(0, wanted).some((entries) => entries > 0)) return `entries by copies: ${histogram}`
  if (queue + sitesToCopy > 0) return `to copy: ${queue} entries, ${sitesToCopy} queues of sites`
  if (links.oldestMs > linkMsMax) return `the oldest link waits for ${links.oldestMs} ms`
  return undefined
}
