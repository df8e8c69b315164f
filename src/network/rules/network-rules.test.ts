// Rules between peers of a simulated network.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { HomeRules } from '../../app/crawl/home-rules.ts'
import { PlannedVisits } from '../../app/crawl/planned-visits.ts'
import { CrawlingPeers } from '../../app/fixtures/crawling-peers.ts'
import { parseFresh } from '../../crawl/recrawl/fresh-rules.ts'
import type { VisitRule } from '../../model/jobs/planned-visit.ts'
import { parseUrl } from '../../model/url/url.ts'
import { silentLog } from '../../platform/log.ts'
import { everyMember, type RoleAuthority } from '../roles/role-authority.ts'
import { RoleError } from '../roles/role-error.ts'
import { NetworkRules } from './network-rules.ts'

const names = ['a', 'b', 'c']
const site = { kind: 'site', site: 'a.example' } as const
const url = { kind: 'url', url: 'http://b.example/page' } as const

async function started() {
  const network = new CrawlingPeers(1, [...names, 'late'], () => [])
  await network.start(...names)
  const rules = (name: string) => {
    const { frontier, shared } = network.peer(name)
    return new HomeRules({ frontier, network: shared.rules })
  }
  const visits = (name: string) =>
    new PlannedVisits({ frontier: network.peer(name).frontier, rules: rules(name) })
  /** Until every peer has these rules. */
  const agreed = async (rules: VisitRule[], peers = names) => {
    const isAgreed = () =>
      peers.every((name) => JSON.stringify(visits(name).rules()) === JSON.stringify(rules))
    for (let second = 0; second < 60 && !isAgreed(); second++) await network.world.advance(1_000)
    for (const name of peers) assert.deepEqual(visits(name).rules(), rules, name)
  }
  const change = (name: string, ...request: Parameters<PlannedVisits['change']>) =>
    network.world.complete(visits(name).change(...request))
  return { network, rules, visits, agreed, change }
}

test('a rule that is said on one peer holds on all, and what was said last counts', async () => {
  const { network, agreed, change, visits } = await started()
  const { frontier } = network.peer('c')
  frontier.visits.visited(parseUrl('http://a.example/'), { atMs: frontier.nowMs(), outcome: 'new' })
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
  await assert.rejects(change('b', site, { kind: 'every', span: '1s' }), { code: 'rule-malformed' })
  await assert.rejects(
    change('b', { kind: 'url', url: `http://b.example/${'x'.repeat(3_000)}` }, { kind: 'stop' }),
    { code: 'rule-malformed' },
  )
  assert.deepEqual(visits('b').rules(), [])
})

test('who comes later hears of it, and rules of before the network are told', async () => {
  const { network, agreed, change } = await started()
  await change('a', site, { kind: 'stop' })
  const { frontier, shared } = network.peer('b')
  const before = { target: url, bounds: parseFresh('1d') }
  const rule = { target: url, fresh: before.bounds, setAtMs: 0, setBy: '' }
  await network.world.complete(frontier.setRule(rule))
  const rules = networkRules(shared.announcements, frontier)
  await network.world.complete(rules.open())
  await network.start('late')
  await agreed([{ target: site, bounds: undefined }, before], [...names, 'late'])
  await network.world.complete(rules.close())
})

test('a rule says many things at once, is changed one by one, and of two at the same time all take the same', async () => {
  const { network, rules } = await started()
  const { world } = network
  const host = { kind: 'host', host: 'www.a.example' } as const
  const said = (name: string) =>
    rules(name)
      .list()
      .map(({ isInForce, ...rule }) => rule)
  const until = async (isSo: () => boolean, what: string) => {
    for (let second = 0; second < 60 && !isSo(); second++) await world.advance(1_000)
    assert(isSo(), what)
  }
  await world.complete(
    rules('a').change({ target: host, set: { access: 'deny', delayMs: 5_000 }, unset: [] }),
  )
  await until(() => names.every((name) => said(name).length === 1), 'all hear of the rule')
  await world.complete(rules('b').change({ target: host, set: { depth: 3 }, unset: ['access'] }))
  await until(() => names.every((name) => said(name)[0]?.depth === 3), 'all hear of the change')
  assert.deepEqual(said('c')[0], { ...said('a')[0], delayMs: 5_000, depth: 3, target: host })
  assert.equal(said('c')[0]!.access, undefined)
  // Neither has heard of the other's.
  await world.complete(
    Promise.all([
      rules('a').change({ target: host, set: { depth: 1 }, unset: [] }),
      rules('b').change({ target: host, set: { depth: 2 }, unset: [] }),
    ]),
  )
  await until(
    () => names.every((name) => JSON.stringify(said(name)) === JSON.stringify(said('a'))),
    'agreement',
  )
  await world.complete(rules('c').remove(host))
  await until(() => names.every((name) => said(name).length === 0), 'all hear that it is gone')
})

test('what peers of earlier versions announced for visits counts until a rule says otherwise', async () => {
  const { network, agreed, change } = await started()
  const { announcements } = network.peer('a').shared
  const value = Buffer.from(JSON.stringify({ target: site, state: 'stop' }))
  await network.world.complete(announcements.put('visit', 'site a.example', value))
  await agreed([{ target: site, bounds: undefined }])
  await change('b', site, { kind: 'resume' })
  await agreed([])
})

test('rules of an author that may not set any do not count, and are not set', async () => {
  const { network, rules } = await started()
  const { frontier, shared } = network.peer('b')
  const strict = networkRules(shared.announcements, frontier, keepersOnly)
  await shared.rules.close()
  await network.world.complete(strict.open())
  await network.world.complete(rules('a').change({ target: site, set: { access: 'deny' }, unset: [] }))
  for (let second = 0; second < 20; second++) await network.world.advance(1_000)
  assert.equal(rules('c').list().length, 1)
  assert.equal(rules('b').list().length, 0)
  await assert.rejects(network.world.complete(strict.set(site, { access: 'deny' })), {
    code: 'role-lacking',
  })
  await network.world.complete(strict.close())
})

const keepersOnly: RoleAuthority = {
  ...everyMember,
  counts: () => false,
  rightTo: () => {
    throw new RoleError('role-lacking', 'only keepers may')
  },
}

function networkRules(
  announcements: ConstructorParameters<typeof NetworkRules>[0]['announcements'],
  frontier: ConstructorParameters<typeof NetworkRules>[0]['frontier'],
  authority?: RoleAuthority,
): NetworkRules {
  return new NetworkRules({ self: 'b', announcements, frontier, log: silentLog, authority, wake: () => {} })
}
