import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RankAsked } from '../../rank/rank-service.ts'
import { TestApi } from '../fixtures/test-api.ts'
import { rankRoutes } from './rank-routes.ts'

test('ranks are asked for by number, site and kind; what is no question is refused with what to say', async () => {
  const asked: RankAsked[] = []
  const ranked = [{ url: 'http://a.test/', score: 0.5 }]
  const api = new TestApi(
    rankRoutes({
      ranks: {
        top: async (question) => {
          asked.push(question)
          return { ranked, isPartial: false, computedMs: 0 }
        },
        curve: async (site) => [{ atMs: 0, score: site === 'a.test' ? 0.25 : 0 }],
      },
    }),
  )
  const answer = await api.ask('/api/v1/rank?top=3&site=www.a.test')
  assert.deepEqual(JSON.parse(answer.text), { ranked, isPartial: false, computed: null })
  await api.ask('/api/v1/rank?of=sites')
  assert.deepEqual(asked, [
    { isSites: false, site: 'a.test', limit: 3 },
    { isSites: true, site: undefined, limit: 20 },
  ])
  for (const query of ['top=0', 'top=x', 'top=1001', 'of=words'])
    assert.equal((await api.ask(`/api/v1/rank?${query}`)).status, 400, query)
  const curve = await api.ask('/api/v1/rank/curve?site=a.test')
  assert.deepEqual(JSON.parse(curve.text), { points: [{ time: '1970-01-01T00:00:00.000Z', score: 0.25 }] })
  assert.equal((await api.ask('/api/v1/rank/curve')).status, 400)
})
