import assert from 'node:assert/strict'
import { test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { SpotChecks } from './spot-checks.ts'
import { VolunteerBook, volunteerTables } from './volunteer-book.ts'
import { stateOf, trustTermsDefault } from './volunteer-record.ts'

const settlingPages = 3
const terms = { ...trustTermsDefault, settlingPages }
const pagesOf = (count: number) => Array.from({ length: count }, (_, page) => `http://a.test/${page}`)

/** A volunteer that is proven and has brought so many pages that nobody else has seen. */
async function brought(count: number) {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random, keyValues } = world.machine('leader')
  const keyValue = await world.complete(keyValues.open('/volunteers', { tables: volunteerTables }))
  const book = new VolunteerBook({ keyValue, clock }, terms)
  const asked: string[] = []
  const checks = new SpotChecks(
    {
      ...{ clock, random, book, log: silentLog, canCrawl: () => true },
      fetchAgain: (hrefs) => void asked.push(...hrefs),
    },
    terms,
  )
  book.add('v', { agreed: terms.newcomerPages })
  await world.complete(book.noteBrought('v', pagesOf(count)))
  /** Every page that this peer was asked for is seen, until there is no more. */
  const lookAll = async (isSame: (href: string, look: number) => boolean) => {
    const looks = new Map<string, number>()
    for (let href = asked.shift(); href !== undefined; href = asked.shift()) {
      if (!checks.has(href)) continue
      const look = (looks.get(href) ?? 0) + 1
      looks.set(href, look)
      await world.complete(checks.looked(href, isSame(href, look)))
    }
    return looks
  }
  return { world, book, checks, asked, lookAll }
}

test('of one that brings nothing more some pages are looked at, and all stand when these are right', async () => {
  const { book, checks, lookAll } = await brought(20)
  checks.begin(() => false)
  assert.equal((await lookAll(() => true)).size, 0)
  checks.begin(() => true)
  assert.equal((await lookAll(() => true)).size, settlingPages)
  assert.equal(book.open.size, 0)
  assert.equal(book.doubts, 0)
})

test('what was compared since counts, and nothing is looked at that was compared often enough', async () => {
  const { world, book, checks, lookAll } = await brought(20)
  book.add('v', { agreed: settlingPages - 1 })
  checks.begin(() => true)
  assert.equal((await lookAll(() => true)).size, 1)
  assert.equal(book.open.size, 0)
  await world.complete(book.noteBrought('v', ['http://a.test/later']))
  assert.equal(book.open.get('v'), 1)
})

test('one page that this peer sees otherwise, twice, dooms all that is open, and its bringer begins anew', async () => {
  const { world, book, checks, asked } = await brought(20)
  checks.begin(() => true)
  const [first] = asked.splice(0)
  await world.complete(checks.looked(first!, false))
  assert.deepEqual(asked.splice(0), [first], 'it looks a second time before anything follows')
  assert.equal(book.doubts, 0)
  await world.complete(checks.looked(first!, true))
  assert.deepEqual(asked.toSorted(), pagesOf(20).toSorted())
  assert.ok(pagesOf(20).every((href) => book.isDoubted(href)))
  assert.equal(stateOf(book.of('v'), terms), 'new')
})

test('pages that are another each time tell nothing: others are looked at instead', async () => {
  const { book, checks, lookAll } = await brought(20)
  let restless: string | undefined
  checks.begin(() => true)
  const looks = await lookAll((href) => {
    restless ??= href
    return href !== restless
  })
  assert.equal(looks.get(restless!), 2)
  assert.equal(looks.size, settlingPages + 1)
  assert.equal(book.doubts, 0)
  assert.equal(book.open.size, 0)
})

test('a check whose pages never come begins anew with what is open', async () => {
  const { world, book, checks, asked, lookAll } = await brought(2)
  checks.begin(() => true)
  asked.splice(0)
  await world.advance(3_600_000)
  checks.begin(() => true)
  assert.equal((await lookAll(() => true)).size, 2)
  assert.equal(book.open.size, 0)
})
