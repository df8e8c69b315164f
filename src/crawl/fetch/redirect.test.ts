import assert from 'node:assert/strict'
import { test } from 'vitest'
import { FieldList } from '../../formats/http/field-list.ts'
import { parseUrl } from '../../model/url/url.ts'
import { RedirectTrail, redirectOf } from './redirect.ts'

const url = parseUrl('https://a.test/dir/page?q')
const to = (location: string, status = 302) =>
  redirectOf(status, new FieldList([['location', location]]), url)

test('only the five statuses redirect', () => {
  for (const status of [301, 302, 303, 307, 308])
    assert.equal(to('/x', status)?.target?.href, 'https://a.test/x')
  for (const status of [200, 201, 300, 304, 305, 306, 309, 404]) assert.equal(to('/x', status), undefined)
})

test('locations are resolved against the URL, without fragment', () => {
  for (const [location, href] of [
    ['other', 'https://a.test/dir/other'],
    ['../up#part', 'https://a.test/up'],
    ['//b.test', 'https://b.test/'],
    ['http://B.test:80/x y', 'http://b.test/x%20y'],
    ['?r', 'https://a.test/dir/page?r'],
    ['', 'https://a.test/dir/page?q'],
    ['#part', 'https://a.test/dir/page?q'],
  ] as const) {
    assert.equal(to(location)?.target?.href, href)
  }
})

test('a location in UTF-8 or Latin-1 is read as browsers do', () => {
  assert.equal(to(Buffer.from('/été').toString('latin1'))?.target?.href, 'https://a.test/%C3%A9t%C3%A9')
  assert.equal(to('/\xe9t\xe9')?.target?.href, 'https://a.test/%C3%A9t%C3%A9')
})

test('a location that leads nowhere says why', () => {
  for (const location of [
    'mailto:a@b',
    'javascript:alert(1)',
    'http://',
    'http://[x]/',
    'file:///etc/passwd',
  ]) {
    const redirect = to(location)
    assert(redirect !== undefined && redirect.target === undefined && redirect.reason !== '', location)
  }
  assert.deepEqual(redirectOf(301, new FieldList(), url), {
    target: undefined,
    reason: 'it has no Location',
  })
})

test('a trail ends at a URL it has been to, and at its length', () => {
  const at = (path: string) => parseUrl(`https://a.test/${path}`)
  const trail = new RedirectTrail(at('0'), 2)
  assert.equal(trail.step(at('0')), 'redirect-loop')
  assert.equal(trail.step(at('1')), undefined)
  assert.equal(trail.step(at('2')), undefined)
  assert.equal(trail.step(at('3')), 'too-many-redirects')
  assert.equal(trail.step(at('1')), 'redirect-loop')
  assert.equal(trail.redirects, 2)
})
