// Rules for planned visits, between peers of a simulated network.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PlannedVisits } from '../../app/crawl/planned-visits.ts'
import { CrawlingPeers } from '../../app/fixtures/crawling-peers.ts'
import { parseFresh } from '../../crawl/recrawl/fresh-rules.ts'
import type { VisitRule } from '../../model/planned-visit.ts'
import { parseUrl } from '../../model/url.ts'
import { silentLog } from '../../platform/log.ts'
import { NetworkVisits } from './network-visits.ts'

const names = ['a', 'b', 'c']
const site = { kind: 'site', site: 'a.example' } as const
const url = { kind: 'url', url: 'http://b.example/page' } as const

async function started() {
  const network = new CrawlingPeers(1, [...names, 'late'], () => [])
  await network.start(...names)
  const visits = (name: string) => {
    const { frontier, shared } = network.peer(name)
    return new PlannedVisits({ frontier, network: shared.visits })
  }
  /** Until every peer has these rules. */
  const agreed = async (rules: VisitRule[], peers = names) => {
    const isAgreed = () =>
      peers.every((name) => JSON.stringify(visits(name).rules()) === JSON.stringify(rules))
    for (let second = 0; second < 60 && !isAgreed(); second++) await network.world.advance(1_000)
    for (const name of peers) assert.deepEqual(visits(name).rules(), rules, name)
  }
  const change = (name: string, ...request: Parameters<PlannedVisits['change']>) =>
    network.world.complete(visits(name).change(...request))
  return { network, visits, agreed, change }
}

test('a rule that is said on one peer holds on all, and what was said last counts', async () => {
  const { network, agreed, change, visits } = await started()
  const { frontier } = network.peer('c')
  frontier.visited(parseUrl('http://a.example/'), { atMs: frontier.nowMs(), outcome: 'new' })
  await change('a', site, { kind: 'stop' })
  await agreed([{ target: site, bounds: undefined }])
  assert.equal(visits('c').planned(site, 1)[0]!.state, 'stopped')
  await change('b', site, { kind: 'every', span: '1h-2h' })
  await change('b', url, { kind: 'every', span: '1d' })
  await agreed([
    { target: site, bounds: parseFresh('1h-2h') },
    { target: url, bounds: parseFresh('1d') },
  ])
  const [visit] = visits('c').planned(site, 1)
  assert.equal(visit!.state, 'planned')
  assert(visit!.dueAtMs - frontier.nowMs() < 2.3 * 3_600_000)
  await change('c', site, { kind: 'resume' })
  await agreed([{ target: url, bounds: parseFresh('1d') }])
})

test('a rule for everything is for the own peer, and what nobody could mean is told to nobody', async () => {
  const { change, visits, agreed } = await started()
  await change('a', { kind: 'all' }, { kind: 'stop' })
  assert.deepEqual(visits('a').rules(), [{ target: { kind: 'all' }, bounds: undefined }])
  await agreed([], ['b', 'c'])
  await assert.rejects(change('b', site, { kind: 'every', span: '1s' }), { code: 'notice-refused' })
  await assert.rejects(
    change('b', { kind: 'url', url: `http://b.example/${'x'.repeat(3_000)}` }, { kind: 'stop' }),
    {
      code: 'notice-refused',
    },
  )
  assert.deepEqual(visits('b').rules(), [])
})

test('who comes later hears of it, and rules of before the network are told', async () => {
  const { network, agreed, change } = await started()
  await change('a', site, { kind: 'stop' })
  const { frontier, shared } = network.peer('b')
  const before = { target: url, bounds: parseFresh('1d') }
  await network.world.complete(frontier.setVisitRule(url, before))
  const visits = new NetworkVisits({
    announcements: shared.announcements,
    frontier,
    log: silentLog,
    wake: () => {},
  })
  await network.world.complete(visits.open())
  await network.start('late')
  await agreed([{ target: site, bounds: undefined }, before], [...names, 'late'])
  await network.world.complete(visits.close())
})
