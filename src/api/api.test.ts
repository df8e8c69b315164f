import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { silentLog } from '../platform/log.ts'
import { type Asking, cookie, extensionKeys, ownerCookie, TestApi, token } from './fixtures/test-api.ts'
import { cookieName } from './owner/owner-cookie.ts'
import type { Route } from './route.ts'

const hello = { status: 200, headers: [['Content-Type', 'text/plain']] as const, body: 'hello' }
const shared = { methods: ['GET'], host: 'archive', handle: () => hello } as const

const routes: Route[] = [
  { ...shared, path: '/read', isForEveryOrigin: true },
  { ...shared, path: '/quiet' },
  { ...shared, path: '/page', isPage: true },
  { ...shared, path: '/write', methods: ['POST'], writes: true },
  { ...shared, path: '/one-page', methods: ['POST'], writes: true, isForExtension: true },
  { ...shared, path: '/api/v1/write', methods: ['POST'], writes: true },
  { ...shared, path: '/files', methods: ['POST'], writes: true, isTokenOnly: true },
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
  const write = (asking: Asking, target = '/write') => api.ask(target, { method: 'POST', ...asking })
  const ours = { 'sec-fetch-site': 'same-origin' }

  test('needs the token', async () => {
    assert.equal((await write({})).status, 401)
    assert.equal((await write({ headers: { authorization: 'Bearer x' } })).status, 403)
    assert.equal((await write({ headers: { authorization: `Basic ${token}` } })).status, 403)
    assert.equal((await write({ headers: { authorization: `Bearer ${token}` } })).status, 200)
    assert.match((await write({})).headers['www-authenticate']!, /^Bearer/)
    assert.match((await write({})).text, /open the link that `polyhistor peer` printed/)
  })

  test('the owner’s browser writes with its cookie, from our pages', async () => {
    const headers = { cookie: `other=1; ${ownerCookie}` }
    assert.equal((await write({ headers: { ...headers, ...ours } })).status, 200)
    assert.equal((await write({ headers: { ...headers, origin: 'http://localhost:7070' } })).status, 200)
  })

  test('the cookie of a local name is not another user’s to use', async () => {
    const headers = { cookie: ownerCookie, ...ours }
    assert.equal((await write({ headers, isOfOtherUser: true })).status, 403)
    const authorization = `Bearer ${token}`
    assert.equal((await write({ headers: { authorization }, isOfOtherUser: true })).status, 200)
    const archive = 'archive.example'
    const behindProxy = cookie.headerFor({ header: () => archive }, true).split(';', 1)[0]!
    const hosts = { archive: `https://${archive}`, replay: 'https://replay.example' }
    const proxied = { cookie: behindProxy, host: archive, ...ours }
    const answer = await new TestApi(routes, { origins: hosts }).ask('/write', {
      method: 'POST',
      headers: proxied,
      isOfOtherUser: true,
    })
    assert.equal(answer.status, 200)
  })

  test('the key of an extension is good for what is marked for it, by the owner’s own browser', async () => {
    const headers = { authorization: `Bearer ${extensionKeys.newKey()}` }
    assert.equal((await write({ headers }, '/one-page')).status, 200)
    assert.equal((await write({ headers, isOfOtherUser: true }, '/one-page')).status, 403)
    for (const path of ['/write', '/files']) assert.equal((await write({ headers }, path)).status, 403, path)
    const rebound = { ...headers, host: 'evil.test' }
    assert.equal((await write({ headers: rebound }, '/one-page')).status, 421)
    const made = { authorization: `Bearer ${extensionKeys.newKey().replace(/.$/, '_')}x` }
    assert.equal((await write({ headers: made }, '/one-page')).status, 403)
  })

  test('what names files takes the token only', async () => {
    const refused = await write({ headers: { cookie: ownerCookie, ...ours } }, '/files')
    assert.equal(refused.status, 401)
    assert.match(refused.text, /needs the token/)
    assert.equal((await write({ headers: { authorization: `Bearer ${token}` } }, '/files')).status, 200)
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
    const answer = await write({ headers: { cookie: ownerCookie, ...headers } as Record<string, string> })
    assert.equal(answer.status, 403)
    assert.match(answer.text, /Only the pages of this archive/)
  })

  test('a cookie that is made up, or was given under another name of ours, is worth nothing', async () => {
    for (const value of ['x', token, '99999999999.'.padEnd(55, 'x')]) {
      const headers = { cookie: `${cookieName}=${value}`, ...ours }
      assert.equal((await write({ headers })).status, 401)
    }
    const elsewhere = { cookie: ownerCookie, host: '127.0.0.1:7070', ...ours }
    assert.equal((await write({ headers: elsewhere })).status, 401)
  })

  test.each<[string, Asking]>([
    ['a local socket', {}],
    ['HTTP as a plain forwarder passes it on', { headers: { host: '127.0.0.1:7070' } }],
    ...[
      'cf-connecting-ip',
      'forwarded',
      'true-client-ip',
      'via',
      'x-client-ip',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-forwarded-server',
      'x-real-ip',
    ].map((name): [string, Asking] => [name, { headers: { [name]: '127.0.0.1' } }]),
  ])('%s gives no right and no cookie', async (_, asking) => {
    const page = await api.ask('/page', asking)
    assert.deepEqual([page.status, page.headers['set-cookie']], [200, undefined])
    const headers = { ...asking.headers, ...ours }
    assert.equal((await write({ headers })).status, 401)
  })
})

describe('a target in absolute form', () => {
  test('is refused: it could name another host than the Host header', async () => {
    assert.equal((await new TestApi(routes).ask('http://localhost:7070/read')).status, 400)
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

  test('tells strangers nothing of where files lie, and the owner all', async () => {
    const message = 'Cannot write /home/ann/.polyhistor/store/index: http://a.test/x is ("/var/x") too large.'
    const failing: Route = {
      ...shared,
      path: '/disk',
      handle: () => {
        throw new PolyhistorError('disk-full', message)
      },
    }
    const disk = new TestApi([failing])
    assert.equal((await disk.ask('/disk')).text, 'Cannot write … http://a.test/x is ("…") too large.\n')
    const own = await disk.ask('/disk', { headers: { cookie: ownerCookie } })
    assert.equal(own.text, `${message}\n`)
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

describe('an archive that is its owner’s alone', () => {
  const open: Route = { ...shared, path: '/open', isOpen: true }
  const api = new TestApi([...routes, open], { isPrivate: true, failurePage: page })
  const status = async (headers: Record<string, string>, target = '/read', isOfOtherUser = false) =>
    (await api.ask(target, { headers, isOfOtherUser })).status
  const ours = { cookie: ownerCookie, 'sec-fetch-site': 'same-origin' }

  test('is read with the token, or by the owner’s browser from our pages', async () => {
    assert.equal(await status({ authorization: `Bearer ${token}` }), 200)
    assert.equal(await status(ours), 200)
    assert.equal(await status({ ...ours, 'sec-fetch-site': 'none' }), 200)
  })

  test('and by nobody else, but for what makes a browser the owner’s', async () => {
    for (const target of ['/read', '/quiet', '/page', '/fault', '/fails/x'])
      assert.equal(await status({}, target), 401, target)
    assert.equal(await status({}, '/open'), 200)
    assert.equal(await status({ authorization: 'Bearer x' }), 403)
    assert.equal(await status({ authorization: `Bearer ${extensionKeys.newKey()}` }), 403)
    // The cookie goes to every port of its name, and along with what pages there embed.
    for (const site of ['same-site', 'cross-site'])
      assert.equal(await status({ ...ours, 'sec-fetch-site': site }), 401, site)
    assert.equal(await status({ cookie: ownerCookie }), 401)
    assert.equal(await status(ours, '/read', true), 401)
  })

  test('tells strangers nothing on the pages of failures', async () => {
    assert.doesNotMatch((await api.ask('/page')).text, /<h1>page/)
    assert.doesNotMatch((await api.ask('/nothing', { headers: { accept: 'text/html' } })).text, /<h1>page/)
  })
})
