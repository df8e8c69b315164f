import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseJobRequest } from './job-request.ts'

test('a job is told where to start and how far to go', () => {
  assert.deepEqual(parseJobRequest({ url: 'a.test/x', pages: 10 }), {
    seeds: ['http://a.test/x'],
    scope: 'host',
    depth: undefined,
    include: undefined,
    exclude: undefined,
    types: undefined,
    sitemaps: undefined,
    browser: undefined,
    priority: undefined,
    budgets: { pages: 10, bytes: undefined, timeMs: undefined },
  })
  const { seeds, scope } = parseJobRequest({ seeds: ['a.test', 'https://b.test/'], scope: 'page' })
  assert.deepEqual([seeds, scope], [['http://a.test/', 'https://b.test/'], 'page'])
})

test.each([
  [null, 'JSON object'],
  [[], 'JSON object'],
  ['x', 'JSON object'],
  [{}, 'where to start'],
  [{ seeds: [] }, 'where to start'],
  [{ url: 7 }, 'a URL'],
  [{ url: 'mailto:x' }, 'only http and https'],
  [{ url: 'a.test', scope: 'world' }, 'one of page, prefix'],
  [{ url: 'a.test', depth: -1 }, 'whole number'],
  [{ url: 'a.test', pages: '10' }, 'whole number'],
  [{ url: 'a.test', include: 'x' }, 'list of strings'],
  [{ url: 'a.test', types: ['html'] }, 'commas'],
  [{ url: 'a.test', sitemaps: 'yes' }, 'true or false'],
  [{ url: 'a.test', browser: 'sometimes' }, 'one of auto, always, never'],
  [{ url: 'a.test', dept: 3 }, 'no "dept"'],
])('%j is refused with a sentence', (body, sentence) => {
  assert.throws(
    () => parseJobRequest(body),
    (error: Error) => error.message.includes(sentence),
  )
})
