import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { RingKey } from '../../../model/ring-key.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { openStore } from '../../../store/fixtures/open-store.ts'
import { pageCapture, textOf } from '../../../store/fixtures/sample-captures.ts'
import type { ListOptions, NetworkCapture, ViewSelection } from '../view.ts'
import { StoreView } from './store-view.ts'

const start = Date.UTC(2024, 0, 1)
const urls = ['http://a.test/', 'http://a.test/b', 'http://www.a.test/b', 'http://other.test/']
const every = { kind: 'arc', from: '0'.repeat(40) as RingKey, upTo: 'f'.repeat(40) as RingKey } as const
const selections: ViewSelection[] = [
  { kind: 'url', url: urls[1]! },
  { kind: 'prefix', url: 'http://a.test/' },
  { kind: 'host', host: 'a.test' },
  { kind: 'site', site: 'a.test' },
  every,
]

/** Several versions of each URL, some of them of one millisecond. */
const captures = urls.flatMap((url, site) =>
  [0, 0, 0, 5, 9, 9].map((atMs, number) => ({
    ...pageCapture(url, start + atMs, `${url} ${number}`),
    recordId: `${number}${site}000000-0000-4000-8000-00000000000${number}`,
  })),
)

async function viewOf(inOrder: typeof captures): Promise<StoreView> {
  const store = await openStore()
  for (const capture of inOrder) await store.append(capture)
  return new StoreView({ store, isComplete: () => true })
}

function pages(view: StoreView, selection: ViewSelection, size: number, options: ListOptions = {}) {
  const found: NetworkCapture[] = []
  for (let after: string | undefined; ; after = found.at(-1)!.cursor) {
    const page = [...view.list(selection, { ...options, after, limit: size })]
    found.push(...page)
    if (page.length < size) return found
  }
}

const nameOf = ({ url, capturedAtMs, recordId, cursor }: NetworkCapture) => ({
  url,
  capturedAtMs,
  recordId,
  cursor,
})

describe('two stores that got the same captures in another order', () => {
  test.each(selections)('list the same, page by page: $kind', async (selection) => {
    const [one, other] = [await viewOf(captures), await viewOf(captures.toReversed())]
    const whole = [...one.list(selection)].map(nameOf)
    assert(whole.length > 5)
    for (const size of [1, 2, 5, 100]) {
      assert.deepEqual(pages(one, selection, size).map(nameOf), whole)
      assert.deepEqual(pages(other, selection, size).map(nameOf), whole)
    }
    const bytes = whole.map(({ cursor }) => Buffer.from(cursor, 'base64url'))
    assert.deepEqual(bytes.toSorted(Buffer.compare), bytes)
  })

  test('also backward, and within a time', async () => {
    const [one, other] = [await viewOf(captures), await viewOf(captures.toReversed())]
    const selection = { kind: 'url', url: urls[1]! } as const
    const whole = [...one.list(selection)].map(nameOf)
    for (const size of [1, 4, 100]) {
      for (const view of [one, other])
        assert.deepEqual(pages(view, selection, size, { reverse: true }).map(nameOf), whole.toReversed())
    }
    const between = { fromMs: start + 1, toMs: start + 9 }
    assert.equal(pages(other, selection, 1, between).length, 2)
    assert.equal(pages(other, selection, 1, { ...between, reverse: true }).length, 2)
  })

  test('read each other’s cursors', async () => {
    const [one, other] = [await viewOf(captures), await viewOf(captures.toReversed())]
    for (const { cursor, recordId } of one.list(every)) {
      const { capture, payload } = await other.read(cursor)
      assert.equal(capture.recordId, recordId)
      const number = captures.findIndex((given) => given.recordId === recordId)
      assert.equal(await textOf(payload()), `${urls[Math.floor(number / 6)]} ${number % 6}`)
      assert.equal(other.find(cursor)?.recordId, recordId)
    }
  })
})

test('what is not here is not given, and what is no cursor is refused', async () => {
  const view = await viewOf(captures.slice(0, 2))
  const [gone] = [...(await viewOf(captures.slice(2, 3))).list(every)]
  assert.equal(view.find(gone!.cursor), undefined)
  await assert.rejects(view.read(gone!.cursor), { code: 'reading-unavailable' })
  await assert.rejects(view.records(gone!.cursor, true), { code: 'reading-unavailable' })
  for (const cursor of ['', 'x', 'x'.repeat(200), '§', gone!.cursor.slice(0, -4)])
    await assert.rejects(view.read(cursor), { code: 'store-bad-cursor' })
})

test('an arc is complete when both of its ends are', async () => {
  const { ringKey } = parseUrl(urls[0]!)
  const store = await openStore()
  const view = new StoreView({ store, isComplete: (key) => key === ringKey })
  assert(view.isComplete({ kind: 'arc', from: ringKey, upTo: ringKey }))
  assert(view.isComplete({ kind: 'prefix', url: urls[1]! }))
  assert(view.isComplete({ kind: 'host', host: 'www.a.test' }))
  assert(!view.isComplete(every))
  assert(!view.isComplete({ kind: 'site', site: 'other.test' }))
})
