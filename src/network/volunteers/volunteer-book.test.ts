import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { VolunteerBook, volunteerTables } from './volunteer-book.ts'
import {
  checkChanceOf,
  isTried,
  networkPrefixOf,
  newRecord,
  scoreOf,
  stateOf,
  trustTermsDefault,
} from './volunteer-record.ts'

async function opened() {
  const world = simulatedWorld({ seed: 1 })
  const { clock, keyValues } = world.machine('leader')
  const open = async () => {
    const keyValue = await world.complete(keyValues.open('/volunteers', { tables: volunteerTables }))
    return new VolunteerBook({ keyValue, clock }, trustTermsDefault)
  }
  return { world, open, book: await open() }
}

test('a newcomer is looked at page by page, one that proved itself now and then, one that was wrong always', () => {
  const fresh = {
    firstMs: 0,
    lastMs: 0,
    presentMs: 0,
    fetched: 0,
    bytes: 0,
    agreed: 0,
    assured: 0,
    wrong: 0,
    undecided: 0,
    falseFailures: 0,
    bundles: 0,
    overdue: 0,
    contradicted: 0,
    settled: 0,
    mark: 0,
    markAgreed: 0,
  }
  assert.equal(checkChanceOf(fresh, trustTermsDefault), 1)
  const proven = { ...fresh, agreed: trustTermsDefault.newcomerPages }
  assert.equal(checkChanceOf(proven, trustTermsDefault), trustTermsDefault.checkShare)
  assert.equal(checkChanceOf({ ...proven, wrong: 1 }, trustTermsDefault), 1)
  assert.ok(scoreOf(proven) > scoreOf(fresh) && scoreOf({ ...proven, wrong: 1 }) < scoreOf(fresh))
  assert.equal(scoreOf({ ...proven, barred: 'lies' }), 0)
})

test('newcomers are tried once they were right in what this peer could tell itself', () => {
  const agreedOnly = { ...newRecord(0), agreed: trustTermsDefault.newcomerPages - 1 }
  assert.ok(!isTried(agreedOnly))
  assert.ok(isTried({ ...agreedOnly, assured: 2 }))
  assert.ok(!isTried({ ...agreedOnly, assured: 2, wrong: 1 }))
})

test('what one who is shut out brought is doubted until it was fetched anew, also after a restart', async () => {
  const { world, open, book } = await opened()
  await world.complete(book.noteBrought('liar', ['http://a.test/1', 'http://a.test/2']))
  await world.complete(book.noteBrought('honest', ['http://a.test/3']))
  book.add('liar', { fetched: 2 })
  await world.complete(book.bar('liar', 'it lied'))
  const again: string[] = []
  assert.equal(await world.complete(book.doubt('liar', 'all', (href) => again.push(href))), 2)
  assert.deepEqual(again, ['http://a.test/1', 'http://a.test/2'])
  await world.complete(book.close())
  const next = await open()
  assert.equal(stateOf(next.of('liar'), trustTermsDefault), 'barred')
  assert.ok(next.isDoubted('http://a.test/1') && !next.isDoubted('http://a.test/3'))
  assert.deepEqual([...next.doubted()], again)
  await world.complete(next.clear('http://a.test/1'))
  assert.ok(!next.isDoubted('http://a.test/1') && next.isDoubted('http://a.test/2'))
})

test('what two agreed on is doubted when one is shut out, unless the other is proven; and when that one is shut out, too', async () => {
  const { world, book } = await opened()
  book.add('proven', { agreed: trustTermsDefault.newcomerPages })
  const agree = async (one: string, other: string, href: string) => {
    await world.complete(book.noteBrought(one, [href], other))
    await world.complete(book.noteBrought(other, [href], one))
  }
  await agree('liar', 'newcomer', 'http://a.test/1')
  await agree('liar', 'proven', 'http://a.test/2')
  const doubtedOf = async (peer: string) => {
    await world.complete(book.bar(peer, 'it lied'))
    const again: string[] = []
    await world.complete(book.doubt(peer, 'all', (href) => again.push(href)))
    return again
  }
  assert.deepEqual(await doubtedOf('liar'), ['http://a.test/1'])
  assert.deepEqual(await doubtedOf('proven'), ['http://a.test/2'])
  assert.deepEqual(await doubtedOf('newcomer'), ['http://a.test/1'])
  assert.equal(book.doubts, 2)
})

test('pages are open until enough later ones were compared, also after a restart; one wrong page dooms those that are, and opens the others', async () => {
  const { world, open, book } = await opened()
  const { settlingPages } = trustTermsDefault
  book.add('v', { agreed: 100 })
  await world.complete(book.noteBrought('v', ['http://a.test/1', 'http://a.test/2']))
  book.add('v', { agreed: settlingPages })
  assert.equal(book.open.get('v'), 2, 'what was compared may have come before them')
  await world.complete(book.noteBrought('v', ['http://a.test/3']))
  book.add('v', { agreed: settlingPages - 1 })
  assert.equal(book.open.get('v'), 3)
  book.add('v', { agreed: 1 })
  assert.deepEqual(book.openPagesOf('v').hrefs, ['http://a.test/3'])
  await world.complete(book.close())
  const next = await open()
  assert.equal(next.open.get('v'), 1)
  const doubted: string[] = []
  await world.complete(next.doubt('v', 'open', (href) => doubted.push(href)))
  assert.deepEqual(doubted, ['http://a.test/3'])
  assert.deepEqual(next.openPagesOf('v').hrefs, ['http://a.test/1', 'http://a.test/2'])
})

test('volunteers of one network are known by their addresses', () => {
  assert.equal(networkPrefixOf('/ip4/10.1.2.3/tcp/1'), networkPrefixOf('/ip4/10.1.9.9/tcp/2'))
  assert.notEqual(networkPrefixOf('/ip4/10.1.2.3/tcp/1'), networkPrefixOf('/ip4/10.2.2.3/tcp/1'))
  assert.notEqual(networkPrefixOf('/ip6/2001:db8::1/tcp/1'), networkPrefixOf('/ip6/2001:db9::1/tcp/1'))
  assert.equal(networkPrefixOf(undefined), '')
})
