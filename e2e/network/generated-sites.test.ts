import assert from 'node:assert/strict'
import { test } from 'vitest'
import { GeneratedSites } from './generated-sites.ts'

const shape = { sites: 12, pages: 40, images: 5, seed: 'one' }

test('exactly what is to be fetched can be reached, guests only from other sites', () => {
  const web = new GeneratedSites(shape, 8_080)
  const reached = reachable(web, () => true)
  assert.deepEqual([...reached].sort(), web.urls.sort())
  const alone = reachable(web, (from, to) => new URL(from).host === new URL(to).host)
  assert.equal(alone.size, 30 + 5 + 1, 'one site on its own: pages that are no guests, images, a shared file')
})

test('the same seed gives the same web, another one another', () => {
  const [one, same, other] = ['one', 'one', 'other'].map(
    (seed) => new GeneratedSites({ ...shape, seed }, 8_080),
  )
  const text = (web: GeneratedSites) => web.urls.map((url) => web.resourceAt(url)!.body(1).toString('latin1'))
  assert.deepEqual(text(same!), text(one!))
  assert.notDeepEqual(text(other!), text(one!))
})

test('some files of 4 kB and more are the same on several sites, and some pages change', () => {
  const web = new GeneratedSites(shape, 8_080)
  const shared = web.urls
    .filter((url) => url.includes('/shared/'))
    .map((url) => web.resourceAt(url)!.body(1).toString('hex'))
  assert.equal(shared.length, 12)
  assert.equal(new Set(shared).size, 4)
  assert.ok(shared.every((hex) => hex.length / 2 >= 4_096))
  const page = web.resource(0, '/page-1.html')!
  assert.notDeepEqual(page.body(1), page.body(2))
  assert.deepEqual(page.body(2), page.body(2))
})

function reachable(web: GeneratedSites, follows: (from: string, to: string) => boolean): Set<string> {
  const found = new Set([web.start])
  for (const url of found) {
    for (const [, link] of web
      .resourceAt(url)!
      .body(1)
      .toString('latin1')
      .matchAll(/(?:href|src)="([^"]+)"/g)) {
      const target = new URL(link!, url).href
      if (!target.includes('/private/') && follows(url, target)) found.add(target)
    }
  }
  return found
}
