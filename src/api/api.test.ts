import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { silentLog } from '../world/log.ts'
import { cookieName } from './access.ts'
import { type Asking, TestApi, token } from './fixtures/test-api.ts'
import type { Route } from './route.ts'

const hello = { status: 200, headers: [['Content-Type', 'text/plain']] as const, body: 'hello' }
const shared = { methods: ['GET'], host: 'archive', handle: () => hello } as const

const routes: Route[] = [
  { ...shared, path: '/read', isForEveryOrigin: true },
  { ...shared, path: '/quiet' },
  { ...shared, path: '/page', isPage: true },
  { ...shared, path: '/write', methods: ['POST'], writes: true },
  { ...shared, path: '/api/v1/write', methods: ['POST'], writes: true },
  { ...shared, path: '/replayed', host: 'replay' },
  {
    ...shared,
    path: '/fails/{code}',
    isPage: true,
    handle: ({ parameters }) => {
      throw new PolyhistorError(parameters.code!, 'It went wrong.')
    },
  },
  {
    ...shared,
    path: '/fault',
    handle: () => {
      throw new TypeError('secret')
    },
  },
]

const page = () => ({ status: 404, headers: [['Content-Type', 'text/html']] as const, body: '<h1>page</h1>' })

describe('hosts', () => {
  const api = new TestApi(routes)
  const status = async (host: string, target = '/read') =>
    (await api.ask(target, { headers: { host } })).status

  test.each(['localhost:7070', '127.0.0.1:7070', '[::1]:7070', 'LOCALHOST:7070'])(
    '%s is the archive',
    async (host) => {
      assert.equal(await status(host), 200)
      assert.equal(await status(host, '/replayed'), 404)
    },
  )

  test('the replay host has its own routes, and no others', async () => {
    assert.equal(await status('replay.localhost:7070', '/replayed'), 200)
    assert.equal(await status('replay.localhost:7070'), 404)
    assert.equal(
      (await api.ask('/api/v1/write', { method: 'POST', headers: { host: 'replay.localhost:7070' } })).status,
      404,
    )
  })

  test.each(['', 'evil.test', 'evil.test:7070', 'localhost:7071', 'localhost', 'localhost.evil.test:7070'])(
    'any other name (%s) is refused: it may be an attack through DNS',
    async (host) => {
      const answer = await api.ask('/read', { headers: { host } })
      assert.equal(answer.status, 421)
      assert.match(answer.text, /not known as/)
    },
  )
})

describe('writing', () => {
  const api = new TestApi(routes)
  const write = (asking: Asking) => api.ask('/write', { method: 'POST', ...asking })
  const cookie = async () => {
    const { headers } = await api.ask('/page')
    return headers['set-cookie']!.split(';', 1)[0]!
  }

  test('needs the token', async () => {
    assert.equal((await write({})).status, 401)
    assert.equal((await write({ headers: { authorization: 'Bearer x' } })).status, 403)
    assert.equal((await write({ headers: { authorization: `Basic ${token}` } })).status, 403)
    assert.equal((await write({ headers: { authorization: `Bearer ${token}` } })).status, 200)
    assert.match((await write({})).headers['www-authenticate']!, /^Bearer/)
  })

  test('a local browser writes with the cookie that our pages gave it', async () => {
    const headers = { cookie: `other=1; ${await cookie()}` }
    assert.equal((await write({ headers: { ...headers, 'sec-fetch-site': 'same-origin' } })).status, 200)
    assert.equal((await write({ headers: { ...headers, origin: 'http://localhost:7070' } })).status, 200)
    const byAddress = { ...headers, host: '127.0.0.1:7070', origin: 'http://127.0.0.1:7070' }
    assert.equal((await write({ headers: byAddress })).status, 200)
  })

  test.each([
    ['another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['the replay host', { origin: 'http://replay.localhost:7070' }],
    [
      'a browser that says one thing and another',
      { origin: 'http://localhost:7070', 'sec-fetch-site': 'cross-site' },
    ],
    ['nobody knows whom', {}],
    ['a link', { 'sec-fetch-site': 'none' }],
  ])('but not for %s', async (_, headers) => {
    const answer = await write({ headers: { cookie: await cookie(), ...headers } as Record<string, string> })
    assert.equal(answer.status, 403)
    assert.match(answer.text, /Only the pages of this archive/)
  })

  test('a made-up cookie is worth nothing', async () => {
    for (const value of ['x', token]) {
      const headers = { cookie: `${cookieName}=${value}`, 'sec-fetch-site': 'same-origin' }
      assert.equal((await write({ headers })).status, 401)
    }
  })

  test('the cookie is out of reach for scripts and other sites, and is not the token', async () => {
    const { headers } = await api.ask('/page')
    assert.match(headers['set-cookie']!, /; HttpOnly; SameSite=Strict$/)
    assert.ok(!headers['set-cookie']!.includes(token))
    assert.ok(!/domain/i.test(headers['set-cookie']!))
  })
})

describe('the cookie is given', () => {
  const api = new TestApi(routes)
  const given = async (asking: Asking, target = '/page') =>
    (await api.ask(target, asking)).headers['set-cookie'] !== undefined

  test('with pages, once', async () => {
    assert.equal(await given({}), true)
    assert.equal(await given({}, '/read'), false)
    const { headers } = await api.ask('/page')
    assert.equal(await given({ headers: { cookie: headers['set-cookie']!.split(';', 1)[0]! } }), false)
  })

  test.each<[string, Asking]>([
    ['a request from another machine', { isLoopback: false }],
    ['what a proxy passes on', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
    ['what another kind of proxy passes on', { headers: { forwarded: 'for=203.0.113.9' } }],
    ['what nginx passes on unless told otherwise', { version: '1.0' }],
    ['replayed pages', { headers: { host: 'replay.localhost:7070' } }],
  ])('not to %s', async (_, asking) => {
    assert.equal(await given(asking), false)
  })
})

describe('pages of other sites', () => {
  test('may read what is there for tools, and nothing else', async () => {
    const api = new TestApi(routes)
    assert.equal((await api.ask('/read')).headers['access-control-allow-origin'], '*')
    for (const target of ['/quiet', '/page', '/nothing'])
      assert.equal((await api.ask(target)).headers['access-control-allow-origin'], undefined, target)
  })

  test('are told so when they ask first, and that they may not write', async () => {
    const api = new TestApi(routes)
    const read = await api.ask('/read', { method: 'OPTIONS' })
    assert.equal(read.status, 204)
    assert.equal(read.headers['access-control-allow-methods'], 'GET, HEAD')
    const write = await api.ask('/write', { method: 'OPTIONS' })
    assert.deepEqual(
      [write.status, write.headers.allow, write.headers['access-control-allow-origin']],
      [204, 'POST, OPTIONS', undefined],
    )
  })

  test('may read nothing where the owner says so', async () => {
    const api = new TestApi(routes, { isReadableByAll: false })
    assert.equal((await api.ask('/read')).headers['access-control-allow-origin'], undefined)
  })
})

describe('what goes wrong', () => {
  const api = new TestApi(routes, { failurePage: page })

  test.each([
    ['url-malformed', 400],
    ['timestamp-malformed', 400],
    ['store-taken-down', 451],
    ['store-not-found', 404],
    ['store-bad-cursor', 400],
    ['crawl-job-unknown', 404],
    ['disk-full', 507],
    ['never-heard-of', 500],
  ])('%s is told with status %i', async (code, status) => {
    const answer = await api.ask(`/fails/${code}`)
    assert.deepEqual([answer.status, answer.text], [status, 'It went wrong.\n'])
  })

  test('is a page for people, JSON for programs, text for tools', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    assert.equal((await api.ask('/fails/url-x', { headers: html })).text, '<h1>page</h1>')
    assert.equal((await api.ask('/nothing', { headers: html })).text, '<h1>page</h1>')
    const json = await api.ask('/fails/url-x', { headers: { accept: 'application/json' } })
    assert.deepEqual(JSON.parse(json.text), { error: { code: 'url-x', message: 'It went wrong.' } })
    const byPath = await api.ask('/api/v1/nothing', { headers: html })
    assert.equal(JSON.parse(byPath.text).error.code, 'route-unknown')
    assert.equal((await api.ask('/nothing')).headers['content-type'], 'text/plain; charset=utf-8')
  })

  test('a fault of ours tells nobody but the log what it was', async () => {
    const told: object[] = []
    const log = { ...silentLog, error: (facts: object) => void told.push(facts) }
    const answer = await new TestApi(routes, { log }).ask('/fault')
    assert.equal(answer.status, 500)
    assert.ok(!answer.text.includes('secret'))
    assert.equal(told.length, 1)
  })

  test('a method that is not taken is told which are', async () => {
    const answer = await api.ask('/read', { method: 'DELETE' })
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    assert.equal(
      (await api.ask('/read', { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status,
      405,
    )
  })
})
