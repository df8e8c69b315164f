// Sites as they are built today, kept with a browser: they look as they did live, with their origin gone, and nothing leaves the archive.

import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { everyRealSite } from './sites/every-site.ts'
import { runSites, type SiteOutcome } from './sites/site-run.ts'
import { isFaithful } from './sites/sites-table.ts'

const sites = await everyRealSite()
const names = sites.map(({ name }) => name)
let outcomes: Map<string, SiteOutcome>

beforeAll(async () => {
  const all = await runSites(sites, { mode: 'always', tell: () => {} })
  outcomes = new Map(all.map((outcome) => [outcome.site.name, outcome]))
}, 600_000)

describe('a site that a browser captured', () => {
  test.each(names)('%s', (name) => {
    const outcome = outcomes.get(name)!
    assert.ok(outcome.liveParts > 4, 'the live site is empty')
    assert.deepEqual(outcome.failures, [])
    assert.deepEqual(outcome.missing, [], 'the live page had it')
    assert.deepEqual(outcome.leaving, [])
    assert.ok(isFaithful(outcome), `pixels that differ: ${outcome.apart}`)
  })
})
