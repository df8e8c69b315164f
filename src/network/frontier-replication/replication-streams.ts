// Replication streams: one for each member of the sites that this peer crawls.

import type { PeerId } from '../../platform/network/network.ts'
import type { LogPosition } from './log-position.ts'
import { ReplicationStream, type ReplicationStreamNeeds } from './replication-stream.ts'
import type { SiteChanges, SiteId } from './site-frontier.ts'
import type { Tenure } from './site-progress.ts'
import type { SiteTerms } from './site-terms.ts'

export class ReplicationStreams {
  readonly #needs: ReplicationStreamNeeds
  readonly #terms: SiteTerms
  readonly #byPeer = new Map<PeerId, ReplicationStream>()
  /** The members that a site's changes are shipped to. */
  readonly #bySite = new Map<SiteId, Set<PeerId>>()

  constructor(needs: ReplicationStreamNeeds, terms: SiteTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  /** From now on the site's changes are shipped to these members only. New ones may have it up to `after`. */
  setMembers(site: SiteId, members: readonly PeerId[], tenure: Tenure, after: LogPosition): void {
    const before = this.#bySite.get(site) ?? new Set()
    for (const peer of before) if (!members.includes(peer)) this.#byPeer.get(peer)?.end(site)
    for (const peer of members) {
      if (before.has(peer)) this.#stream(peer).touch(site, tenure)
      else this.#stream(peer).begin(site, tenure, after)
    }
    this.#bySite.set(site, new Set(members))
  }

  end(site: SiteId): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.end(site)
    this.#bySite.delete(site)
    for (const [peer, stream] of this.#byPeer) {
      if (!stream.isIdle) continue
      stream.close()
      this.#byPeer.delete(peer)
    }
  }

  note(changes: SiteChanges): void {
    for (const peer of this.#bySite.get(changes.site) ?? []) this.#byPeer.get(peer)?.note(changes)
  }

  touch(site: SiteId, tenure: Tenure): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.touch(site, tenure)
  }

  /** Somebody waits until the changes of these sites have been shipped. */
  flushSoon(sites: Iterable<SiteId>): void {
    const peers = new Set<PeerId>()
    for (const site of sites) for (const peer of this.#bySite.get(site) ?? []) peers.add(peer)
    for (const peer of peers) this.#byPeer.get(peer)?.flushSoon()
  }

  /** The same without delay, for a site that is taken over: that is rare, and sites are often taken over one after the other. */
  flushNow(site: SiteId): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.flushNow()
  }

  /** It answers, and gets changes as they come. */
  isInSync(peer: PeerId, site: SiteId): boolean {
    const stream = this.#byPeer.get(peer)
    const progress = stream?.progressOf(site)
    if (stream === undefined || stream.isSilent || progress === undefined) return false
    return !progress.isCopying && !progress.isPutOff
  }

  /** Its copy of the site is known to be whole. */
  hasAnswered(peer: PeerId, site: SiteId): boolean {
    return this.#byPeer.get(peer)?.progressOf(site)?.acked !== undefined
  }

  get waiting(): number {
    let waiting = 0
    for (const stream of this.#byPeer.values()) waiting += stream.waiting
    return waiting
  }

  close(): void {
    for (const stream of this.#byPeer.values()) stream.close()
  }

  #stream(peer: PeerId): ReplicationStream {
    let stream = this.#byPeer.get(peer)
    if (stream === undefined)
      this.#byPeer.set(peer, (stream = new ReplicationStream(this.#needs, peer, this.#terms)))
    return stream
  }
}
