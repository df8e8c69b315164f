import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { LinkFound, PageLink } from '../model/page-link.ts'
import { isThereAt } from '../model/page-link.ts'
import { parseUrl } from '../model/url/url.ts'
import { withTemporaryFolder } from '../platform/fixtures/temporary-folder.ts'
import { RealDisk } from '../platform/real/disk/disk.ts'
import { RealKeyValues } from '../platform/real/key-value/key-value.ts'
import { LinkGraph } from './link-graph.ts'
import { linksOfList } from './packed-links.ts'

const page = parseUrl('http://a.test/page')
const other = parseUrl('http://b.test/')

test('links are found from their page and from their target, as of any time', () =>
  withGraph(async (graph) => {
    assert.equal(
      graph.note(page, 1_000, linksOfList([link('http://b.test/', 'B'), link('http://c.test/x')])),
      'all',
    )
    graph.note(other, 1_500, linksOfList([link('http://c.test/x', 'See C')]))
    assert.equal(
      graph.note(page, 2_000, linksOfList([link('http://b.test/', 'B'), link('http://c.test/x')])),
      'none',
    )
    const changes = graph.note(
      page,
      3_000,
      linksOfList([link('http://b.test/', 'B'), link('http://d.test/')]),
    )
    assert.deepEqual(changes, { added: [link('http://d.test/')], removed: [link('http://c.test/x')] })
    for (const _ of ['waiting', 'written']) {
      const from = [...graph.linksFrom(page)].sort(byTarget)
      assert.deepEqual(
        from.map(({ to, text, firstSeenMs, lastSeenMs, goneMs }) => [
          to,
          text,
          firstSeenMs,
          lastSeenMs,
          goneMs,
        ]),
        [
          ['http://b.test/', 'B', 1_000, 3_000, undefined],
          ['http://c.test/x', '', 1_000, 2_000, 3_000],
          ['http://d.test/', '', 3_000, 3_000, undefined],
        ],
      )
      assert.deepEqual(targetsAt(from, 2_500), ['http://b.test/', 'http://c.test/x'])
      assert.deepEqual(targetsAt(from, 3_000), ['http://b.test/', 'http://d.test/'])
      assert.deepEqual(targetsAt(from, 999), [])
      const to = [...graph.linksTo('http://c.test/x')].map((each) => each.from).sort()
      assert.deepEqual(to, ['http://a.test/page', 'http://b.test/'])
      assert.deepEqual([...graph.linksToSite('d.test')].length, 1)
      assert.deepEqual([...graph.linksTo('http://e.test/')], [])
      await graph.flush()
    }
    assert.deepEqual(
      [...graph.linksFromSite('b.test')].map(({ to }) => to),
      ['http://c.test/x'],
    )
  }))

test('a link that comes back counts from then on, and its page is still found with all others', () =>
  withGraph(async (graph) => {
    const all = linksOfList([link('http://t.test/')])
    graph.note(page, 1_000, all)
    graph.note(other, 1_000, all)
    await graph.flush()
    graph.note(page, 2_000, linksOfList([]))
    await graph.flush()
    graph.note(page, 3_000, all)
    await graph.flush()
    const spans = [...graph.linksTo('http://t.test/')].filter(({ from }) => from === page.href)
    assert.deepEqual(spans.map(({ firstSeenMs, goneMs }) => [firstSeenMs, goneMs]).sort(), [
      [1_000, 2_000],
      [3_000, undefined],
    ])
    assert.equal([...graph.linksTo('http://t.test/')].length, 3)
  }))

test('what a graph has survives its being closed; pages without captures are forgotten', () =>
  withTemporaryFolder(async (folder) => {
    const first = await openIn(folder)
    first.note(page, 1_000, linksOfList([link('http://b.test/', 'B')]))
    await first.close()
    const graph = await openIn(folder)
    graph.note(other, 2_000, linksOfList([link('http://b.test/other')]))
    assert.equal([...graph.linksTo('http://b.test/')].length, 1)
    await graph.forget([page])
    assert.equal([...graph.linksTo('http://b.test/')].length, 0)
    assert.equal([...graph.linksFrom(page)].length, 0)
    assert.equal([...graph.linksToSite('b.test')].length, 1)
    await graph.close()
  }))

test.each([0, 3, 2_000])('a number that leads to %i bytes of damage leads nowhere', (length) =>
  withTemporaryFolder(async (folder) => {
    const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
    const graph = new LinkGraph(map)
    graph.note(page, 1_000, linksOfList([link('http://b.test/')]))
    await graph.flush()
    const numbers = map.table('numbers')
    await map.transaction(() => {
      for (const [key] of [...numbers.range()]) numbers.put(key, Buffer.alloc(length, 1))
    })
    assert.deepEqual([...graph.linksTo('http://b.test/'), ...graph.linksToSite('b.test')], [])
    assert.equal([...graph.linksFrom(page)].length, 1)
    await graph.close()
  }),
)

test('a page is made anew from all its versions, in whatever order they came before', () =>
  withGraph(async (graph) => {
    graph.note(page, 5_000, linksOfList([link('http://b.test/')]))
    const versions = [
      { atMs: 1_000, links: linksOfList([link('http://c.test/')]) },
      { atMs: 5_000, links: linksOfList([link('http://b.test/')]) },
      { atMs: 6_000, links: linksOfList([link('http://b.test/')]) },
    ]
    graph.replace(page, versions)
    assert.deepEqual(graph.timesOf(page), { firstMs: 1_000, lastMs: 6_000, renderedMs: 0 })
    assert.deepEqual(
      [...graph.linksFrom(page)].sort(byTarget).map(({ to, lastSeenMs, goneMs }) => [to, lastSeenMs, goneMs]),
      [
        ['http://b.test/', 6_000, undefined],
        ['http://c.test/', 1_000, 5_000],
      ],
    )
  }))

test('a page that changes for years keeps a bounded history', () =>
  withGraph(async (graph) => {
    for (let version = 1; version <= 300; version++) {
      const links = Array.from({ length: 40 }, (_, i) => link(`http://b.test/${version}/${i}`))
      graph.note(page, version * 1_000, linksOfList(links))
    }
    const links = [...graph.linksFrom(page)]
    assert.equal(links.filter(({ goneMs }) => goneMs === undefined).length, 40)
    assert.ok(links.length <= 65 * 40, `${links.length} links are kept`)
  }))

async function openIn(folder: string): Promise<LinkGraph> {
  return new LinkGraph(await new RealKeyValues({ disk: new RealDisk() }).open(folder))
}

function withGraph(body: (graph: LinkGraph) => Promise<void> | void): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const graph = await openIn(folder)
    try {
      await body(graph)
    } finally {
      await graph.close()
    }
  })
}

function link(href: string, text = ''): LinkFound {
  return { href, relation: 'a href', isNoFollow: false, text }
}

function byTarget(one: PageLink, two: PageLink): number {
  return one.to < two.to ? -1 : 1
}

function targetsAt(links: readonly PageLink[], atMs: number): string[] {
  return links.filter((each) => isThereAt(each, atMs)).map(({ to }) => to)
}
