import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../model/fixtures/property-tests.ts'
import type { Route } from './route.ts'
import { properties } from './router.fuzz.ts'
import { Router } from './router.ts'

function route(path: string | RegExp, methods = ['GET']): Route {
  return { methods, host: 'archive', path, handle: () => ({ status: 200, headers: [], body: String(path) }) }
}

const router = new Router(
  [
    '/',
    '/api/v1',
    '/api/v1/jobs',
    '/api/v1/jobs/{id}',
    '/api/v1/jobs/{id}/log',
    '/{collection}/cdx',
    '/cdx/search/cdx',
    '/web/{rest*}',
    '/web/timemap/link/{rest*}',
    /^\/web\/[0-9]*\*\/.+$/,
    /^\/$/,
  ]
    .filter((path) => path !== '/')
    .map((path) => route(path)),
)

interface Outcome {
  allowed?: readonly string[]
  path?: string
  rest?: string
  parameters?: object
}

function found(target: string, method = 'GET'): Outcome | undefined {
  const result = router.find(method, target)
  if (result === undefined || 'allowed' in result) return result
  const { route, rest, parameters } = result.match
  return { path: String(route.path), rest, parameters: { ...parameters } }
}

describe('a target finds its route', () => {
  test.each([
    ['/', String(/^\/$/), '', {}],
    ['/?q=1', String(/^\/$/), '', {}],
    ['/api/v1', '/api/v1', '', {}],
    ['/api/v1/jobs?x=/y', '/api/v1/jobs', '', {}],
    ['/api/v1/jobs/a%20b', '/api/v1/jobs/{id}', '', { id: 'a b' }],
    ['/api/v1/jobs/7/log', '/api/v1/jobs/{id}/log', '', { id: '7' }],
    ['/cdx/search/cdx?url=a', '/cdx/search/cdx', '', {}],
    ['/all/cdx?url=a', '/{collection}/cdx', '', { collection: 'all' }],
    ['/web/2020*/http://a.test/', String(/^\/web\/[0-9]*\*\/.+$/), '', {}],
  ])('%s', (target, path, rest, parameters) => {
    assert.deepEqual(found(target), { path, rest, parameters })
  })
})

describe('an archived URL comes through as it was written', () => {
  test.each([
    'http://a.test//b///c',
    'http://a.test/%2F%2f%zz?x=%26&y=/z//?',
    'http://a.test/../b/./c',
    '20200101id_/http://a.test/?q=http://b.test//',
    '',
  ])('%s', (url) => {
    assert.deepEqual(found(`/web/${url}`), { path: '/web/{rest*}', rest: url, parameters: {} })
  })

  test('also behind a longer word', () => {
    const rest = 'http://a.test//b?c=%2F'
    assert.equal(found(`/web/timemap/link/${rest}`)?.rest, rest)
    assert.equal(found('/web/timemap/linked/x')?.rest, 'timemap/linked/x')
  })
})

test('a route that reads answers HEAD too; other methods are told what there is', () => {
  assert.equal(found('/api/v1', 'HEAD')?.path, '/api/v1')
  assert.deepEqual(found('/api/v1', 'POST'), { allowed: ['GET'] })
  assert.deepEqual(found('/web/*/http://a.test/', 'POST'), { allowed: ['GET'] })
})

test('what has no route is not found', () => {
  for (const target of [
    '',
    'http://localhost/',
    '/api',
    '/api/v2',
    '/api/v1/',
    '/api/v1/jobs//log',
    '*',
    '/x',
  ])
    assert.equal(found(target), undefined, target)
  assert.equal(found('/api/v1/jobs/%zz'), undefined)
})

test('two routes at one place are a mistake', () => {
  assert.throws(() => new Router([route('/a/{b}'), route('/a/{c}')]), /there twice/)
  assert.throws(() => new Router([route(/jobs/)]), /start with a word/)
})

testProperties(properties, 1_000)
