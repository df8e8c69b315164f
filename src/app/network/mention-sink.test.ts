import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openFrontier } from '../../crawl/fixtures/simulated-frontier.ts'
import { PolyhistorError } from '../../errors.ts'
import type { LinkMention } from '../../model/page-link.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import { type ForwardedLink, mentionFacts } from '../../network/link-delivery/forwarded-link.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { MentionSink } from './mention-sink.ts'

const target = parseUrl('http://target.example/page')
const page = 'http://other.example/'

test('a mention is kept with its target’s site, goes with it to another frontier, and ends when the page loses the link', async () => {
  const { frontier, sink, world } = await opened('a')
  assert.deepEqual(
    [...(await sink.take([mention({ atMs: 1_000 }), mention({ atMs: 1_500, page: `${page}2` })]))],
    [],
  )
  await sink.take([mention({ atMs: 3_000, isGone: true })])
  const links = [...sink.incoming.linksTo(target)].sort((one, other) => one.firstSeenMs - other.firstSeenMs)
  assert.deepEqual(
    links.map(({ from, text, firstSeenMs, lastSeenMs, goneMs }) => [
      from,
      text,
      firstSeenMs,
      lastSeenMs,
      goneMs,
    ]),
    [
      [page, 'See this', 1_000, 1_000, 3_000],
      [`${page}2`, 'See this', 1_500, 1_500, undefined],
    ],
  )
  const { entries } = frontier.sites.read(target.ringKey, undefined, 1_000_000)
  const other = await opened('b', world)
  await world.complete(other.frontier.sites.bringIn(target.ringKey, entries, { epoch: 2, sequence: 1 }))
  assert.deepEqual(
    [...other.sink.incoming.linksToSite(target.ringKey)].sort(
      (one, two) => one.firstSeenMs - two.firstSeenMs,
    ),
    links,
  )
})

test('mentions of a site that nobody crawls are dropped; of one that is on its way here they are to come again', async () => {
  const { frontier, sink, setting, world } = await opened('a')
  setting.canCrawl = false
  assert.deepEqual([...(await sink.take([mention({})]))], [])
  assert.deepEqual([...sink.incoming.linksTo(target)], [])
  await world.complete(frontier.sites.bringIn(target.ringKey, [], { epoch: 1, sequence: 1 }))
  assert.deepEqual([...(await sink.take([mention({})]))], [target.ringKey])
  setting.canCrawl = true
  setting.isSafe = false
  assert.deepEqual([...(await sink.take([mention({})]))], [target.ringKey])
})

test('a target that all the web links to keeps a bounded number of them', async () => {
  const { sink } = await opened('a')
  const many = Array.from({ length: 10_100 }, (_, i) => mention({ page: `${page}${i}` }))
  await sink.take(many)
  assert.equal([...sink.incoming.linksTo(target)].length, 10_000)
})

async function opened(name: string, world = simulatedWorld({ seed: 1 })) {
  const { frontier } = await openFrontier(world, name)
  const setting = { canCrawl: true, isSafe: true }
  const sites = {
    canCrawl: (_: RingKey) => setting.canCrawl,
    waitUntilSafe: async () => {
      if (!setting.isSafe) throw new PolyhistorError('site-not-safe', 'Its members are away')
    },
  }
  return { frontier, sink: new MentionSink({ frontier, sites }), setting, world }
}

function mention(more: Partial<LinkMention>): ForwardedLink {
  const about = { page, relation: 'a href', isNoFollow: false, text: 'See this', atMs: 1_000, isGone: false }
  return { ...mentionFacts, url: target, mention: { ...about, ...more } }
}
