// A search of many peers is a search of one index of everything, to the last bit of every score: also when peers are gone, silent, lack
// something or lie.

import assert from 'node:assert/strict'
import { beforeAll, beforeEach, describe, test } from 'vitest'
import type { SearchAnswer, SearchQuestion } from '../../search/search-answer.ts'
import { madeUpPages, madeUpQueries, SearchingPeers } from './fixtures/searching-peers.ts'
import { findAnswer, searchMessage, showAnswer } from './search-questions.ts'

const pages = madeUpPages(40, 5)
const limit = 20
const peers = new SearchingPeers(8)

beforeAll(() => peers.world.complete(peers.index(pages)))

beforeEach(async () => {
  peers.reset()
  // What was remembered, of words and of peers that failed, is forgotten.
  await peers.world.advance(60_000)
})

/** What must be the same, whoever answers. */
function told({ hits, total, facets, cursor, suggestion }: SearchAnswer) {
  return { hits: hits.map(({ isTold: _, ...hit }) => hit), total, facets, cursor, suggestion }
}

async function assertCentral(name: string, question: SearchQuestion): Promise<SearchAnswer> {
  const answer = await peers.search(name, question)
  const central = await peers.world.complete(peers.central.search(question))
  assert.deepEqual(told(answer), told(central), `${name}: ${JSON.stringify(question)}`)
  return answer
}

describe('what is found from any peer', () => {
  test('is what one index of everything finds', async () => {
    for (const [number, text] of madeUpQueries(60).entries()) {
      const name = `peer-${number % 8}`
      const answer = await assertCentral(name, { text, limit, hasFacets: true })
      assert.equal(answer.isPartial, false)
    }
  })

  test('is the same from a peer that keeps no index', async () => {
    for (const [number, text] of madeUpQueries(16).entries()) {
      const question = { text, limit, hasFacets: true }
      const answer = await peers.searchWithoutIndex(`peer-${number % 8}`, question)
      assert.deepEqual(told(answer), told(await peers.world.complete(peers.central.search(question))))
      assert.equal(answer.isPartial, false)
    }
  })

  test('goes on with a cursor from any other peer, and comes to its end', async () => {
    const hrefs: string[] = []
    let cursor: string | undefined
    let asked = 0
    do {
      const answer = await assertCentral(`peer-${asked++ % 8}`, { text: 'w1', limit: 7, cursor })
      hrefs.push(...answer.hits.map(({ href }) => href))
      cursor = answer.cursor
    } while (cursor !== undefined)
    const { total } = await peers.search('peer-0', { text: 'w1', limit: 1 })
    assert.equal(new Set(hrefs).size, total)
    assert.equal(hrefs.length, total)
    assert(total > 50)
  })

  test('is asked of as few peers as have everything', async () => {
    peers.bytes = 0
    await peers.search('peer-0', { text: 'w1', limit })
    // Of eight, three of which keep each part, a few know all.
    assert(new Set(peers.asked).size <= 4, String(new Set(peers.asked).size))
    // Three questions each at most, 20 bytes for each page that is found, and what is shown of twenty.
    assert(peers.asked.length <= 12, String(peers.asked.length))
    assert(peers.bytes < 16_000, String(peers.bytes))
  })

  test('with a site is asked of the peers of that site only', async () => {
    const site = 'site-7.example'
    for (const { name } of peers.peers) {
      peers.asked.length = 0
      const answer = await assertCentral(name, { text: 'w1 OR w2 OR w3', site, limit })
      assert.equal(answer.total > 0, true)
      assert(new Set(peers.asked).size <= 1)
    }
  })

  test('leaves out what was taken down, on whichever peer that is known', async () => {
    const [hit] = (await peers.search('peer-0', { text: 'w1', limit })).hits
    peers.hidden.add(hit!.href)
    for (const { name } of peers.peers) {
      const { hits } = await assertCentral(name, { text: 'w1', limit })
      assert.equal(hits.length, limit)
      assert(hits.every(({ href }) => href !== hit!.href))
    }
  })

  test('is raised by the rank of a page and of its site, everywhere alike', async () => {
    const { hits } = await peers.search('peer-0', { text: 'w1', limit: 100 })
    const [low, site] = [hits[80]!.href, 'http://site-7.example/']
    await peers.world.complete(
      peers.rankBy({ pages: [{ url: low, score: 0.3 }], sites: [{ url: site, score: 0.2 }] }),
    )
    for (const { name } of peers.peers) {
      const ranked = await assertCentral(name, { text: 'w1', limit: 100 })
      const place = (href: string): number => ranked.hits.findIndex((hit) => hit.href === href)
      assert(place(low) < 40, `${name} has it at ${place(low)}`)
    }
    await peers.world.complete(peers.rankBy({ pages: [], sites: [] }))
  })

  test('nearly: what was perhaps meant is suggested', async () => {
    const word = 'rosemary'
    await peers.world.complete(peers.index([{ href: 'http://herbs.example/', html: `<p>${word}` }]))
    for (const { name } of peers.peers) {
      const { suggestion } = await peers.search(name, { text: 'rosemery w1', limit })
      assert.equal(suggestion, 'rosemary w1')
    }
  })
})

describe('of peers that are not well', () => {
  test.each(['dead', 'silent'] as const)(
    'two that are %s are replaced, and nothing is missing',
    async (mood) => {
      peers.moods.set('peer-2', mood).set('peer-5', mood)
      for (const [number, text] of madeUpQueries(20).entries()) {
        const name = ['peer-0', 'peer-1', 'peer-3', 'peer-7'][number % 4]!
        const answer = await assertCentral(name, { text, limit, hasFacets: true })
        assert.equal(answer.isPartial, false)
      }
    },
  )

  test('those that lack something say so, and others are asked', async () => {
    peers.incomplete.add('peer-2').add('peer-5')
    for (const [number, text] of madeUpQueries(20).entries()) {
      const answer = await assertCentral(`peer-${number % 8}`, { text, limit })
      assert.equal(answer.isPartial, false)
    }
  })

  test('too many leave an answer that says what is missing', async () => {
    for (const { name } of peers.peers.slice(1)) peers.moods.set(name, 'dead')
    const answer = await peers.search('peer-0', { text: 'w1', limit })
    assert.equal(answer.isPartial, true)
    assert.match(answer.missing[0]!, /% of the archive: the peers that keep it did not answer/)
    assert(answer.hits.length > 0)
  })

  test('where nobody has everything, what there is is given as partial', async () => {
    for (const { name } of peers.peers) peers.incomplete.add(name)
    const answer = await assertCentral('peer-0', { text: 'w1', limit })
    assert.equal(answer.isPartial, true)
    assert.match(answer.missing[0]!, /still copying or indexing/)
  })
})

describe('a peer that lies', () => {
  const forged = 'http://evil.example/best'

  test.each([['tells of pages that it was not asked for', (hit: object) => ({ ...hit, href: forged })]])(
    'and %s is replaced',
    async (_, change) => {
      for (const liar of ['peer-1', 'peer-4'])
        peers.liars.set(liar, (question, answer) =>
          searchMessage.decode(question).kind === 'show'
            ? showAnswer.encode(showAnswer.decode(answer).map((hit) => hit && (change(hit) as typeof hit)))
            : answer,
        )
      for (const text of madeUpQueries(12)) await assertCentral('peer-0', { text, limit })
    },
  )

  test('and gives its pages scores that none can have is replaced', async () => {
    peers.liars.set('peer-1', (question, answer) => {
      if (searchMessage.decode(question).kind !== 'find') return answer
      const found = findAnswer.decode(answer)
      return findAnswer.encode({ ...found, best: found.best.map((each) => ({ ...each, score: 1e9 })) })
    })
    for (const text of madeUpQueries(12)) await assertCentral('peer-0', { text, limit })
  })

  test('and sends what cannot be read is replaced', async () => {
    peers.liars.set('peer-1', () => Uint8Array.of(255, 1, 2))
    for (const text of madeUpQueries(12)) await assertCentral('peer-0', { text, limit })
  })
})

test('a question that makes no sense is refused before anybody is asked', async () => {
  await assert.rejects(peers.search('peer-0', { text: '-x', limit }), { code: 'search-bad-query' })
  await assert.rejects(peers.search('peer-0', { text: 'x', limit, cursor: 'zz' }), {
    code: 'search-bad-query',
  })
  assert.deepEqual(peers.asked, [])
})

test('one peer takes a bounded number of questions of another at a time', async () => {
  const { handler } = peers.peer('peer-3')
  const question = searchMessage.encode({ kind: 'near', words: ['w1'] })
  const answers = Array.from({ length: 40 }, () => handler.answer('stranger', question))
  const outcomes = await peers.world.complete(Promise.allSettled(answers))
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 24)
})
