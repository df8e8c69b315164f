import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { origins, TestApi, token } from '../../api/fixtures/test-api.ts'
import { MementoLinks } from '../../api/memento/memento-links.ts'
import { TimeGate } from '../../api/memento/time-gate.ts'
import type { Route } from '../../api/route.ts'
import { JobEvents } from '../../api/v1/jobs/job-events.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { interfaceRoutes, withOpenApi } from './routes.ts'

/** Nothing is asked of them: only what is served matters here. */
const nothing = {} as never

const clock = new RealClock()
const links = new MementoLinks(origins.archive)
const parts = {
  archive: nothing,
  clock,
  service: nothing,
  imports: nothing,
  storeService: nothing,
  jobs: nothing,
  events: new JobEvents({ jobs: nothing, clock }),
  visits: nothing,
  changes: nothing,
  rules: nothing,
  schedules: nothing,
  links,
  timeGate: new TimeGate({ archive: nothing, links }),
  instance: 'x',
}
const routes = withOpenApi(interfaceRoutes(parts))
const described = routes.filter(({ path }) => typeof path === 'string' && path.startsWith('/api/v1'))

interface Operation {
  summary: string
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: object
  security?: object[]
  responses: Record<string, object>
}

async function document() {
  const { text } = await new TestApi(routes).ask('/api/v1/openapi.json')
  return JSON.parse(text) as { openapi: string; paths: Record<string, Record<string, Operation>> }
}

describe('the OpenAPI document', () => {
  test('has every route of /api/v1, and no other', async () => {
    const { openapi, paths } = await document()
    assert.equal(openapi, '3.1.0')
    const served = described.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
    const told = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(told.sort(), served.sort())
    assert.ok(told.length > 20)
  })

  test('is at /openapi.json too', async () => {
    const api = new TestApi(routes)
    const [own, usual] = await Promise.all([api.ask('/api/v1/openapi.json'), api.ask('/openapi.json')])
    assert.equal(usual.status, 200)
    assert.equal(usual.text, own.text)
  })

  test('stands in words on a page that has the same operations', async () => {
    let told: readonly { method: string; path: string }[] = []
    const own = interfaceRoutes(parts)
    withOpenApi(own, (operations) => {
      told = operations
      return routes[0]!
    })
    const { paths } = await document()
    const inDocument = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(told.map(({ method, path }) => `${method} ${path}`).sort(), inDocument.sort())
  })

  const cases = described.map((route): [string, Route] => [`${route.methods} ${route.path}`, route])
  test.each(cases)('%s says what it takes, gives and needs', async (_, route) => {
    const { paths } = await document()
    const operation = paths[route.path as string]![route.methods[0]!.toLowerCase()]!
    assert.ok(route.operation && operation.summary.length > 5)
    const named = [...(route.path as string).matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      inPath.map(({ name }) => name),
      named,
    )
    assert.ok(inPath.every(({ required }) => required))
    assert.equal(operation.security !== undefined, route.writes === true || route.isForOwner === true)
    assert.ok(operation.responses.default)
    assert.equal(Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status)).length, 1)
    for (const parameter of operation.parameters ?? []) assert.ok(parameter.schema)
  })

  test('what it says a parameter is required is refused without it', async () => {
    const { paths } = await document()
    const api = new TestApi(routes)
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get?.parameters?.some(({ in: place, required }) => place === 'query' && required)) continue
      const answer = await api.ask(path, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(answer.status, 400, path)
    }
  })

  test('only those that write need the token, and all that take a body do', () => {
    for (const { methods, writes } of described) if (methods.includes('POST')) assert.equal(writes, true)
  })
})
