import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TestApi } from '../../api/fixtures/test-api.ts'
import { ringKeyOfSite } from '../../model/ring-key.ts'
import { siteOf } from '../../model/url/site.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { realPlatform } from '../real-platform.ts'
import { ringRoutes } from './ring-routes.ts'
import { openSolitaryRing } from './solitary-ring.ts'

test('the API tells of the ring and looks keys and URLs up; what is neither is a mistake of the caller', () =>
  withTemporaryFolder(async (home) => {
    const ring = await openSolitaryRing(realPlatform(), home)
    try {
      const api = new TestApi(ringRoutes(ring))
      const view = JSON.parse((await api.ask('/api/v1/ring')).text)
      assert.deepEqual([view.network.kind, view.known.length, view.known[0].share], ['alone', 1, 1])
      const picture = await api.ask('/api/v1/ring.svg')
      assert.equal(picture.headers['content-type'], 'image/svg+xml; charset=utf-8')
      assert.match(picture.text, /^<svg [\s\S]*>1 position<[\s\S]*>1 peer<[\s\S]*<\/svg>\n$/)
      const byUrl = JSON.parse((await api.ask('/api/v1/lookup?url=http%3A%2F%2Fwww.example.com%2Fx')).text)
      assert.equal(byUrl.key, ringKeyOfSite(siteOf('www.example.com')))
      assert.equal(byUrl.owner.peer, view.peer)
      const byKey = JSON.parse((await api.ask(`/api/v1/lookup?key=${byUrl.key}`)).text)
      assert.deepEqual(byKey, byUrl)
      for (const query of ['', '?key=1', '?key=a&url=b', `?key=${'Z'.repeat(40)}`, '?url=http%3A%2F%2F']) {
        assert.equal((await api.ask(`/api/v1/lookup${query}`)).status, 400, query)
      }
    } finally {
      await ring.close()
    }
  }))
