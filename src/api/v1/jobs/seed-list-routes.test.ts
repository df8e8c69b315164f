import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SeedsMalformed } from '../../../crawl/seeds/seed-list.ts'
import { TestApi, token } from '../../fixtures/test-api.ts'
import { seedListRoutes } from './seed-list-routes.ts'

const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
const list = { format: 'lines', urls: ['http://a.test/'], skipped: 1 }

test('the URLs of a list on the web are told to the owner, and what is none is refused', async () => {
  const asked: string[] = []
  const lists = {
    seedsAt: async ({ href }: { href: string }) => {
      asked.push(href)
      if (href.endsWith('/none')) throw new SeedsMalformed('It cannot be read.')
      return list
    },
  }
  const api = new TestApi(seedListRoutes({ lists }))
  const post = (body: unknown, more: Record<string, string> = headers) =>
    api.ask('/api/v1/seed-lists', { method: 'POST', headers: more, body: JSON.stringify(body) })
  const { status, text } = await post({ url: 'a.test/list' })
  assert.deepEqual([status, JSON.parse(text)], [200, list])
  assert.deepEqual(asked, ['http://a.test/list'])
  for (const body of [{}, null, { url: 5 }, { url: 'http://' }, { url: 'http://a.test/none' }])
    assert.equal(Math.floor((await post(body)).status / 100), 4, JSON.stringify(body))
  assert.equal((await post({ url: 'a.test' }, { 'content-type': 'application/json' })).status, 401)
})

test('only so many lists are fetched at once', async () => {
  const ends: (() => void)[] = []
  const lists = { seedsAt: () => new Promise<typeof list>((resolve) => ends.push(() => resolve(list))) }
  const api = new TestApi(seedListRoutes({ lists }))
  const post = () =>
    api.ask('/api/v1/seed-lists', { method: 'POST', headers, body: '{"url":"http://a.test/"}' })
  const under = Array.from({ length: 4 }, post)
  while (ends.length < 4) await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await post()).status, 503)
  for (const end of ends) end()
  assert.deepEqual(
    (await Promise.all(under)).map(({ status }) => status),
    [200, 200, 200, 200],
  )
})
