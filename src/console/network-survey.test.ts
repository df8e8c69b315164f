import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { Frontier } from '../crawl/frontier/frontier.ts'
import { politenessOff } from '../crawl/politeness/politeness-rules.ts'
import { PolyhistorError } from '../errors.ts'
import { parseUrl } from '../model/url/url.ts'
import { CallServices } from '../platform/calls/call-services.ts'
import { Calls } from '../platform/calls/calls.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { NetworkSurvey } from './network-survey.ts'
import { OwnSurvey } from './own-survey.ts'
import {
  queuedAnswer,
  queuesAnswer,
  siteAnswer,
  sitesAnswer,
  surveyQuestion,
  visitAnswer,
  visitsAnswer,
} from './wire/survey-messages.ts'

const long = `http://s0.example/${'x'.repeat(5_000)}`

async function twoPeers() {
  const world = simulatedWorld({ seed: 1 })
  const [a, b] = [world.machine('a'), world.machine('b')]
  a.network.learn('b', b.network.addresses())
  const keyValue = await world.complete(b.keyValues.open('/frontier'))
  const frontier = new Frontier({ keyValue, clock: b.clock, random: b.random }, { politeness: politenessOff })
  const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  const urls = [...Array.from({ length: 30 }, (_, site) => `http://s${site}.example/`), long].map((href) =>
    parseUrl(href),
  )
  await world.complete(
    frontier.add(urls.map((url) => ({ url, kind: 'navigation', jobId: id, depth: 1, via: '' }))),
  )
  for (const url of urls) frontier.visits.visited(url, { atMs: frontier.nowMs() + 0.5, outcome: 'new' })
  const own = new OwnSurvey({
    frontier: frontier.survey,
    captures: () => [1, 2, 3],
    leaseFacts: () => ({ epoch: 7, members: ['b', 'c'], copies: 1 }),
  })
  const calls = (machine: typeof a) => new CallServices(new Calls(machine)).service('survey')
  new NetworkSurvey({ self: 'b', own, calls: calls(b) })
  const asked = new NetworkSurvey({ self: 'a', own: undefined as never, calls: calls(a) })
  return { world, own, survey: asked.of('b'), job: id, asked }
}

test('a peer tells another of its sites, queues and URLs what it knows itself', async () => {
  const { world, own, survey, job } = await twoPeers()
  const page = await world.complete(Promise.resolve(survey.sites({ limit: 10 })))
  assert.deepEqual(page, own.sites({ limit: 10 }))
  const rest = await world.complete(Promise.resolve(survey.sites({ limit: 200, after: page.next })))
  assert.equal(rest.rows.length, 20)
  const { ringKey: key } = parseUrl('http://s0.example/')
  const facts = await world.complete(Promise.resolve(survey.site(key)))
  assert.deepEqual([facts!.captures, facts!.copies, facts!.lease], [3, 1, { epoch: 7, members: ['b', 'c'] }])
  assert.equal(
    await world.complete(Promise.resolve(survey.site(parseUrl('http://no.example/').ringKey))),
    undefined,
  )
  const queued = await world.complete(
    Promise.resolve(survey.queued(key, { job, host: 's0.example' }, { limit: 10 })),
  )
  assert.deepEqual(
    queued.rows.map(({ url }) => url),
    ['http://s0.example/'],
  )
  const visits = await world.complete(Promise.resolve(survey.visits(key, { limit: 10 })))
  // Longer URLs are cut: a page of them must fit into an answer.
  assert.deepEqual(
    visits.rows.map(({ url }) => url.length).toSorted((one, other) => one - other),
    [18, 2_000],
  )
  assert.equal((await world.complete(Promise.resolve(survey.visit('http://s0.example/'))))?.failures, 0)
})

test('a peer that is not there is told as such', async () => {
  const { world, asked } = await twoPeers()
  await assert.rejects(
    () => world.complete(Promise.resolve(asked.of('nobody').sites({ limit: 1 }))),
    PolyhistorError,
  )
})

test('whatever bytes come, they are read or refused', () => {
  const schemas = [
    surveyQuestion,
    sitesAnswer,
    siteAnswer,
    queuesAnswer,
    queuedAnswer,
    visitsAnswer,
    visitAnswer,
  ]
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...schemas), (bytes, schema) => {
      try {
        schema.decode(bytes)
      } catch (error) {
        assert(error instanceof PolyhistorError, String(error))
      }
    }),
    { numRuns: 500, seed: 1 },
  )
})
