import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { jobIdOf } from '../../crawl/frontier/jobs/crawl-job.ts'
import { ringKeyOf } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import { everything, JobNetwork, names, request, sites, started } from './fixtures/job-network.ts'
import {
  countersDoNotFall,
  endsWhenAllIsFetched,
  losesNoPage,
  waitsForCopies,
} from './fixtures/seeded-jobs.ts'

describe('a job of the network', () => {
  test('is worked on by all, and its end is known to all when everything was fetched once', async () => {
    const network = await started()
    const id = await network.begin('c')
    const job = await network.untilDone('a', id)
    assert.equal(job.ending, 'complete')
    assert.equal(new Set(network.fetched).size, everything)
    assert.equal(network.fetched.length, everything)
    assert.deepEqual(
      [job.counters.fetched, job.counters.queued, job.counters.pending],
      [everything, everything, 0],
    )
    for (const name of names) {
      assert.deepEqual((await network.view(name, id)).counters, job.counters)
      assert.equal(network.peer(name).frontier.jobs.find(id)?.ending, 'complete')
    }
    // One owns next to nothing of the ring.
    assert.ok(names.filter((name) => network.peer(name).fetched.length > 0).length >= 4)
  })

  test('each site is fetched by its owner alone', async () => {
    const network = await started()
    await network.untilDone('a', await network.begin('c'))
    const bySite = new Map<string, Set<string>>()
    for (const [name, { fetched }] of network.peers) {
      for (const href of fetched) {
        const { host } = new URL(href)
        bySite.set(host, (bySite.get(host) ?? new Set()).add(name))
      }
    }
    assert.equal(bySite.size, sites)
    assert.ok([...bySite.values()].every((peers) => peers.size === 1))
  })

  test('is paused, goes on and is cancelled on any peer', async () => {
    const network = await started()
    const id = await network.begin('a')
    await network.world.advance(1_500)
    await network.world.complete(network.peer('b').shared.jobs.pause(id))
    await network.world.advance(2_000)
    const count = network.fetched.length
    assert.ok(count > 0 && count < everything)
    assert.equal((await network.view('e', id)).state, 'paused')
    await network.world.advance(10_000)
    assert.equal(network.fetched.length, count)
    await network.world.complete(network.peer('c').shared.jobs.resume(id))
    await network.world.advance(2_000)
    assert.ok(network.fetched.length > count)
    await network.world.complete(network.peer('d').shared.jobs.cancel(id))
    await network.world.advance(2_000)
    const { state, ending } = await network.view('a', id)
    assert.deepEqual([state, ending], ['done', 'cancelled'])
  })

  test('begun again is a run of its own that fetches everything anew', async () => {
    const network = await started()
    const first = await network.begin('a')
    await network.untilDone('a', first)
    const second = await network.begin('e')
    assert.notEqual(second, first)
    assert.equal(await network.begin('b'), second)
    const job = await network.untilDone('b', second)
    assert.equal(job.counters.fetched, everything)
    assert.equal(network.fetched.length, 2 * everything)
    assert.equal(network.peer('c').frontier.jobs.find(first), undefined)
    assert.equal((await network.world.complete(network.peer('c').shared.jobs.list())).length, 1)
  })

  test('where a seed leads is in scope for every peer', async () => {
    const web = (href: string): string[] => {
      if (href === 'http://old.example/') return ['=> http://new.example/']
      if (href === 'http://other.example/') return ['http://new.example/far', 'http://outside.example/']
      return href === 'http://new.example/' ? ['http://new.example/near', 'http://other.example/'] : []
    }
    const network = await started(1, web)
    const id = await network.begin('a', {
      seeds: ['http://old.example/', 'http://third.example/'],
      scope: 'site',
    })
    await network.untilDone('a', id)
    assert.deepEqual(network.fetched.sort(), [
      'http://new.example/',
      'http://new.example/near',
      'http://old.example/',
      'http://third.example/',
    ])
  })

  test('loses nothing to peers that lose their power', async () => {
    const network = await started(2)
    const id = await network.begin('a')
    for (const name of ['b', 'c', 'd', 'a']) {
      await network.world.advance(900)
      network.crash(name)
      await network.world.advance(500)
      await network.start(name)
    }
    const job = await network.untilDone('e', id)
    assert.equal(job.ending, 'complete')
    assert.equal(new Set(network.fetched).size, everything)
  })
})

describe('peers that lose their disks', () => {
  test('lose no page of a job, and it ends when all were fetched (seed 1)', () => losesNoPage(1))
})

test('a link that waits for a peer that is away is not lost with the disk of the one that found it', async () => {
  const hrefOf = (number: number): string => `http://site-${number}.example/0`
  const web = (href: string): string[] => (href === hrefOf(from) ? [hrefOf(to)] : [])
  const network = new JobNetwork(1, [...names, 'f'], web)
  const { world, ring } = network
  ring.setMembers(names)
  await world.advance(5_000)
  const ownedBy = (owner: string): number => {
    for (let number = 0; ; number++)
      if (ring.ownerOf(parseUrl(hrefOf(number)).ringKey) === owner) return number
  }
  // Who looks after the job is none of the two.
  const pairs = names.flatMap((one) => names.map((other) => [one, other] as const))
  const keeperOf = (finder: string): string =>
    ring.ownerOf(ringKeyOf(jobIdOf({ ...request, seeds: [hrefOf(ownedBy(finder))] })))
  const [finder, away] = pairs.find(
    ([one, other]) => new Set([one, other, 'a']).size === 3 && ![one, other].includes(keeperOf(one)),
  )!
  const [from, to] = [ownedBy(finder), ownedBy(away)]
  await network.start(...names)
  network.crash(away)
  const id = await network.begin('a', { seeds: [hrefOf(from)] })
  await world.advance(20_000)
  assert.deepEqual([...new Set(network.fetched)], [hrefOf(from)])
  network.crash(finder)
  ring.setMembers([...names.filter((name) => name !== finder), 'f'])
  await network.start('f', away)
  await world.advance(20_000)
  network.gone.add(finder)
  assert.equal((await network.untilDone('a', id)).ending, 'complete')
  assert.deepEqual([...new Set(network.fetched)], [hrefOf(from), hrefOf(to)])
})

describe('the counters of a job', () => {
  test('do not fall when peers are lost for good, whoever is asked (seed 1)', () => countersDoNotFall(1))
})

describe('the end of a job', () => {
  test('is not known while somebody does not answer, and is when he is gone for good', async () => {
    const network = await started(3)
    const id = await network.begin('a')
    await network.world.advance(1_500)
    const lost = names.find((name) => name !== 'a' && network.peer(name).fetched.length === 0)!
    network.crash(lost)
    await network.world.advance(60_000)
    const { state, awaited } = await network.view('a', id)
    assert.deepEqual([state, awaited], ['running', 1])
    network.gone.add(lost)
    network.ring.setMembers(names.filter((name) => name !== lost))
    assert.equal((await network.untilDone('a', id)).ending, 'complete')
  })

  test('is not before all was fetched when a peer takes leave in the middle (seed 1)', () =>
    endsWhenAllIsFetched(1))

  test('waits for the copies of who has taken leave, though nobody has anything queued (seed 11)', () =>
    waitsForCopies(11))

  test('does not wait for who was away when it was begun, unless he was back meanwhile', async () => {
    const network = await started(3)
    const lost = 'd'
    network.crash(lost)
    network.ring.setMembers(names.filter((name) => name !== lost))
    await network.world.advance(30_000)
    const first = await network.begin('a')
    assert.equal((await network.view('a', first)).awaited, 0)
    const job = await network.untilDone('a', first)
    assert.deepEqual([job.ending, job.counters.fetched], ['complete', everything])
    const second = await network.begin('a')
    network.ring.setMembers(names)
    await network.start(lost)
    await network.world.advance(3_000)
    network.crash(lost)
    network.ring.setMembers(names.filter((name) => name !== lost))
    await network.world.advance(60_000)
    const { state, awaited } = await network.view('a', second)
    assert.deepEqual([state, awaited], ['running', 1])
  })

  test('does not wait for who has taken leave', async () => {
    const network = await started(4, () => [])
    await network.leave('b')
    network.ring.setMembers(names.filter((name) => name !== 'b'))
    await network.world.advance(5_000)
    const id = await network.begin('a', {
      seeds: Array.from({ length: 20 }, (_, site) => `http://site-${site}.example/0`),
    })
    assert.equal((await network.untilDone('a', id, 30)).counters.fetched, 20)
  })
})

describe('a budget of pages', () => {
  test.each([1, 7, 60])('of %i is spent and not exceeded', async (pages) => {
    const network = await started()
    const id = await network.begin('a', { budgets: { pages } })
    const job = await network.untilDone('b', id)
    assert.equal(job.ending, `budget of ${pages} pages is spent`)
    assert.equal(network.fetched.length, pages)
    assert.equal(job.counters.pages, pages)
  })

  test('that is spent ends the job, though somebody is away who worked on it', async () => {
    const network = await started(3)
    const id = await network.begin('a', { budgets: { pages: 60 } })
    const isBusy = (name: string): boolean => name !== 'a' && network.peer(name).fetched.length > 0
    await network.world.until('a page fetched by another than a', () => names.some(isBusy))
    const lost = names.find(isBusy)!
    await network.world.advance(500)
    network.crash(lost)
    network.ring.setMembers(names.filter((name) => name !== lost))
    const job = await network.untilDone('a', id)
    assert.equal(job.ending, 'budget of 60 pages is spent')
    assert.equal(job.counters.pages, 60)
  })

  test('that is larger than the job is never felt', async () => {
    const network = await started()
    const job = await network.untilDone('b', await network.begin('a', { budgets: { pages: 10_000 } }))
    assert.equal(job.ending, 'complete')
    assert.equal(network.fetched.length, everything)
  })
})

test('what one peer takes down is taken down by all, those that were away too', async () => {
  const network = await started(5)
  network.crash('e')
  const target = { kind: 'site', site: 'site-1.example' } as const
  await network.world.complete(network.peer('a').shared.takedowns.takedown(target, 'asked for'))
  await network.world.advance(2_000)
  await network.start('e')
  await network.world.advance(10_000)
  for (const name of names)
    assert.deepEqual(
      network.peer(name).takedowns.map(({ reason }) => reason),
      ['asked for'],
    )
})
