// Presence of peers: which peers take part in the network, and which have left with nothing left to hand over.
//
// An announcement for each peer, which only that peer can write. Of a peer that is neither on the ring nor has taken leave it is
// not known what it still has: links in its outbox, for one. It is waited for until it is gone for good. And by these
// announcements a newcomer learns of the peers that are away: what is acknowledged counts on them, too.

import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Announcements } from '../../announcements/announcements.ts'
import { away, here, peerKind } from './presence-announcements.ts'

const { kind } = peerKind

interface Needs {
  readonly log: Log
  readonly announcements: Announcements
  readonly places: {
    readonly self: PeerId
    peers(): readonly PeerId[]
    members(): readonly PeerId[]
    isGone(peer: PeerId): boolean
    /** On probation: it has no places, and nobody waits for it. */
    isSpare?(): boolean
  }
}

export class PeerPresence {
  readonly #needs: Needs
  readonly #stop: () => void
  #wanted: Uint8Array | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    // We may have forgotten what we said when we left, and be told of it by others.
    this.#stop = needs.announcements.onChange(({ kind: heard, name, value }) => {
      const isAboutUs = heard === kind && name === needs.places.self
      if (isAboutUs && this.#wanted !== undefined && Buffer.compare(value, this.#wanted) !== 0)
        this.#say(this.#wanted).catch((error: unknown) => {
          needs.log.warn({ err: error }, 'The others could not be told that this peer is here')
        })
    })
  }

  arrive(): Promise<void> {
    return this.#say(this.#needs.places.isSpare?.() ? away : here)
  }

  /** Nothing is left here that others wait for. */
  takeLeave(): Promise<void> {
    return this.#say(away)
  }

  close(): void {
    this.#wanted = undefined
    this.#stop()
  }

  /** Everybody who may have something that others wait for, without ourselves. */
  expected(): PeerId[] {
    const { announcements, places } = this.#needs
    const peers = new Set(places.peers())
    for (const { name, value } of announcements.all(kind)) {
      if (name !== places.self && Buffer.compare(value, here) === 0 && !places.isGone(name)) peers.add(name)
    }
    return [...peers]
  }

  /** How many peers take part, ourselves included: also those that are away and not gone for good, whether we ever met them or
   * not. undefined while those on the ring have not told us yet whom they know. */
  participants(): number | undefined {
    const { announcements, places } = this.#needs
    const peers = new Set(places.members())
    if (peers.size > 0 && !announcements.isSynced) return undefined
    for (const { name } of announcements.all(kind)) {
      if (name !== places.self && !places.isGone(name)) peers.add(name)
    }
    return peers.size + 1
  }

  /** Those who are expected and not on the ring. */
  awaited(): PeerId[] {
    const there = new Set(this.#needs.places.peers())
    return this.expected().filter((peer) => !there.has(peer))
  }

  async #say(value: Uint8Array): Promise<void> {
    const { announcements, places } = this.#needs
    this.#wanted = value
    const said = announcements.get(kind, places.self)?.value
    if (said === undefined || Buffer.compare(said, value) !== 0)
      await announcements.put(kind, places.self, value)
  }
}
