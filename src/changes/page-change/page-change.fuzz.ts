// Whatever two pages hold: their difference is told, and bytes that are no memory are an empty one.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { hostileMarkup } from '../../formats/markup/fixtures/hostile-markup.ts'
import { judge, learn } from './cosmetic/judgement.ts'
import { PageMemory } from './cosmetic/page-memory.ts'
import { SiteMemory } from './cosmetic/site-memory.ts'
import { type PageVersion, versionDifference } from './page-change.ts'

const pieces = [
  '<p class="a1 b">',
  '<a href="/x?sid=1&v=2">',
  '12:30',
  ' 3 minutes ago ',
  '€ 5',
  '1,234',
  '<script>',
  '</',
  'id=',
  '\0',
  '9f8e7d6c5b4a',
  '年月',
]
const page = hostileMarkup(pieces, 60)

const version = (text: string, contentType: string): PageVersion => ({
  text,
  bytes: text.length,
  contentType,
  url: 'https://a.example/',
  capturedAtMs: 0,
})

export const anyPages = {
  name: 'two pages have a difference, the same page has none, and it can be learned',
  property: fc.property(page, page, fc.constantFrom('text/html', 'text/plain', ''), (one, other, type) => {
    const same = versionDifference(version(one, type), version(one, type))
    assert.deepEqual([same.blocks, same.isMore, same.change.wordShare], [[], false, 0])
    const difference = versionDifference(version(one, type), version(other, type))
    assert(difference.change.wordShare >= 0 && difference.change.wordShare <= 1)
    const memory = new PageMemory()
    const site = new SiteMemory()
    for (let visit = 0; visit < 3; visit++) {
      judge(difference, memory, site)
      learn(difference, memory, site, 'https://a.example/')
    }
    assert.deepEqual(PageMemory.fromBytes(memory.toBytes()).toBytes(), memory.toBytes())
    assert.deepEqual(SiteMemory.fromBytes(site.toBytes()).toBytes(), site.toBytes())
  }),
}

export const anyBytes = {
  name: 'any bytes are a memory',
  property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    PageMemory.fromBytes(bytes).toBytes()
    SiteMemory.fromBytes(bytes).toBytes()
  }),
}

export const properties = [anyPages, anyBytes]
