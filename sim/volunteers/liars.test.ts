// Volunteers that lie together, before a desk of its own: nothing of what they forge is kept.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { LinkedSites } from '../peer/linked-sites.ts'
import { forging } from '../peer/lying-web.ts'
import { type LendingOptions, LendingWorld } from './lending-world.ts'

const delayMs = 1_000

interface Liars {
  readonly volunteers: number
  /** So many of them forge, and all in the same way. */
  readonly liars: number
  readonly isForged?: () => boolean
}

/** A peer crawls, with volunteers each in a network of its own. */
async function crawled({ volunteers, liars, isForged }: Liars, options: Partial<LendingOptions> = {}) {
  const world = new LendingWorld({ seed: 'liars', delayMs, ...options })
  const sites = new LinkedSites({ sites: 4, pages: 30 })
  sites.serveOn(world.web)
  const leader = await world.addLeader('peer-0')
  const names = Array.from({ length: volunteers }, (_, number) =>
    world.addVolunteer(number, number < liars ? { seen: (web) => forging(web, isForged) } : {}),
  )
  await world.world.advance(2_000)
  world.crawl('peer-0', sites.urls)
  await world.world.until('the last page', () => world.pagesLeft === 0, { stepMs: 5_000, msMax: 7_200_000 })
  world.web.checkPoliteness(delayMs)
  const forged = sites.urls.filter((url) => leader.kept.get(url)?.body.includes('Forged'))
  const barred = leader.desk.views().filter(({ state }) => state === 'barred')
  return { forged, barred: barred.map(({ id }) => id).sort(), liars: names.slice(0, liars).sort() }
}

test('newcomers of different networks that forge alike do not prove each other', async () => {
  const { forged, barred, liars } = await crawled({ volunteers: 6, liars: 4 })
  assert.deepEqual(forged, [])
  assert.deepEqual(barred, liars)
})

test('what a newcomer brought is not kept while the peer cannot look itself', async () => {
  let looks = 0
  const isBusy = () => ++looks <= 60
  // What it forged comes to an end before anybody can tell: it is never caught.
  const { forged, barred } = await crawled(
    { volunteers: 1, liars: 1, isForged: () => looks < 10 },
    { isBusy },
  )
  assert.ok(looks > 10)
  assert.deepEqual(barred, [])
  assert.deepEqual(forged, [])
})
