// Rules and schedules through the interface, on a frontier of a simulated machine.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PeerSchedules } from '../../../crawl/jobs/peer-schedules.ts'
import { ScheduledJobs } from '../../../crawl/jobs/scheduled-jobs.ts'
import type { ListedRule } from '../../../crawl/rules/rule-service.ts'
import type { RuleChange } from '../../../crawl/rules/written-rule.ts'
import type { RuleTarget } from '../../../model/jobs/site-rule.ts'
import { silentLog } from '../../../platform/log.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { TestApi, token } from '../../fixtures/test-api.ts'
import { ruleRoutes } from './rule-routes.ts'
import { scheduleRoutes } from './schedule-routes.ts'

/** As many as there are. */
class Rules {
  readonly isShared = false
  rules: ListedRule[] = []

  list(): ListedRule[] {
    return this.rules
  }

  async change({ target, set }: RuleChange): Promise<ListedRule> {
    const rule = { target, ...set, setAtMs: 1_000, setBy: 'peer', isInForce: true }
    this.rules = [rule]
    return rule
  }

  async remove(target: RuleTarget): Promise<boolean> {
    const before = this.rules.length
    this.rules = this.rules.filter((rule) => JSON.stringify(rule.target) !== JSON.stringify(target))
    return this.rules.length < before
  }
}

const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }

test('rules are set, listed and removed by the owner', async () => {
  const api = new TestApi(ruleRoutes({ service: new Rules() }))
  const path = '/api/v1/rules'
  const put = (body: unknown, more: Record<string, string> = headers) =>
    api.ask(path, { method: 'PUT', headers: more, body: JSON.stringify(body) })
  assert.equal(
    (await put({ site: 'a.test', access: 'deny' }, { 'content-type': 'application/json' })).status,
    401,
  )
  const set = await put({ site: 'www.a.test', access: 'deny', delay: '5s' })
  assert.equal(set.status, 200)
  assert.deepEqual(JSON.parse(set.text).rule, {
    site: 'a.test',
    access: 'deny',
    delay: '5s',
    setAt: '1970-01-01T00:00:01.000Z',
    setBy: 'peer',
    inForce: true,
  })
  assert.equal(JSON.parse((await api.ask(path)).text).rules.length, 1)
  for (const body of [
    [],
    {},
    { site: 'a.test' },
    { site: 'a.test', access: 'maybe' },
    { pattern: '(', depth: 1 },
  ])
    assert.equal((await put(body)).status, 400, JSON.stringify(body))
  const remove = (query: string) => api.ask(`${path}?${query}`, { method: 'DELETE', headers })
  assert.equal((await remove('host=b.test')).status, 404)
  assert.equal((await remove('')).status, 400)
  assert.equal((await remove('site=a.test')).status, 200)
  assert.deepEqual(JSON.parse((await api.ask(path)).text), { rules: [] })
})

test('schedules are made, paused and removed by the owner, and outlive the process', async () => {
  const { clock } = simulatedWorld({ seed: 1 }).machine('a')
  const map = new Map<string, Uint8Array>()
  const table = {
    range: () => [...map].map(([key, value]) => [Buffer.from(key), value]),
    put: (key: Buffer, value: Uint8Array) => map.set(key.toString(), value),
    remove: (key: Buffer) => map.delete(key.toString()),
  } as unknown as ConstructorParameters<typeof PeerSchedules>[0]
  const book = new PeerSchedules(table, async () => {})
  const jobs = { last: () => undefined, start: () => assert.fail('nothing is due here') }
  const schedules = new ScheduledJobs({ clock, log: silentLog, book, jobs, isOurs: () => false })
  const api = new TestApi(scheduleRoutes({ schedules }))
  const path = '/api/v1/schedules'
  const post = (target: string, body: unknown = {}) =>
    api.ask(target, { method: 'POST', headers, body: JSON.stringify(body) })
  const made = await post(path, { url: 'a.test', scope: 'page', cron: '0  3 * * *', priority: 'low' })
  assert.equal(made.status, 201)
  const { id, cron, next, request, runs } = JSON.parse(made.text)
  assert.deepEqual([cron, request.priority, runs], ['0 3 * * *', 'low', []])
  assert.match(next, /T03:00:00\.000Z$/)
  for (const body of [
    { url: 'a.test' },
    { every: '1d' },
    { url: 'a.test', every: '1s' },
    { url: 'a.test', cron: '0 3' },
    { url: 'a.test', every: '1d', at: '2030-01-01' },
  ])
    assert.equal((await post(path, body)).status, 400, JSON.stringify(body))
  assert.equal(JSON.parse((await post(`${path}/${id}/pause`)).text).next, null)
  assert.deepEqual(new PeerSchedules(table, async () => {}).all(), book.all())
  map.set('Sbad', Buffer.from('{"id":'))
  assert.equal(new PeerSchedules(table, async () => {}).all().length, 1, 'a damaged one is passed over')
  assert.equal((await api.ask(`${path}/${id}`, { method: 'DELETE', headers })).status, 200)
  assert.equal((await post(`${path}/${id}/pause`)).status, 404)
})
