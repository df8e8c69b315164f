import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decodePageInfo, encodePageInfo, type PageInfo } from './page-info.ts'

const words = fc.string({ minLength: 1, maxLength: 100 })
const part = fc.record(
  {
    name: words,
    fate: fc.constantFrom('kept' as const, 'refused' as const, 'failed' as const),
    status: fc.nat(999),
    protocol: fc.string({ maxLength: 32 }),
    offers: fc.array(fc.string({ maxLength: 32 }), { maxLength: 8 }),
  },
  { noNullPrototype: true, requiredKeys: ['name', 'fate', 'status'] },
)
const link = fc.record(
  { href: fc.webUrl(), text: fc.string({ maxLength: 100 }), isNoFollow: fc.boolean() },
  { noNullPrototype: true },
)
const info: fc.Arbitrary<PageInfo> = fc.record(
  {
    url: fc.webUrl(),
    title: fc.string({ maxLength: 100 }),
    links: fc.array(link, { maxLength: 10 }),
    parts: fc.uniqueArray(part, { maxLength: 10, selector: ({ name }) => name }),
  },
  { noNullPrototype: true },
)

export const properties = [
  {
    name: 'an account of a page is read as it was written, in whatever order its parts came',
    property: fc.property(info, (written) => {
      const read = decodePageInfo(encodePageInfo(written))
      const names = (parts: PageInfo['parts']) =>
        new Map(parts.filter(({ name }) => name !== '__proto__').map((each) => [each.name, each]))
      assert.deepEqual({ ...read, parts: [] }, { ...written, parts: [] })
      assert.deepEqual(names(read!.parts), names(written.parts))
      const other = encodePageInfo({ ...written, parts: written.parts.toReversed() })
      assert.deepEqual(other, encodePageInfo(written))
    }),
  },
  {
    name: 'any JSON and any bytes are an account or none',
    property: fc.property(fc.json(), fc.uint8Array({ maxLength: 200 }), (json, bytes) => {
      decodePageInfo(Buffer.from(json))
      decodePageInfo(Buffer.from(`{"urls":${json},"links":${json},"title":${json}}`))
      decodePageInfo(bytes)
    }),
  },
]
