// Paging through a list shows every URL once, whatever the limits are.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ListedArchive } from './fixtures/listed-archive.ts'
import { urlListOf } from './url-list.ts'

const told = fc.uniqueArray(fc.record({ page: fc.nat(12), day: fc.nat(40) }), {
  selector: ({ page, day }) => `${page} ${day}`,
  maxLength: 80,
})
const limits = fc.record({
  urls: fc.integer({ min: 1, max: 5 }),
  capturesPerUrl: fc.integer({ min: 1, max: 4 }),
  visits: fc.integer({ min: 1, max: 6 }),
  captures: fc.integer({ min: 1, max: 10 }),
})

export const properties = [
  {
    name: 'every URL once, with its count',
    property: fc.asyncProperty(told, limits, async (all, limit) => {
      const archive = new ListedArchive(
        all.map(({ page, day }) => ({ url: `http://a.example/${page}`, atMs: day * 86_400_000 })),
      )
      const needs = { archive, breathe: async () => {} }
      const seen: [string, number, boolean][] = []
      let after: string | undefined
      do {
        const list = await urlListOf(needs, { kind: 'site', site: 'a.example' }, { after }, limit)
        assert(list.entries.length <= limit.urls)
        for (const { url, count, isMore } of list.entries) seen.push([url, count, isMore])
        assert(list.next === undefined || list.next !== after, 'stands still')
        after = list.next
      } while (after !== undefined)
      const counts = new Map<string, number>()
      for (const { page } of all)
        counts.set(`http://a.example/${page}`, (counts.get(`http://a.example/${page}`) ?? 0) + 1)
      const expected = [...counts].map(([url, count]) => [
        url,
        Math.min(count, limit.capturesPerUrl),
        count > limit.capturesPerUrl,
      ])
      assert.deepEqual(seen.sort(), expected.sort())
    }),
  },
]
