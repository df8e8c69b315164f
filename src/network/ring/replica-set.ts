// Who keeps the copies of a key: its owner and the next distinct peers, apart in network prefix where there is a choice.
//
// Everybody works it out from the owner's own list, so that all agree who agree on that.

import { networkPrefixOf } from './network-prefix.ts'
import type { Contact } from './ring.ts'

/** Of the successors no more are read than it takes: mostly the first few. */
export function replicaSet(owner: Contact, successors: Iterable<Contact>, count: number): Contact[] {
  const peers = [owner]
  const chosen = new Set([owner])
  const seen = new Set([owner.peer])
  const prefixes = new Set([networkPrefixOf(owner.address)])
  if (chosen.size >= count) return peers
  for (const contact of successors) {
    if (seen.has(contact.peer)) continue
    seen.add(contact.peer)
    peers.push(contact)
    const prefix = networkPrefixOf(contact.address)
    // Of an address without one nothing is known: not even that it is near.
    if (prefix !== undefined && prefixes.has(prefix)) continue
    prefixes.add(prefix)
    chosen.add(contact)
    if (chosen.size >= count) break
  }
  for (const contact of peers) {
    if (chosen.size >= count) break
    chosen.add(contact)
  }
  // In the order of the ring, however they were chosen.
  return peers.filter((contact) => chosen.has(contact))
}
