import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runTrial } from '../fixtures/noise-trial.ts'
import { otherTimelines } from '../fixtures/other-pages.ts'
import { pageTimelines } from '../fixtures/page-timeline.ts'

const options = { seed: 4, sites: 5, pagesPerSite: 8, visits: 9 }

test('on generated pages nearly all noise is marked after four visits, and no edit', () => {
  const result = runTrial(pageTimelines(options))
  assert.deepEqual(result.wronglyMarked, [])
  assert(result.cosmeticMarked / result.cosmetic > 0.9, `${result.cosmeticMarked} of ${result.cosmetic}`)
  assert(Math.max(...result.pageBytes) < 3_000 && Math.max(...result.siteBytes) < 16_000)
})

test('of pages with other conventions no edit is marked', () => {
  assert.deepEqual(runTrial(otherTimelines(options)).wronglyMarked, [])
})
