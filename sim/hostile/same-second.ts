// `npm run sim -- same-second`: one of four holders makes up captures of the very seconds in which honest peers captured pages, and
// gives them to everybody, before and after peers come that had neither.
//
// Promise: whoever is asked, holder or reader, old or new, shows for such a second what was captured, as long as fewer than half of
// a site's holders lie.

import assert from 'node:assert/strict'
import { type ArchivingPeer, openArchivingPeer, visit } from '../../src/app/fixtures/archiving-peer.ts'
import { chooseCapture, type Versions } from '../../src/model/capture-choice.ts'
import { allOf } from '../../src/model/listed.ts'
import { secondMs } from '../../src/model/same-second.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { bytesOf, pageCapture } from '../../src/store/fixtures/sample-captures.ts'
import type { Scenario } from '../scenario.ts'

interface Page {
  readonly url: string
  readonly secondMs: number
}

const honest = ['a', 'b', 'c']
const newcomers = ['d', 'e']
const hostile = 'm'
const pagesMax = 6
const [restMs, settleMs] = [40_000, 90_000]

export class SameSecondCampaign {
  readonly #world: SimulatedWorld
  readonly #peers = new Map<PeerId, ArchivingPeer>()
  readonly #wrong: string[] = []

  constructor(seed: string | number) {
    this.#world = simulatedWorld({ seed })
  }

  async run(): Promise<{ pages: number; read: number; wrong: number }> {
    for (const name of [...honest, hostile]) await this.#start(name)
    await this.#world.advance(restMs)
    const pages: Page[] = []
    for (const url of this.#urls()) pages.push(await this.#crawl(url))
    for (const page of pages) await this.#forge(page)
    await this.#world.advance(settleMs)
    let read = await this.#readAll(pages)
    for (const name of newcomers) {
      await this.#start(name)
      await this.#world.advance(settleMs)
      for (const page of pages) await this.#forge(page)
      await this.#world.advance(restMs)
      read += await this.#readAll(pages)
    }
    for (const peer of this.#peers.values()) await this.#world.complete(peer.close())
    return { pages: pages.length, read, wrong: this.#wrong.length }
  }

  assertHeld(): void {
    assert.deepEqual(this.#wrong, [])
  }

  /** Of sites that an honest peer owns and the hostile one keeps. */
  #urls(): string[] {
    const [some] = this.#peers.values()
    return Array.from({ length: 60 }, (_, number) => `http://site${number}.test/`)
      .filter((url) => {
        const [owner, ...others] = some!.places.fullSet(parseUrl(url).ringKey)
        return owner !== hostile && others.includes(hostile)
      })
      .slice(0, pagesMax)
  }

  async #crawl(url: string): Promise<Page> {
    const owner = this.#ownerOf(url)
    const second = Math.floor(this.#world.machine(owner.name).clock.nowMs() / secondMs) * secondMs
    await this.#world.complete(visit(owner, url, second + 500, 'captured'))
    await this.#world.advance(2_000)
    return { url, secondMs: second }
  }

  /** Before and behind what was captured, in the same second. */
  async #forge({ url, secondMs: second }: Page): Promise<void> {
    const { store, copies } = this.#peers.get(hostile)!
    for (const ms of [this.#world.random.below(500), 501 + this.#world.random.below(499)]) {
      const made = store.append(
        pageCapture(url, second + ms, `forged ${ms} ${this.#world.random.below(1e9)}`),
      )
      const { capture } = await this.#world.complete(made)
      copies.spread(capture).catch(() => {})
    }
    await this.#world.advance(1_000)
  }

  async #readAll(pages: readonly Page[]): Promise<number> {
    const readers = [...this.#peers.values()].filter(({ name }) => name !== hostile)
    for (const reader of readers)
      for (const page of pages) {
        const body = await this.#world.complete(this.#read(reader, page))
        if (body !== 'captured') this.#wrong.push(`${reader.name} shows ${page.url} as ${body}`)
      }
    return readers.length * pages.length
  }

  async #read({ reading }: ArchivingPeer, { url, secondMs: fromMs }: Page): Promise<string> {
    type Read = Parameters<typeof reading.read>[0] & { url: string; capturedAtMs: number; status: number }
    const versions: Versions<Read> = (asked, { reverse = false, ...range }) =>
      allOf(reading.versions(asked, { ...range, reverse }))
    const span = { fromMs, toMs: fromMs + secondMs }
    const chosen = await chooseCapture(versions, { url: parseUrl(url), span, policy: 'nearest' })
    if (chosen === undefined) return 'nothing'
    const { payload } = await reading.read(chosen)
    return String(await bytesOf(payload()))
  }

  async #start(name: PeerId): Promise<void> {
    const { network, clock, random, disk, keyValues, compressor } = this.#world.machine(name)
    const others = [...this.#peers.values()].map((peer) => ({ peer: peer.name, addresses: peer.addresses }))
    for (const { peer, addresses } of others) {
      network.learn(peer, addresses)
      this.#world.machine(peer).network.learn(name, network.addresses())
    }
    const world = { clock, random, disk, keyValues, compressor, network }
    const crawls = (peer: PeerId, site: string): boolean =>
      this.#peers.get(peer)?.places.isOwner(site as never) ?? false
    this.#peers.set(name, await this.#world.complete(openArchivingPeer(world, '/home', others, { crawls })))
  }

  #ownerOf(url: string): ArchivingPeer {
    return [...this.#peers.values()].find(({ places }) => places.isOwner(parseUrl(url).ringKey))!
  }
}

export const sameSecondScenario: Scenario = {
  promise: 'captures that one holder makes up for a second of another one are never shown for it',
  seedsByDefault: 50,
  async run(seed) {
    const campaign = new SameSecondCampaign(seed)
    const figures = await campaign.run()
    campaign.assertHeld()
    return figures
  },
}
