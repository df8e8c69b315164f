import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Url } from '../../model/url/url.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { SimulatedMachine } from '../../platform/simulated/machine.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import type { ExchangeOptions } from './exchange.ts'
import { ExchangeError } from './exchange-error.ts'
import { ChangingRing } from './fixtures/changing-ring.ts'
import { ExchangingPeer, nameOf, type PeerFaults } from './fixtures/exchanging-peer.ts'
import { linksToSites, linkTo } from './fixtures/sample-links.ts'
import { asText, type ForwardedLink, type LinkText } from './forwarded-link.ts'
import { type BatchAnswer, batchAnswer } from './wire/answer-coding.ts'
import { noHistory } from './wire/history.ts'
import { encodeLinks } from './wire/link-coding.ts'
import { packBatch } from './wire/packed-batch.ts'

const names = ['a', 'b', 'c', 'd', 'e']

class TestNetwork {
  readonly world: SimulatedWorld = simulatedWorld({ seed: 1 })
  readonly ring = new ChangingRing(this.world, names)
  readonly peers = new Map<string, ExchangingPeer>()
  readonly faults: PeerFaults = { takeFailures: 0, isReady: () => true }
  readonly options: Partial<ExchangeOptions>

  constructor(options: Partial<ExchangeOptions> = {}) {
    this.options = options
  }

  async start(...starting: string[]): Promise<this> {
    for (const name of starting.length > 0 ? starting : names) {
      const machine = this.world.machine(name)
      if (!machine.isUp) machine.restart()
      const needs = { ring: this.ring, random: this.world.random.fork(name), faults: this.faults }
      this.peers.set(name, await this.world.complete(ExchangingPeer.open(machine, needs, this.options)))
    }
    return this
  }

  peer(name: string): ExchangingPeer {
    return this.peers.get(name)!
  }

  crash(name: string): SimulatedMachine {
    const machine = this.world.machine(name)
    machine.crash()
    return machine
  }

  offer(name: string, links: readonly ForwardedLink[]): Promise<void> {
    return this.world.complete(this.peer(name).exchange.offer(links))
  }

  /** Those of the links that their owners have not got. */
  missing(links: readonly ForwardedLink[]): string[] {
    const taken = new Map([...this.peers].map(([name, peer]) => [name, peer.taken()]))
    return links
      .filter((link) => !taken.get(this.ring.ownerOf(link.url.ringKey))!.has(nameOf(link)))
      .map(nameOf)
  }

  /** So many links, each of another site of this owner. */
  linksOf(owner: string, count: number): ForwardedLink[] {
    return this.linksWhere((name) => name === owner, count)
  }

  linksWhere(isWanted: (owner: string) => boolean, count: number): ForwardedLink[] {
    const found: ForwardedLink[] = []
    for (let site = 0; found.length < count; site++) {
      const [link] = linksToSites(1, site)
      if (isWanted(this.ring.ownerOf(link!.url.ringKey))) found.push(link!)
    }
    return found
  }

  /** What a peer answers to a batch of these, sent by hand. */
  async ask(name: string, links: readonly LinkText[]): Promise<BatchAnswer> {
    const { compressor } = this.world.machine(name)
    const bytes = await packBatch(compressor, encodeLinks(links), { history: noHistory, wantsArc: true })
    const context = { channel: 'control' as const, signal: new AbortController().signal }
    return batchAnswer.decode(await this.peer(name).exchange.answer('stranger', bytes, context))
  }
}

describe('the way to the owner', () => {
  test('every owner gets its links, and one lookup is enough for a walk round the ring', async () => {
    const network = await new TestNetwork().start()
    for (const [index, name] of names.entries()) {
      const links = linksToSites(200, 200 * index)
      await network.offer(name, links)
      await network.world.advance(5_000)
      assert.deepEqual(network.missing(links), [])
      assert.ok(network.peer(name).exchange.status().sent.lookups <= 1)
    }
    const more = linksToSites(500, 1_000)
    const lookups = (): number => network.peer('c').exchange.status().sent.lookups
    const before = lookups()
    await network.offer('c', more)
    await network.world.advance(5_000)
    assert.deepEqual(network.missing(more), [])
    assert.equal(lookups(), before)
  })

  test('links that are our own are taken without a call', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('b', 20)
    await network.offer('b', links)
    await network.world.advance(2_000)
    assert.deepEqual(network.missing(links), [])
    assert.equal(network.peer('b').exchange.status().sent.bytes, 0)
  })

  test('all that is said of a link comes over', async () => {
    const network = await new TestNetwork().start()
    const more = {
      jobId: 'ü',
      depth: 4,
      requisiteHops: 2,
      redirects: 1,
      priority: 0.5,
    }
    const link = linkTo(network.linksOf('c', 1)[0]!.url.href, { ...more, kind: 'redirect' })
    await network.offer('a', [link])
    await network.world.advance(2_000)
    assert.deepEqual(network.missing([link]), [])
  })

  test('a link that comes alone is sent at once, those that follow wait for company, but not for long', async () => {
    const network = await new TestNetwork({ ageMsMax: 10_000, batchCharsMax: 2_000 }).start()
    const batches = (): number => network.peer('a').exchange.status().sent.batches
    const [first, ...rest] = network.linksOf('c', 500)
    await network.world.advance(15_000)
    await network.offer('a', [first!])
    await network.world.advance(1_000)
    assert.equal(batches(), 1)
    await network.offer('a', rest.slice(0, 5))
    await network.world.advance(4_000)
    await network.offer('a', rest.slice(5, 10))
    await network.world.advance(4_000)
    assert.equal(batches(), 1)
    await network.world.advance(2_000)
    assert.equal(batches(), 2)
    await network.offer('a', rest.slice(10))
    await network.world.advance(1_000)
    assert.ok(batches() > 2)
  })
})

describe('batches', () => {
  test('to a peer that was served just now wait for company, also while walks come by for others', async () => {
    const network = await new TestNetwork().start()
    const [links, waiting] = [network.linksOf('c', 60), network.linksOf('b', 1)]
    await network.offer('a', links.slice(0, 10))
    await network.world.advance(5_000)
    const before = network.peer('c').exchange.status().received.batches
    // Asked for again and again, at first three times a second.
    network.faults.isReady = (site) => site !== waiting[0]!.url.ringKey
    await network.offer('a', waiting)
    for (let at = 10; at < 60; at++) {
      await network.offer('a', links.slice(at, at + 1))
      await network.world.advance(100)
    }
    await network.world.advance(1_000)
    assert.deepEqual(network.missing(links), [])
    const { batches } = network.peer('c').exchange.status().received
    assert.ok(batches - before <= 7, `${batches - before} batches in six seconds`)
  })

  test('to a peer that speaks another version wait, and none of their links is put aside', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 20)
    network.crash('c')
    const machine = network.world.machine('c')
    machine.restart()
    const calls = new CallServices(new Calls(machine)).service('crawl')
    calls.answer(() => {
      throw new ExchangeError('exchange-version', 'Of another version')
    })
    await network.offer('a', links)
    await network.world.advance(30_000)
    const { waiting, sent } = network.peer('a').exchange.status()
    assert.deepEqual([waiting.links, sent.aside, sent.links], [20, 0, 0])
    network.crash('c')
    await network.start('c')
    await network.world.advance(60_000)
    assert.deepEqual(network.missing(links), [])
  })
})

describe('when something fails', () => {
  test('a peer that was down gets what it missed', async () => {
    const network = await new TestNetwork().start()
    network.crash('c')
    const links = linksToSites(200)
    await network.offer('a', links)
    await network.world.advance(30_000)
    assert.deepEqual(
      network.missing(links.filter(({ url }) => network.ring.ownerOf(url.ringKey) !== 'c')),
      [],
    )
    assert.equal(network.peer('a').exchange.status().silentPeers, 1)
    await network.start('c')
    await network.world.advance(60_000)
    assert.deepEqual(network.missing(links), [])
    assert.equal(network.peer('a').exchange.status().silentPeers, 0)
  })

  test('what waits for a dead owner goes to the new one', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 50)
    network.crash('c')
    await network.offer('a', links)
    await network.world.advance(10_000)
    network.ring.setMembers(names.filter((name) => name !== 'c'))
    await network.world.advance(60_000)
    assert.deepEqual(network.missing(links), [])
  })

  test('while the ring knows no owner, links wait', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 50)
    network.ring.lookupFailures = 1
    await network.offer('a', links)
    await network.world.advance(10_000)
    assert.equal(network.missing(links).length, 50)
    network.ring.lookupFailures = 0
    await network.world.advance(5_000)
    assert.deepEqual(network.missing(links), [])
  })

  test('a sender that lost its power sends what it had accepted', async () => {
    const network = await new TestNetwork().start()
    const links = linksToSites(200)
    await network.offer('a', links)
    network.crash('a')
    await network.start('a')
    assert.equal(network.peer('a').exchange.status().waiting.links, 200)
    await network.world.advance(5_000)
    assert.deepEqual(network.missing(links), [])
  })

  test('a receiver that was started again has forgotten the history, which costs no link and no failure', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 40)
    await network.offer('a', links.slice(0, 20))
    await network.world.advance(3_000)
    network.crash('c')
    await network.start('c')
    await network.offer('a', links.slice(20))
    await network.world.advance(3_000)
    assert.deepEqual(network.missing(links), [])
    assert.equal(network.peer('a').exchange.status().sent.failures, 0)
  })

  test('when the outbox is full, who offers waits', async () => {
    const network = await new TestNetwork({ waitingMax: 1_000, patienceLongestMs: 2_000 }).start('a')
    const links = network.linksWhere((owner) => owner !== 'a', 1_500)
    const offering = network.peer('a').exchange.offer(links)
    let isDone = false
    void offering.then(() => {
      isDone = true
    })
    await network.world.advance(10_000)
    assert.equal(isDone, false)
    assert.equal(network.peer('a').exchange.status().waiting.links, 1_000)
    assert.equal(network.peer('a').exchange.status().waitingCallers, 1)
    await network.start('b', 'c', 'd', 'e')
    await network.world.complete(offering)
    await network.world.advance(60_000)
    assert.deepEqual(network.missing(links), [])
  })
})

describe('who waits for links to arrive', () => {
  test('is told when they have, also of links that somebody else had offered just before', async () => {
    const network = await new TestNetwork().start('a', 'b')
    const [links, others] = [network.linksOf('b', 3), network.linksOf('c', 3)]
    const sitesOf = (some: readonly ForwardedLink[]) => some.map(({ url }) => url.ringKey)
    const { exchange } = network.peer('a')
    const never = new AbortController()
    const waitFor = (some: readonly ForwardedLink[]): { has: boolean } => {
      const waiting = { has: false }
      void exchange.waitUntilDelivered(sitesOf(some), never.signal).then(() => {
        waiting.has = true
      })
      return waiting
    }
    await network.offer('a', [...links, ...others])
    await network.offer('a', links)
    const [first, second] = [waitFor(links), waitFor(others)]
    await network.world.advance(0)
    assert.deepEqual([first.has, second.has], [false, false])
    await network.world.advance(5_000)
    assert.deepEqual([first.has, second.has], [true, false])
    assert.deepEqual(network.missing(links), [])
    await network.start('c')
    await network.world.advance(60_000)
    assert.equal(second.has, true)
  })

  test('can stop waiting', async () => {
    const network = await new TestNetwork().start('a')
    const links = network.linksOf('b', 3)
    await network.offer('a', links)
    const enough = new AbortController()
    const waiting = network.peer('a').exchange.waitUntilDelivered(
      links.map(({ url }) => url.ringKey),
      enough.signal,
    )
    enough.abort()
    await network.world.complete(waiting)
  })
})

describe('what was sent lately', () => {
  test('is not sent again, nor after a restart', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 30)
    await network.offer('a', links)
    await network.world.advance(3_000)
    await network.offer('a', links)
    network.crash('a')
    await network.start('a')
    await network.offer('a', links)
    await network.world.advance(3_000)
    const { spared, sent, waiting } = network.peer('a').exchange.status()
    assert.deepEqual([spared, sent.links, waiting.links], [30, 0, 0])
  })
})

describe('receiving', () => {
  test('a batch that was taken is known when it comes again', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 30).map(asText)
    assert.equal((await network.world.complete(network.ask('c', links))).isKnown, false)
    network.faults.takeFailures = 1
    assert.equal((await network.world.complete(network.ask('c', links))).isKnown, true)
    // Flushed with the links of somebody else, or not: then it takes them again.
    await network.world.complete(network.peer('c').exchange.offer(linksToSites(1)))
    network.crash('c')
    await network.start('c')
    assert.equal((await network.world.complete(network.ask('c', links))).isKnown, true)
  })

  test('links of others are refused, with who owns them, and not forgotten to be ours later', async () => {
    const network = await new TestNetwork().start()
    const [own, foreign] = [network.linksOf('c', 10), network.linksOf('d', 10)]
    const links = [...own, ...foreign]
    const answer = await network.world.complete(network.ask('c', links.map(asText)))
    assert.deepEqual(
      answer.refused.map(({ from, count, owner }) => [from, count, owner?.peer]),
      foreign.map((_, index) => [10 + index, 1, 'd']),
    )
    assert.deepEqual([...network.peer('c').taken()].sort(), own.map(nameOf).sort())
    assert.ok(answer.arc!.upTo >= own[0]!.url.ringKey || answer.arc!.after < own[0]!.url.ringKey)
    network.ring.setMembers(['c'])
    await network.world.advance(5_000)
    assert.deepEqual((await network.world.complete(network.ask('c', links.map(asText)))).refused, [])
    assert.equal(network.peer('c').taken().size, 20)
  })

  test('what is no batch, or no URL, gets a typed error', async () => {
    const network = await new TestNetwork().start()
    const [link] = network.linksOf('c', 1).map(asText)
    for (const href of ['http://C.example/', 'http://a.example/#x', 'ftp://a.example/', 'nonsense', '']) {
      await assert.rejects(network.world.complete(network.ask('c', [{ ...link!, href }])), {
        code: 'message-malformed',
      })
    }
    const context = { channel: 'control' as const, signal: new AbortController().signal }
    const answering = async (bytes: Uint8Array): Promise<unknown> =>
      network.peer('c').exchange.answer('stranger', bytes, context)
    await assert.rejects(answering(new Uint8Array()), { code: 'message-malformed' })
    await assert.rejects(answering(new Uint8Array(1_000).fill(2)), { code: 'exchange-history-unknown' })
    await assert.rejects(answering(new Uint8Array(1_000).fill(9)), { code: 'exchange-version' })
    assert.equal(network.peer('c').taken().size, 0)
  })

  test('only so many batches of one peer are taken at once', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 40).map(asText)
    const answers = Promise.allSettled(links.map((link) => network.ask('c', [link])))
    const codes = (await network.world.complete(answers)).map((result) =>
      result.status === 'fulfilled' ? 'taken' : result.reason.code,
    )
    assert.deepEqual([...new Set(codes)].sort(), ['exchange-busy', 'taken'])
    assert.equal(codes.filter((code) => code === 'taken').length, 16)
  })

  test('sites that are not ready are sent again soon, and hold up no others', async () => {
    const network = await new TestNetwork({ batchCharsMax: 400 }).start()
    const links = network.linksOf('c', 100)
    const notReady = new Set(links.slice(0, 60).map(({ url }) => url.ringKey))
    network.faults.isReady = (site) => !notReady.has(site)
    await network.offer('a', links)
    await network.world.advance(10_000)
    assert.deepEqual(network.missing(links.slice(60)), [])
    const { waiting, sent, silentPeers } = network.peer('a').exchange.status()
    assert.deepEqual([waiting.links, sent.failures, silentPeers], [60, 0, 0])
    notReady.clear()
    await network.world.advance(6_000)
    assert.deepEqual(network.missing(links), [])
    assert.equal(network.peer('a').exchange.status().waiting.links, 0)
  })

  test('our own sites that are not ready wait as those of others do', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('b', 20)
    network.faults.isReady = (site) => site !== links[0]!.url.ringKey
    await network.offer('b', links)
    await network.world.advance(5_000)
    assert.deepEqual(network.missing(links), [nameOf(links[0]!)])
    network.faults.isReady = () => true
    await network.world.advance(6_000)
    assert.deepEqual(network.missing(links), [])
  })

  test('links of a site that was moved to us while they waited are taken here', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 20)
    const moved = links[0]!.url.ringKey
    network.faults.isReady = (site) => site !== moved
    await network.offer('a', links)
    await network.world.advance(5_000)
    // The owner would pass them on to us for ever.
    network.faults.leads = (name, site) => name === 'a' && site === moved
    network.crash('c')
    network.faults.isReady = () => true
    await network.world.advance(20_000)
    assert(network.peer('a').taken().has(nameOf(links[0]!)))
    assert.equal(network.peer('a').exchange.status().waiting.links, 0)
  })

  test.each([
    { from: 'a', whose: 'their owner' },
    { from: 'c', whose: 'this peer itself, their owner,' },
  ])('links that $whose cannot read are put aside, and all others arrive', async ({ from }) => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 40)
    const site = links[20]!.url
    // As a peer of another version would write it, or a disk that has rotted.
    const bad = [3, 7].map((index) => ({
      ...links[20]!,
      url: { ...site, ringKey: site.ringKey, href: `${site.href}#${index}` } as Url,
    }))
    await network.offer(from, [...links, ...bad])
    await network.world.advance(10_000)
    assert.deepEqual(network.missing(links), [])
    const { waiting, sent } = network.peer(from).exchange.status()
    assert.deepEqual([waiting.links, sent.aside], [0, 2])
  })

  test('how many links of a job wait is known, also after a power cut', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 30).map((link, index) => ({ ...link, jobId: index < 10 ? 'x' : 'y' }))
    await network.offer('a', links)
    network.crash('a')
    await network.start('a')
    const waiting = (): number[] => ['x', 'y', 'z'].map((job) => network.peer('a').exchange.waitingOf(job))
    assert.deepEqual(waiting(), [10, 20, 0])
    await network.world.advance(5_000)
    assert.deepEqual(waiting(), [0, 0, 0])
  })

  test('what could not be sent is not accepted', async () => {
    const network = await new TestNetwork().start()
    for (const wrong of [
      { jobId: 'a\nb' },
      { jobId: '\ud800' },
      { depth: -1 },
      { depth: 0.5 },
      { redirects: 2 ** 40 },
    ]) {
      await assert.rejects(network.offer('a', [linkTo('http://a.example/', wrong)]), /job|steps/)
    }
    assert.equal(network.peer('a').exchange.status().waiting.links, 0)
  })

  test('after closing nothing is offered or taken', async () => {
    const network = await new TestNetwork().start()
    const links = network.linksOf('c', 1)
    await network.world.complete(network.peer('c').close())
    await assert.rejects(network.offer('c', links), { code: 'exchange-closed' })
    await assert.rejects(network.world.complete(network.ask('c', links.map(asText))), {
      code: 'exchange-closed',
    })
  })
})
