// Notes of sites that other peers crawl, read from the replicas that this peer keeps of their frontiers.

import { entryKinds } from '../../crawl/frontier/sites/site-keys.ts'
import type { SiteNotes } from '../../graph/incoming-links.ts'
import type { ReplicaStore } from '../../network/frontier-replication/replica-store.ts'

const bytesAtOnce = 256 * 1024

export function replicaNotes(replicas: Pick<ReplicaStore, 'read'>): Pick<SiteNotes, 'startingWith'> {
  return {
    *startingWith(site, start) {
      const prefix = entryKinds.note + start
      let from: string | undefined = prefix
      while (from !== undefined) {
        const { entries, next } = replicas.read(site, from, bytesAtOnce)
        for (const [name, bytes] of entries) {
          if (!name.startsWith(prefix)) return
          yield [name.slice(entryKinds.note.length), bytes]
        }
        from = next
      }
    },
  }
}
