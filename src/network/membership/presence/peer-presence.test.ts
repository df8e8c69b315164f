import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../../platform/log.ts'
import { AnnouncingPeers } from '../../replication/fixtures/announcing-peers.ts'
import { PeerPresence } from './peer-presence.ts'
import { peerKind } from './presence-announcements.ts'

class Arrivals {
  readonly noticing = new AnnouncingPeers(1)
  readonly gone = new Set<string>()
  readonly #met = new Map<string, Set<string>>()

  constructor() {
    this.noticing.kinds = [peerKind]
  }

  async arrive(...names: string[]): Promise<void> {
    await this.noticing.start(...names)
    for (const name of names) await this.noticing.world.complete(this.at(name).arrive())
    for (const name of this.noticing.peers.keys()) {
      const met = this.#met.get(name) ?? new Set()
      this.#met.set(name, met)
      for (const other of this.noticing.peers.keys()) if (other !== name) met.add(other)
    }
  }

  at(name: string): PeerPresence {
    const present = (): string[] => [...this.noticing.peers.keys()].filter((peer) => peer !== name)
    const places = {
      self: name,
      peers: present,
      members: () => [...new Set([...present(), ...(this.#met.get(name) ?? [])])],
      isGone: (peer: string) => this.gone.has(peer),
    }
    return new PeerPresence({ announcements: this.noticing.peers.get(name)!, places, log: silentLog })
  }
}

describe('how many take part', () => {
  test('is one where nobody else was ever met', async () => {
    const arrivals = new Arrivals()
    await arrivals.arrive('a')
    assert.equal(arrivals.at('a').participants(), 1)
  })

  test('is learnt by a newcomer from those who are there, also of those who are away', async () => {
    const arrivals = new Arrivals()
    const { noticing } = arrivals
    await arrivals.arrive('a', 'b', 'c', 'd')
    await noticing.world.advance(60_000)
    for (const name of ['b', 'c', 'd']) noticing.crash(name)
    await arrivals.arrive('e')
    assert.equal(arrivals.at('e').participants(), undefined)
    await noticing.world.advance(10_000)
    assert.equal(arrivals.at('e').participants(), 5)
    arrivals.gone.add('b')
    assert.equal(arrivals.at('e').participants(), 4)
  })

  test('is not known while those who were met are away and have told nothing', async () => {
    const arrivals = new Arrivals()
    const { noticing } = arrivals
    await arrivals.arrive('a', 'b', 'c')
    await noticing.world.advance(60_000)
    for (const name of ['b', 'c']) noticing.crash(name)
    await arrivals.arrive('e')
    noticing.crash('a')
    await noticing.world.advance(10_000)
    assert.equal(arrivals.at('e').participants(), undefined)
  })
})
