// Peers crash, lose their disks and come back on a network that loses messages, while captures are kept. Whatever was called
// safe is there at the end, on every peer that is to have it, to the last byte.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl } from '../../record/url.ts'
import { pageCapture, pageText } from '../../store/fixtures/sample-captures.ts'
import type { PeerId } from '../../world/network.ts'
import { calm, stormy } from '../../world/simulated/network.ts'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'

const names: PeerId[] = ['a', 'b', 'c', 'd', 'e', 'f']
const rounds = 6
const repairMs = 60_000

class Storm {
  readonly peers: KeepingPeers
  readonly safe = new Map<string, string>()
  #captures = 0

  constructor(seed: number) {
    this.peers = new KeepingPeers(simulatedWorld({ seed }), { spreadGiveUpMs: 20_000 })
  }

  async run(): Promise<void> {
    const { world } = this.peers
    await this.peers.start(...names)
    for (let round = 0; round < rounds; round++) {
      world.network.setLink(stormy)
      await this.#suffer(names[world.random.below(names.length)]!)
      world.network.setLink(calm)
      await world.advance(repairMs)
    }
  }

  /** One is gone for a while, with its disk or without; captures come in all the time. */
  async #suffer(victim: PeerId): Promise<void> {
    const { peers } = this
    const { world } = peers
    this.#keepSome()
    await world.advance(world.random.below(3_000))
    peers.crash(victim)
    await world.advance(world.random.below(3_000))
    peers.draw(victim)
    this.#keepSome()
    await world.advance(30_000)
    await peers.restart(victim, { isWiped: world.random.below(2) === 0 })
    this.#keepSome()
    await world.advance(world.random.below(5_000))
    peers.draw()
    await world.advance(30_000)
  }

  /** Begun, and not waited for. */
  #keepSome(): void {
    for (let count = 0; count < 6; count++) {
      const number = this.#captures++
      const url = `http://site-${number % 9}.test/`
      const [owner] = this.peers.ring.replicasOf(parseUrl(url).ringKey)
      const body = pageText(number % 9, 3_000).replace('Page', `Version ${number % 4} of page`)
      if (this.peers.names.includes(owner!)) void this.#keep(owner!, url, 1_000 + number, body)
    }
  }

  async #keep(owner: PeerId, url: string, atMs: number, body: string): Promise<void> {
    const { store, copies } = this.peers.at(owner)
    try {
      const { capture } = await store.append(pageCapture(url, atMs, body))
      await copies.spread(capture)
      this.safe.set(`${url} ${atMs}`, body)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  async check(): Promise<void> {
    const { peers } = this
    assert(this.safe.size > 50, `${this.safe.size} captures are safe`)
    const contents = new Map<PeerId, Map<string, string>>()
    for (const name of names) {
      const found = new Map<string, string>()
      for (const [capture, text] of await peers.contentsOf(name)) {
        found.set(capture.split(' ', 2).join(' '), text)
      }
      contents.set(name, found)
      assert.deepEqual(await peers.world.complete(peers.at(name).store.checkIndex()), [])
    }
    for (const [capture, body] of this.safe) {
      const key = parseUrl(capture.split(' ')[0]!).ringKey
      for (const name of peers.ring.replicasOf(key)) {
        const text = contents.get(name)!.get(capture)
        assert(text?.endsWith(body), `${name} lacks ${capture}`)
        assert(peers.at(name).copies.isComplete(key), `${name} is not complete for ${capture}`)
      }
    }
    await peers.close()
  }
}

describe('in a storm', () => {
  test.each([1, 2, 3])('nothing that was safe is lost, seed %i', async (seed) => {
    const storm = new Storm(seed)
    await storm.run()
    await storm.check()
  })
})
