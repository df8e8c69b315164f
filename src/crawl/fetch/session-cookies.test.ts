import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import type { SessionCookie } from '../../platform/network/browser-session.ts'
import { cookieHeader } from './session-cookies.ts'

const nowMs = 1_000_000

const cookie = (more: Partial<SessionCookie>): SessionCookie => ({
  name: 'a',
  value: '1',
  domain: 'site.test',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Lax',
  ...more,
})

test.each<[string, Partial<SessionCookie>, string, boolean]>([
  ['its own host', {}, 'https://site.test/x', true],
  ['no name below it', {}, 'https://www.site.test/', false],
  ['names below, with a dot', { domain: '.site.test' }, 'https://www.site.test/', true],
  ['the domain itself, with a dot', { domain: '.site.test' }, 'https://site.test/', true],
  ['no name that ends alike', { domain: '.site.test' }, 'https://evilsite.test/', false],
  ['no other site', { domain: '.site.test' }, 'https://site.test.evil.test/', false],
  ['secure ones not over http', { secure: true }, 'http://site.test/', false],
  ['secure ones over https', { secure: true }, 'https://site.test/', true],
  ['below its path', { path: '/in' }, 'https://site.test/in/side', true],
  ['its path itself', { path: '/in' }, 'https://site.test/in?x', true],
  ['no path that begins alike', { path: '/in' }, 'https://site.test/inner', false],
  ['as long as it is good', { expires: 1_001 }, 'https://site.test/', true],
  ['not when it has ended', { expires: 1_000 }, 'https://site.test/', false],
  ['nothing that would be a header of its own', { value: 'x\r\nEvil: 1' }, 'https://site.test/', false],
])('a cookie is sent to %s', (_, more, url, isSent) => {
  const header = cookieHeader({ cookies: [cookie(more)], origins: [] }, parseUrl(url), nowMs)
  assert.equal(header !== undefined, isSent)
})

test('those with longer paths come first', () => {
  const cookies = [cookie({ name: 'root' }), cookie({ name: 'deep', path: '/a/b' }), cookie({ name: 'next' })]
  const header = cookieHeader({ cookies, origins: [] }, parseUrl('https://site.test/a/b/c'), nowMs)
  assert.equal(header, 'deep=1; root=1; next=1')
})
