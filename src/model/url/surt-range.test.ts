import assert from 'node:assert/strict'
import { test } from 'vitest'
import { surtOf } from './surt.ts'
import { type SurtRange, surtDomainRanges, surtHostRanges, surtPrefixRange } from './surt-range.ts'

const urls = [
  'http://example.com/',
  'http://example.com/news',
  'http://example.com/news/today',
  'http://example.com/newsletter',
  'http://example.com:8080/news',
  'http://sub.example.com/news',
  'http://sub.example.com:8080/',
  'http://example.com.au/',
  'http://example-2.com/',
  'http://examples.com/',
  'http://com/',
  'http://127.0.0.1:9/x',
  'http://127.0.0.12/x',
]

function found(...ranges: readonly SurtRange[]): string[] {
  return urls.filter((url) => ranges.some(({ from, to }) => surtOf(url) >= from && surtOf(url) < to))
}

test('a prefix finds what starts with it', () => {
  assert.deepEqual(found(surtPrefixRange('http://example.com/news')), urls.slice(1, 4))
  assert.deepEqual(found(surtPrefixRange('https://www.example.com/news/')), urls.slice(2, 3))
  assert.deepEqual(found(surtPrefixRange('example.com/')), urls.slice(0, 4))
})

test('a host is found on all its ports, without its subdomains', () => {
  assert.deepEqual(found(...surtHostRanges('example.com')), urls.slice(0, 5))
  assert.deepEqual(found(...surtHostRanges('www.example.com')), urls.slice(0, 5))
  assert.deepEqual(found(...surtHostRanges('127.0.0.1')), ['http://127.0.0.1:9/x'])
})

test('a domain is found with its subdomains, and not its neighbours', () => {
  assert.deepEqual(found(...surtDomainRanges('example.com')), urls.slice(0, 7))
  assert.deepEqual(
    found(...surtDomainRanges('com')),
    urls.filter((url) => /\.com[:/]|\/com\//.test(url)),
  )
  assert.deepEqual(found(...surtDomainRanges('127.0.0.1')), ['http://127.0.0.1:9/x'])
})

test('a range holds the keys of an IPv6 address', () => {
  const [range] = surtHostRanges('[::1]')
  assert.ok(range!.from <= surtOf('http://[::1]/x') && surtOf('http://[::1]/x') < range!.to)
})
