// Planned visits as the interfaces tell and change them, on a frontier of a simulated machine.

import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { TestApi, token } from '../../api/fixtures/test-api.ts'
import { visitRoutes } from '../../api/v1/jobs/visit-routes.ts'
import { Frontier } from '../../crawl/frontier/frontier.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { HomeRules } from './home-rules.ts'
import { PlannedVisits } from './planned-visits.ts'

const hourMs = 3_600_000
const path = '/api/v1/visits'

async function opened() {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const open = () => new Frontier({ keyValue, clock, random })
  const frontier = open()
  for (const href of ['http://a.test/', 'http://a.test/b', 'http://b.test/'])
    frontier.visits.visited(parseUrl(href), { atMs: frontier.nowMs(), outcome: 'new' })
  let changes = 0
  const rules = new HomeRules({ frontier, whenChanged: () => changes++ })
  const service = new PlannedVisits({ frontier, rules })
  const api = new TestApi(visitRoutes({ service }))
  const post = (body: object, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
    world.complete(
      api.ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    )
  const get = async (query = '') => JSON.parse((await world.complete(api.ask(`${path}${query}`))).text)
  return { world, frontier, open, api, post, get, changes: () => changes }
}

test('visits are listed, those due first, of everything, a site or a page', async () => {
  const { get } = await opened()
  const { visits, rules } = await get()
  assert.deepEqual([visits.length, rules], [3, []])
  assert.ok(visits[0].due <= visits[1].due)
  assert.equal((await get('?site=www.a.test')).visits.length, 2)
  assert.equal((await get('?url=a.test/b')).visits[0].url, 'http://a.test/b')
  assert.equal((await get('?limit=1')).visits.length, 1)
})

test('the owner changes, stops and resumes them, and it lasts', async () => {
  const { post, get, changes, frontier, open, world } = await opened()
  assert.equal((await post({ site: 'a.test', every: '2h' })).status, 200)
  const due = Date.parse((await get('?url=a.test/b')).visits[0].due)
  assert.ok(due - frontier.nowMs() < 2.3 * hourMs)
  assert.equal((await post({ all: true, stop: true })).status, 200)
  assert.equal((await get('?site=b.test')).visits[0].state, 'stopped')
  assert.equal((await get('?site=a.test')).visits[0].state, 'planned', 'the closer rule counts')
  await world.complete(frontier.flush())
  expect(open().rules.all()).toEqual(frontier.rules.all())
  assert.equal((await post({ all: true, resume: true })).status, 200)
  assert.equal((await get('?site=b.test')).visits[0].state, 'planned')
  assert.equal((await get()).rules.length, 1)
  assert.equal(changes(), 3)
})

test('nobody but the owner, and nothing that cannot be meant', async () => {
  const { post, get } = await opened()
  assert.equal((await post({ all: true, stop: true }, {})).status, 401)
  for (const request of [{}, { all: true }, { stop: true }, { url: 'a.test', site: 'a.test', stop: true }])
    assert.equal((await post(request)).status, 400, JSON.stringify(request))
  assert.equal((await post({ all: true, every: '1y' })).status, 400)
  assert.equal((await post({ all: true, every: '1d', stop: true })).status, 400)
  assert.deepEqual((await get()).rules, [])
})
