// Whether whole peers have got over what was done to them: those that answer know exactly each other, and nothing lacks copies.

import { statusOf } from './crawled-network.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A page waits so long for its links to arrive; older ones are on one disk only. */
const linkMsMax = 30_000

/** What is not well, as the peers that answer say themselves; undefined when all is. */
export async function healthProblemOf(
  network: WholeNetwork,
  isAnswering: (name: string) => boolean = () => true,
): Promise<string | undefined> {
  const answering = network.peers.filter(({ name }) => isAnswering(name))
  const there = answering.map(({ home }) => home.ring!.peer).sort()
  for (const { name, home } of answering) {
    const seen = [...new Set(home.ring!.view().known.map(({ contact }) => contact.peer))].sort()
    if (seen.join() !== there.join()) return `${name} knows ${seen.length} of ${there.length}`
  }
  for (const { name } of answering) {
    const { peers, copiesWanted } = await statusOf(network, name)
    const { copies, sites, links } = peers[0]!.status!
    const few = copies.histogram.slice(0, Math.min(copiesWanted, there.length))
    if (few.some((entries) => entries > 0)) return `${name}: entries by copies ${copies.histogram}`
    const todo = {
      entries: copies.queue,
      sites: sites.toCopy,
      oldLinks: links.oldestMs > linkMsMax ? 1 : 0,
    }
    if (Object.values(todo).some((count) => count > 0)) return `${name}: to do ${JSON.stringify(todo)}`
  }
  return undefined
}
