import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { WatchTarget } from './page-watch.ts'
import { isOfTarget, WatchIndex } from './watch-index.ts'

const event = (url: string) => ({ url, site: 'a.example' })

test('a page is found whatever its scheme, with and without www; a prefix ends where its slash does', () => {
  const index = new WatchIndex()
  const targets: WatchTarget[] = [
    { kind: 'url', url: 'http://a.example/news' },
    { kind: 'prefix', url: 'https://a.example/news/' },
    { kind: 'prefix', url: 'https://a.example/' },
    { kind: 'prefix', url: 'https://a.example/ne' },
    { kind: 'site', site: 'a.example' },
    { kind: 'site', site: 'b.example' },
  ]
  for (const [id, target] of targets.entries()) index.add(String(id), target)
  const found = (url: string) => index.matching(event(url)).sort().join(' ')
  assert.equal(found('https://www.a.example/news'), '0 1 2 3 4')
  assert.equal(found('https://a.example/news/today?x=1'), '1 2 3 4')
  assert.equal(found('https://a.example/newsletter'), '2 3 4')
  assert.equal(found('https://sub.a.example/news'), '4')
  index.remove('1', targets[1]!)
  index.remove('3', targets[3]!)
  index.remove('3', targets[3]!)
  assert.equal(found('https://a.example/news/today'), '2 4')
  assert(isOfTarget(targets[3]!, event('https://a.example/next')))
  assert(!isOfTarget(targets[1]!, event('https://a.example/next')))
})

test('of thousands of watches an event looks at those of its own host', () => {
  const index = new WatchIndex()
  for (let number = 0; number < 3_000; number++) {
    index.add(`page${number}`, { kind: 'url', url: `https://s${number}.example/` })
    index.add(`below${number}`, {
      kind: 'prefix',
      url: `https://s${number}.example/${'a/'.repeat(number % 7)}`,
    })
  }
  assert.deepEqual(index.matching({ url: 'https://s77.example/', site: 's77.example' }), [
    'page77',
    'below77',
  ])
  assert.deepEqual(index.matching({ url: 'https://s78.example/a/b', site: 's78.example' }), ['below78'])
})
