import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { archivable } from './archivable.ts'
import type { BrowserApi } from './browser-api.ts'
import { Connections, offerOf } from './connection.ts'

describe('what the owner gives', () => {
  test.each([
    ['http://localhost:7070/owner/abc-D_1', '', { origin: 'http://localhost:7070', code: 'abc-D_1' }],
    [' localhost:7070/owner/abc ', '', { origin: 'http://localhost:7070', code: 'abc' }],
    ['https://archive.example/owner/abc', '', { origin: 'https://archive.example', code: 'abc' }],
    ['http://127.0.0.1:7070', 'tok-en', { origin: 'http://127.0.0.1:7070', token: 'tok-en' }],
    ['http://[::1]:7070/', ' token\n', { origin: 'http://[::1]:7070', token: 'token' }],
  ])('%s', (address, token, offer) => assert.deepEqual(offerOf(address, token), offer))

  test.each([
    ['', '', /no address/],
    ['http://localhost:7070', '', /whole link/],
    ['http://archive.example/owner/abc', '', /Without https/],
    ['http://localhost.evil.example/owner/abc', '', /Without https/],
    ['http://127.0.0.1.evil.example/', 'token', /Without https/],
    ['http://me:secret@localhost:7070/', 'token', /no address/],
    ['http://localhost:7070', 'a b', /whole link/],
  ])('%s is refused: %s', (address, token, reason) => assert.match(String(offerOf(address, token)), reason))
})

describe('the connection', () => {
  function browserOf(scheme: string) {
    const kept: Record<string, unknown> = {}
    const [granted, taken]: [string[], string[]] = [[], []]
    const browser = {
      storage: {
        local: {
          get: async (name: string) => ({ [name]: kept[name] }),
          set: async (values: object) => void Object.assign(kept, values),
          remove: async (name: string) => void delete kept[name],
        },
      },
      permissions: {
        request: async ({ origins }: { origins: string[] }) => granted.push(...origins) > 0,
        remove: async ({ origins }: { origins: string[] }) => taken.push(...origins) > 0,
      },
      runtime: { getURL: () => `${scheme}://x/` },
    }
    return { connections: new Connections(browser as unknown as BrowserApi), kept, granted, taken }
  }

  test('needs the right to one host, and gives it back', async () => {
    const { connections, granted, taken } = browserOf('chrome-extension')
    await connections.allow('http://localhost:7070')
    await connections.keep({ origin: 'http://localhost:7070', key: 'x' })
    await connections.keep({ origin: 'http://localhost:7070', key: 'y' })
    assert.deepEqual([granted, taken], [['http://localhost:7070/*'], []])
    await connections.keep({ origin: 'https://archive.example', key: 'z' })
    await connections.end()
    assert.deepEqual(taken, ['http://localhost:7070/*', 'https://archive.example/*'])
    assert.equal(await connections.current(), undefined)
  })

  test('Firefox is asked without a port', async () => {
    const { connections, granted } = browserOf('moz-extension')
    await connections.allow('http://localhost:7070')
    assert.deepEqual(granted, ['http://localhost/*'])
  })

  test('what is no connection counts as none', async () => {
    const { connections, kept } = browserOf('chrome-extension')
    for (const value of ['x', null, { origin: 7, key: 'x' }, {}]) {
      kept.connection = value
      assert.equal(await connections.current(), undefined)
    }
  })
})

describe('what can be archived', () => {
  test('pages of the web, without the place within them', () => {
    assert.deepEqual(archivable('https://a.example/x?y#z'), { href: 'https://a.example/x?y' })
  })

  test.each([
    [undefined, /no page/],
    ['', /no page/],
    ['about:blank', /browser itself/],
    ['chrome://settings', /browser itself/],
    ['moz-extension://x/', /browser itself/],
    ['view-source:https://a.example/', /browser itself/],
    ['file:///etc/passwd', /file on your disk/],
    ['https://me:secret@a.example/', /password/],
    [`https://a.example/${'x'.repeat(70_000)}`, /too long/],
  ])('%s: not', (url, reason) => {
    const page = archivable(url)
    assert.match('reason' in page ? page.reason : '', reason)
  })
})
