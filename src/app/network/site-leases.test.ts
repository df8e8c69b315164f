// Three peers with real frontiers on simulated machines: whose a site is follows from who is there.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { FetchTask } from '../../crawl/frontier/fetch-task.ts'
import { Frontier } from '../../crawl/frontier/frontier.ts'
import { jobNames } from '../../crawl/frontier/sites/entry-names.ts'
import { politenessDefault } from '../../crawl/politeness/politeness-rules.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { SiteEntry } from '../../network/frontier-replication/site-frontier.ts'
import {
  type HoldingAnswer,
  holdingAnswers,
  type Question,
  recallAnswers,
  siteQuestion,
} from '../../network/frontier-replication/wire/questions.ts'
import { siteBatchAnswers } from '../../network/frontier-replication/wire/site-batch.ts'
import { leaseTermsDefault } from '../../network/leases/lease.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { silentLog } from '../../platform/log.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import { openSiteLeases, type SiteLeases } from './site-leases.ts'

const job = { seeds: ['http://site.example/'], scope: 'any', budgets: {} } as const
const url = parseUrl('http://site.example/')
const site = url.ringKey
const delayMs = 1_000
const politeness = { ...politenessDefault, delayMs, addressDelayMs: 0 }
/** The first byte of a question about sites. */
const toSites = 1
const ok = { outcome: 'fetched', status: 200, responseMs: 5 } as const

interface Peer {
  readonly name: string
  readonly frontier: Frontier
  readonly sites: SiteLeases
  readonly jobId: string
}

/** The first of those who are there owns the site, and all of them keep it. */
class Bench {
  readonly world: SimulatedWorld = simulatedWorld({ seed: 1 })
  readonly names = ['a', 'b', 'c']
  present = [...this.names]
  /** How `c` answers about sites; undefined: as an honest peer. */
  lie: (question: Question) => Uint8Array | undefined = () => undefined
  readonly #listeners = new Map<string, () => void>()
  readonly #calls = new Map<string, Calls>()

  async open(name: string): Promise<Peer> {
    const { clock, random, network, keyValues } = this.world.machine(name)
    const map = (folder: string) =>
      this.world.complete(keyValues.open(folder, { hasJournal: folder !== '/frontier' }))
    for (const other of this.names) network.learn(other, [`/simulated/${other}`])
    const frontier = new Frontier({ keyValue: await map('/frontier'), clock, random }, { politeness })
    const sites = openSiteLeases({
      frontier,
      calls: this.#callsOf(name, new Calls({ network, clock, random })),
      places: {
        self: name,
        isOwner: () => this.present[0] === name,
        replicaSet: () => (this.present[0] === name ? this.present : undefined),
        fullSet: () => this.names,
        isGone: () => false,
        onChange: (listener) => {
          this.#listeners.set(name, listener)
          return () => {}
        },
        owners: { ownerOf: async () => ({ peer: this.present[0]!, upTo: site, addresses: [] }) },
      },
      leases: await map('/stewards'),
      replicas: await map('/shadows'),
      clock,
      random,
      log: silentLog,
    })
    return { name, frontier, sites, jobId: name === 'a' ? frontier.jobs.join(job).id : '' }
  }

  #callsOf(name: string, calls: Calls): CallService {
    this.#calls.set(name, calls)
    return {
      bytesMax: calls.bytesMax,
      call: (to, question, options) => calls.call(to, question, options),
      answer: (handler) =>
        calls.answer(async (from, bytes, signal) => {
          const isLie = name === 'c' && bytes[0] === toSites
          return (isLie && this.lie(siteQuestion.decode(bytes.subarray(1)))) || handler(from, bytes, signal)
        }),
    }
  }

  /** As `c`. */
  tell(peer: string, question: Question): Promise<Uint8Array> {
    const bytes = [Uint8Array.of(toSites), siteQuestion.encode(question)]
    return this.world.complete(this.#calls.get('c')!.call(peer, bytes, { deadlineMs: 5_000 }))
  }

  /** What `a` says to `c`, which has a copy of this epoch. */
  async report(epoch: number): Promise<readonly HoldingAnswer[]> {
    const sites = [{ site, position: { epoch, sequence: 1 } }]
    return holdingAnswers.decode(await this.tell('a', { kind: 'holdings', sites }), 1)
  }

  /** Everybody learns at once who is there. */
  change(present: string[]): void {
    this.present = present
    for (const listener of this.#listeners.values()) listener()
  }

  async add({ frontier, sites, jobId }: Peer, paths: string[]): Promise<void> {
    await this.world.complete(sites.waitUntilReady(site))
    const urls = paths.map((path) => parseUrl(`http://site.example/${path}`))
    const links = urls.map((found) => ({ url: found, kind: 'navigation', jobId, depth: 1, via: '' }) as const)
    await this.world.complete(frontier.add(links))
    await this.world.complete(sites.waitUntilSafe([site]))
  }

  async task(peer: Peer): Promise<FetchTask> {
    for (let looks = 0; looks < 10_000; looks++) {
      const answer = await this.world.complete(peer.frontier.nextTask())
      if (answer.kind === 'task') return answer.task
      await this.world.advance(50)
    }
    throw new Error('the frontier gives nothing out')
  }

  /** What is given out, one after the other, until nothing is for a while. */
  async crawl(peer: Peer): Promise<string[]> {
    const paths: string[] = []
    for (let quietMs = 0; quietMs < 60_000; ) {
      const answer = await this.world.complete(peer.frontier.nextTask())
      if (answer.kind === 'task') {
        const { task } = answer
        paths.push(task.url.target.slice(1))
        peer.frontier.visits.visited(task.url, { atMs: peer.frontier.nowMs(), outcome: 'new' })
        await this.world.complete(peer.frontier.complete(task, ok))
        quietMs = 0
      } else {
        await this.world.advance(200)
        quietMs += 200
      }
    }
    return paths
  }
}

async function opened(): Promise<{ bench: Bench; a: Peer; b: Peer; c: Peer }> {
  const bench = new Bench()
  return { bench, a: await bench.open('a'), b: await bench.open('b'), c: await bench.open('c') }
}

describe('a site', () => {
  test('is ready at its owner only', async () => {
    const { bench, a, b } = await opened()
    await assert.rejects(bench.world.complete(b.sites.waitUntilReady(site)), {
      code: 'site-not-ours',
      retry: 'later',
    })
    await bench.world.complete(a.sites.waitUntilReady(site))
    assert.deepEqual([a.sites.canCrawl(site), b.sites.canCrawl(site)], [true, false])
  })

  test('is not ready where most of its members do not answer', async () => {
    const { bench, a } = await opened()
    bench.world.network.cut(['a'], ['b', 'c'])
    await assert.rejects(bench.world.complete(a.sites.waitUntilReady(site)), {
      code: 'site-not-ready',
      retry: 'later',
    })
  })

  test('what was called safe is given out by the next owner when the first loses its power, and nothing that was done', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2', '3', '4'])
    const task = await bench.task(a)
    a.frontier.visits.visited(task.url, { atMs: a.frontier.nowMs(), outcome: 'new' })
    a.frontier.notes.put(task.url, 'robots', Buffer.from('rules'))
    await bench.world.complete(
      a.frontier.complete(task, ok, [{ url: parseUrl('http://site.example/5'), kind: 'navigation' }]),
    )
    await bench.world.complete(a.sites.waitUntilSafe())
    bench.world.machine('a').crash()
    bench.change(['b', 'c'])
    assert.deepEqual((await bench.crawl(b)).sort(), ['2', '3', '4', '5'])
    assert.equal(Buffer.from(b.frontier.notes.get(url, 'robots')!).toString(), 'rules')
    assert.notEqual(b.frontier.visits.of(task.url), undefined)
    assert.notEqual(b.frontier.visits.nextAtMs(), undefined)
  })

  test('goes to a new owner whole, once nothing of it is under way', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2', '3'])
    const task = await bench.task(a)
    bench.change(['b', 'c', 'a'])
    await bench.world.advance(10_000)
    assert.deepEqual([a.sites.canCrawl(site), b.sites.canCrawl(site)], [false, false])
    assert.equal(a.frontier.enter(task, '192.0.2.1'), false)
    await bench.world.complete(
      a.frontier.complete(task, ok, [{ url: parseUrl('http://site.example/4'), kind: 'navigation' }]),
    )
    const endedMs = bench.world.simulation.nowMs
    const first = await bench.task(b)
    assert.ok(bench.world.simulation.nowMs - endedMs >= delayMs)
    assert.equal(first.url.target, '/2')
    await bench.world.complete(b.frontier.complete(first, ok))
    assert.deepEqual(await bench.crawl(b), ['3', '4'])
    assert.equal(a.frontier.sites.head(site), undefined)
    assert.deepEqual(a.frontier.jobs.find(a.jobId)!.counters.pending, 0)
  })

  test('goes on at once where the next owner is when its peer takes leave', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2'])
    await bench.world.complete(a.sites.close())
    bench.world.machine('a').kill()
    const leftMs = bench.world.simulation.nowMs
    bench.change(['b', 'c'])
    await bench.task(b)
    // Sooner than grants end by themselves.
    assert.ok(bench.world.simulation.nowMs - leftMs < leaseTermsDefault.leaseMs / 2)
  })

  test('comes back to its owner after a restart, and nothing is given out before', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2'])
    bench.world.machine('a').kill()
    bench.world.machine('a').restart()
    const again = await bench.open('a')
    assert.equal((await bench.world.complete(again.frontier.nextTask())).kind, 'wait')
    assert.deepEqual(await bench.crawl(again), ['1', '2'])
    assert.equal(b.sites.canCrawl(site), false)
  })

  test('a peer that was cut off neither asks nor calls anything safe, and gives up what it did alone', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1'])
    bench.world.network.cut(['a'], ['b', 'c'])
    const alone = parseUrl('http://site.example/alone')
    await bench.world.complete(
      a.frontier.add([{ url: alone, kind: 'navigation', jobId: a.jobId, depth: 1, via: '' }]),
    )
    await assert.rejects(bench.world.complete(a.sites.waitUntilSafe([site])), {
      code: 'site-not-safe',
      retry: 'later',
    })
    bench.change(['b', 'c'])
    await bench.world.advance(30_000)
    assert.equal(a.sites.canCrawl(site), false)
    assert.deepEqual(await bench.crawl(b), ['1'])
    bench.world.network.heal()
    bench.change(['a', 'b', 'c'])
    await bench.world.complete(a.sites.waitUntilReady(site))
    assert.equal(a.frontier.isKnown(parseUrl('http://site.example/1'), a.jobId), true)
    assert.equal(a.frontier.isKnown(alone, a.jobId), false)
    assert.deepEqual(await bench.crawl(a), [])
  })

  test('what a job knew before it was started anew is forgotten everywhere', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2'])
    await bench.crawl(a)
    a.frontier.jobs.restart(a.jobId)
    await bench.add(a, ['1', '3'])
    bench.world.machine('a').crash()
    bench.change(['b', 'c'])
    const paths = await bench.crawl(b)
    assert.ok(
      ['1', '3'].every((path) => paths.includes(path)),
      `${paths}`,
    )
    assert.equal(b.frontier.isKnown(parseUrl('http://site.example/2'), a.jobId), false)
  })
})

describe('one of three members lies', () => {
  test('recalls of somebody who is not lease holder fence nobody off', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1'])
    for (const peer of ['a', 'b']) {
      const answer = await bench.tell(peer, { kind: 'recall', sites: [{ site, epoch: 128 }] })
      assert.deepEqual(recallAnswers.decode(answer, 1), ['later'])
    }
    await bench.add(a, ['2'])
    bench.change(['b', 'c', 'a'])
    assert.deepEqual(await bench.crawl(b), ['1', '2'])
  })

  test('batches of somebody who is not lease holder are not taken', async () => {
    const { bench, a, b } = await opened()
    await bench.add(a, ['1', '2'])
    const upTo = { epoch: 128, sequence: 2 ** 39 }
    const copy = { kind: 'copy', copy: 1, index: 0, upTo } as const
    const siteBatch = { site, epoch: 128, since: 128, established: 2 ** 32 - 1, load: copy, entries: [] }
    for (const epoch of [1, 128]) {
      const load = { ...copy, upTo: { ...upTo, epoch } }
      const answer = await bench.tell('b', {
        kind: 'ship',
        shipment: { jobs: [], batches: [{ ...siteBatch, epoch, load }] },
      })
      assert.deepEqual(siteBatchAnswers.decode(answer, 1), [{ kind: 'later' }])
    }
    bench.world.machine('a').crash()
    bench.change(['b', 'c'])
    assert.deepEqual(await bench.crawl(b), ['1', '2'])
  })

  test('that somebody else is lease holder does not count on its word', async () => {
    const { bench, a, b } = await opened()
    bench.lie = ({ kind }) => {
      if (kind === 'ship') return siteBatchAnswers.encode([{ kind: 'superseded', epoch: 128 }])
      return kind === 'recall' ? recallAnswers.encode(['superseded']) : undefined
    }
    await bench.add(a, ['1'])
    await bench.world.advance(60_000)
    await bench.add(a, ['2'])
    bench.change(['b', 'c', 'a'])
    assert.deepEqual(await bench.crawl(b), ['1', '2'])
  })

  test.each(['hands over', 'is gone'])(
    'what it says to be the newest state does not count when the lease holder %s',
    async (how) => {
      const { bench, a, b } = await opened()
      await bench.add(a, ['1', '2'])
      bench.lie = ({ kind }) =>
        kind === 'recall'
          ? recallAnswers.encode([{ position: { epoch: 1, sequence: 2 ** 30 }, established: 2 ** 32 }])
          : undefined
      if (how === 'is gone') bench.world.machine('a').crash()
      bench.change(how === 'is gone' ? ['b', 'c'] : ['b', 'c', 'a'])
      await bench.world.advance(120_000)
      assert.deepEqual(await bench.crawl(b), ['1', '2'])
    },
  )

  test.each([1, 1_500])(
    'what it brought, as lease holder, of %i jobs that nobody knows keeps no next owner from the site',
    async (madeUp) => {
      const { bench, a, b, c } = await opened()
      await bench.add(a, ['1', '2'])
      bench.change(['c', 'a', 'b'])
      await bench.world.complete(c.sites.waitUntilReady(site))
      await bench.world.advance(5_000)
      const after = c.frontier.sites.positionOf(site)!
      const upTo = { ...after, sequence: after.sequence + 1 }
      const entries = Array.from({ length: madeUp }, (_, number): SiteEntry => {
        const [name] = jobNames({ idBytes: `job${number}`.padEnd(10) })
        return [name!, Buffer.from('1')]
      })
      const load = { kind: 'changes', after, upTo } as const
      const { epoch } = after
      const batches = [{ site, epoch, since: epoch, established: 0, load, entries }]
      for (const peer of ['a', 'b']) {
        const answer = await bench.tell(peer, { kind: 'ship', shipment: { jobs: [], batches } })
        assert.deepEqual(siteBatchAnswers.decode(answer, 1), [{ kind: 'taken' }])
      }
      bench.world.machine('c').crash()
      bench.change(['b', 'a'])
      await bench.world.advance(120_000)
      assert.deepEqual(await bench.crawl(b), ['1', '2'])
    },
  )

  test('a copy of a later epoch than the lease that members renew leaves the site with its crawler', async () => {
    const { bench, a } = await opened()
    await bench.add(a, ['1'])
    for (let count = 0; count < 3; count++) {
      assert.deepEqual(await bench.report(127), ['keep'])
      await bench.world.advance(10_000)
    }
    await bench.add(a, ['2'])
  })

  test('without most members nobody can say whether there is a later lease', async () => {
    const { bench, a } = await opened()
    await bench.add(a, ['1'])
    bench.world.machine('b').crash()
    bench.world.network.cut(['a'], ['c'])
    await bench.world.advance(60_000)
    bench.world.network.heal()
    assert.deepEqual(await bench.report(127), ['coming'])
  })

  test.each(['before', 'while', 'after'])(
    'ring keys that it makes up to begin like the site’s change nothing of it, named %s it is crawled',
    async (when) => {
      const { bench, a, b, c } = await opened()
      const siblings = Array.from(
        { length: 8 },
        (_, number) =>
          `${site.slice(0, -1)}${((Number.parseInt(site.at(-1)!, 16) + number + 1) % 16).toString(16)}`,
      ).filter((name) => name !== site) as (typeof site)[]
      const name = async () => {
        const position = { epoch: 3, sequence: 7 }
        const sites = siblings.map((sibling) => ({ site: sibling, position }))
        await bench.tell(bench.present[0]!, { kind: 'holdings', sites })
      }
      /** Its siblings are taken over, and gone again once it is another's to own them. */
      const settle = async () => {
        await bench.world.advance(60_000)
        assert.deepEqual(
          [a, b].map(({ sites }) => sites.unsettled()),
          [0, 0],
        )
      }
      if (when === 'before') {
        await name()
        await settle()
      }
      await bench.add(a, ['1', '2', '3'])
      const task = await bench.task(a)
      a.frontier.notes.put(task.url, 'robots', Buffer.from('rules'))
      if (when === 'while') {
        await name()
        await settle()
        assert(siblings.some((sibling) => a.sites.canCrawl(sibling)))
      }
      assert.equal(a.sites.canCrawl(site), true)
      await bench.world.complete(a.frontier.complete(task, ok))
      await bench.add(a, ['4'])
      assert.equal(a.sites.leaseFacts(site)!.copies, 3)
      if (when === 'after') {
        assert.deepEqual(await bench.crawl(a), ['2', '3', '4'])
        await name()
        await settle()
        await bench.add(a, ['5', '6'])
      }
      bench.change(['b', 'a', 'c'])
      await bench.world.advance(60_000)
      await name()
      await settle()
      assert.deepEqual([a.sites.canCrawl(site), b.sites.canCrawl(site)], [false, true])
      assert.equal(Buffer.from(b.frontier.notes.get(url, 'robots')!).toString(), 'rules')
      await bench.add({ ...b, jobId: a.jobId }, ['1', '7'])
      bench.world.machine('b').crash()
      bench.change(['a', 'c'])
      const left = when === 'after' ? ['5', '6', '7'] : ['2', '3', '4', '7']
      assert.deepEqual((await bench.crawl(a)).sort(), left)
      assert.equal(c.sites.canCrawl(site), false)
    },
  )
})
