// What must hold of every target that a client can send.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Route } from './route.ts'
import { Router } from './router.ts'

const route = (path: string): Route => ({
  methods: ['GET'],
  host: 'archive',
  path,
  handle: () => ({ status: 200, headers: [], body: undefined }),
})
const router = new Router(
  ['/web/{rest*}', '/web/timemap/link/{rest*}', '/a/{b}/c', '/a/{b}/{c}/d', '/{x}/cdx', '/a'].map(route),
)
const piece = fc.constantFrom(
  '/',
  '//',
  '?',
  '%',
  '%2F',
  '%zz',
  'a',
  'web',
  'cdx',
  'timemap',
  'link',
  '.',
  '..',
  'é',
)
const target = fc.oneof(
  fc.string(),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
)

export const properties = [
  {
    name: 'what follows /web/ comes through to the letter',
    property: fc.property(target, (rest) => {
      const found = router.find('GET', `/web/${rest}`)
      assert.ok(found !== undefined && 'match' in found)
      const whole = found.match.route.path === '/web/{rest*}' ? rest : `timemap/link/${found.match.rest}`
      // `/web/cdx` is there too, for a collection of that name.
      if (found.match.route.path !== '/{x}/cdx') assert.equal(whole, rest)
    }),
  },
  {
    name: 'a target has a route or none; a part between two slashes has no slash in it as it was sent',
    property: fc.property(target, (text) => {
      const found = router.find('GET', text)
      if (found === undefined || 'allowed' in found) return
      assert.ok(text.startsWith('/'))
      const { path } = found.match.route
      if (path === '/a/{b}/c') assert.equal(text.split('?', 1)[0]!.split('/').length, 4)
    }),
  },
]
