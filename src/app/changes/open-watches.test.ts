// Watches of one home on a simulated machine: what they see, what they lead to, and what is left of it after the process was killed.

import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { test } from 'vitest'
import { watchCampaign } from '../fixtures/watch-campaign.ts'
import { WatchedHome } from '../fixtures/watched-home.ts'

const shop = 'http://shop.test/fish'
const page = (price: string, news = 'Nothing is new today.', more = '') =>
  `<title>Fish</title><main><p>${news}</p><p class="price">${price}</p>${more}</main>`
const words = (home: WatchedHome, id: string) =>
  home.open.watches
    .find(id)
    .history.map(({ kind, part }) => `${kind} ${part}`)
    .reverse()

async function watched(written: Record<string, unknown>, seed = 1) {
  const home = await WatchedHome.make(seed)
  const { watches } = await home.start()
  const { watch } = await home.world.complete(watches.add(written))
  return { home, id: watch.id, settle: () => home.world.advance(30_000) }
}

test('a watch sees what its selector selects, that this is gone and back, and that the page is', async () => {
  const { home, id, settle } = await watched({ url: 'shop.test/fish', selector: '.price' })
  await home.visit(shop, page('10 EUR'))
  await home.visit(shop, page('10 EUR', 'The harbour is closed.'))
  await home.visit(shop, page('12 EUR', 'The harbour is open.'))
  await home.visit(shop, '<main><p>Sold out.</p></main>')
  await settle()
  const { watch, state, history } = home.open.watches.find(id)
  assert.equal(watch.look.part.kind, 'selector')
  assert.equal(state.part, 'missing')
  assert.equal(state.toldCount, 2)
  assert.deepEqual(
    history[1]!.excerpt.rows.map(
      (row) =>
        row.kind === 'changed' &&
        [row.left, row.right].map((side) =>
          side
            .filter(({ isMarked }) => isMarked)
            .map(({ text }) => text)
            .join(''),
        ),
    ),
    [['10', '12']],
  )
  await home.visit(shop, undefined)
  await settle()
  assert.equal(home.open.watches.find(id).state.isGone, true)
  await home.visit(shop, page('9 EUR'))
  await settle()
  assert.deepEqual(words(home, id), [
    'new found',
    'changed found',
    'changed missing',
    'gone unread',
    'back found',
  ])
  assert.equal(home.open.watches.find(id).state.isGone, false)
})

test('small changes add up until they are what the watch asks for, and ignored ones never count', async () => {
  const text = (word: string) =>
    `<main><p>${Array.from({ length: 18 }, (_, at) => `word${at}`).join(' ')} ${word}</p></main>`
  const { home, id, settle } = await watched({
    url: shop,
    leastChange: 0.15,
    ignorePatterns: ['seen \\d+ times'],
  })
  await home.visit(shop, text('one two three'))
  await home.visit(shop, text('uno two three'))
  await home.visit(shop, text('uno two three seen 5 times'))
  await home.visit(shop, text('uno dos three seen 6 times'))
  await settle()
  assert.deepEqual(words(home, id), ['new found'])
  await home.visit(shop, text('uno dos tres seen 7 times quattro'))
  await settle()
  assert.deepEqual(words(home, id), ['new found', 'changed found'])
  const [last] = home.open.watches.find(id).history
  assert.match(JSON.stringify(last!.excerpt), /one/)
})

test('of a prefix new pages are told; of pages that nobody watches, and before it was made, nothing', async () => {
  const home = await WatchedHome.make(2)
  const { watches } = await home.start()
  await home.visit('http://shop.test/news/old', 'old')
  await home.world.advance(60_000)
  const { watch } = await home.world.complete(watches.add({ prefix: 'http://shop.test/news/' }))
  for (const path of ['news/a', 'newsletter', 'news/b', 'news/a'])
    await home.visit(`http://shop.test/${path}`, `${path} ${home.world.random.below(1e9)}`)
  await home.world.advance(30_000)
  assert.deepEqual(words(home, watch.id), ['new found', 'new found', 'changed found'])
  const paused = await home.world.complete(watches.setPaused(watch.id, true))
  assert.equal(paused.watch.isPaused, true)
  await home.visit('http://shop.test/news/c', 'c')
  await home.world.advance(30_000)
  assert.equal(words(home, watch.id).length, 3)
})

test('the page of a watch is archived once where it is missing, and visited as its watches ask', async () => {
  const { home, id } = await watched({ url: shop, every: '1h', browser: 'always' })
  const { watches } = home.open
  assert.deepEqual(
    home.jobs.map(({ seeds, scope }) => [...seeds, scope]),
    [[shop, 'page']],
  )
  const other = await home.world.complete(watches.add({ url: shop, mainText: true, every: '30m' }))
  const rule = () => home.rules.get(`url ${shop}`)
  assert.deepEqual(rule(), {
    target: { kind: 'url', url: shop },
    fresh: { minMs: 900_000, maxMs: 1_800_000 },
    browser: 'always',
  })
  await home.restart('kill')
  await home.world.advance(1_000)
  assert.equal(home.jobs.length, 2, 'asked for once for each watch')
  // What keepers say counts, and stays.
  home.rules.set(`url ${shop}`, { ...rule()!, browser: 'never', priority: 'high' })
  await home.world.complete(home.open.watches.remove(other.watch.id))
  assert.equal((rule()!.fresh as { maxMs: number }).maxMs, 3_600_000)
  await home.world.complete(home.open.watches.remove(id))
  assert.deepEqual(rule(), { target: { kind: 'url', url: shop }, browser: 'never', priority: 'high' })
})

test('messages are signed, and one that is refused holds up those of its own watch and no others', async () => {
  const { home, id, settle } = await watched({ url: shop })
  const { webhooks, watches } = home.open
  const news = 'http://news.test/'
  await home.world.complete(watches.add({ url: news }))
  const { webhook, secret } = await home.world.complete(webhooks.add({ url: 'https://hook.example/in' }))
  for (const text of ['one', 'two']) await home.visit(shop, text)
  await home.visit(news, 'first')
  await settle()
  const [first] = home.sent
  const { type, data } = JSON.parse(first!.body) as { type: string; data: { watch: { id: string } } }
  assert.deepEqual([type, data.watch.id, home.sent.length], ['watch.changed', id, 1])
  // A judge that others wrote. It wants the present.
  const atSeconds = Number(first!.headers['webhook-timestamp'])
  const judged = withTime(atSeconds * 1_000, () =>
    new Webhook(secret).verify(first!.body, first!.headers as Record<string, string>),
  )
  assert.deepEqual(judged, JSON.parse(first!.body))
  assert.throws(() =>
    withTime(atSeconds * 1_000, () =>
      new Webhook(secret).verify(
        first!.body.replace('two', 'tow').replace('watch.changed', 'watch.gone'),
        first!.headers as Record<string, string>,
      ),
    ),
  )

  // A receiver that refuses the messages of one watch gets those of others.
  home.sent.length = 0
  home.answerOf = ({ body }) => (body.includes(shop) ? 500 : 200)
  for (const text of ['three', 'four']) await home.visit(shop, text)
  await home.visit(news, 'second')
  await settle()
  const tried = home.sent.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(tried).size, 2, 'the second of a watch waits for its first')
  assert.equal(webhooks.find(webhook.id).waiting, 2)

  assert.equal(JSON.stringify(webhooks.list()).includes('whsec'), false)
})

test('a receiver that wants no more is sent nothing more, and one that is down costs a bounded number of messages', async () => {
  const { home, settle } = await watched({ url: shop })
  const { webhooks } = home.open
  const { webhook } = await home.world.complete(webhooks.add({ url: 'https://hook.example/in' }))
  home.answerOf = () => 410
  for (const text of ['one', 'two', 'three']) await home.visit(shop, text)
  await settle()
  assert.equal(home.sent.length, 1)
  assert.deepEqual(
    [webhooks.find(webhook.id).isPaused, webhooks.find(webhook.id).trouble],
    [true, 'It answered 410: it wants no more messages.'],
  )
})

test.each([1, 2])(
  'killed again and again, each change is recorded once and sent at least once, in order (seed %i)',
  watchCampaign,
)

/** The judge refuses what is five minutes old. */
function withTime<T>(atMs: number, work: () => T): T {
  const now = Date.now
  Date.now = () => atMs
  try {
    return work()
  } finally {
    Date.now = now
  }
}
