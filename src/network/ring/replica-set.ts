// Who keeps the copies of a key: its owner and the next distinct peers, apart in network prefix where there is a choice.
//
// Everybody works it out from the owner's own list, so that all agree who agree on that.

import { networkPrefixOf } from './network-prefix.ts'
import type { Contact } from './ring.ts'

export function replicaSet(owner: Contact, successors: readonly Contact[], count: number): Contact[] {
  const peers = distinctPeers([owner, ...successors])
  const chosen = [owner]
  const prefixes = new Set([networkPrefixOf(owner.address)])
  for (const contact of peers.slice(1)) {
    if (chosen.length >= count) break
    const prefix = networkPrefixOf(contact.address)
    // Of an address without one nothing is known: not even that it is near.
    if (prefix !== undefined && prefixes.has(prefix)) continue
    prefixes.add(prefix)
    chosen.push(contact)
  }
  for (const contact of peers) {
    if (chosen.length >= count) break
    if (!chosen.includes(contact)) chosen.push(contact)
  }
  // In the order of the ring, however they were chosen.
  return peers.filter((contact) => chosen.includes(contact))
}

function distinctPeers(contacts: readonly Contact[]): Contact[] {
  const seen = new Set<string>()
  return contacts.filter(({ peer }) => !seen.has(peer) && seen.add(peer))
}
