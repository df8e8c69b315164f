// What takes many hours of virtual time, and more seeds of the campaign of open-watches.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { watchCampaign } from '../fixtures/watch-campaign.ts'
import { WatchedHome } from '../fixtures/watched-home.ts'

test('what a receiver that is down for days does not get becomes dead letters, which are sent again when asked for', async () => {
  const shop = 'http://shop.test/fish'
  const home = await WatchedHome.make(1)
  const { watches, webhooks } = await home.start()
  const { watch } = await home.world.complete(watches.add({ url: shop }))
  const { webhook } = await home.world.complete(webhooks.add({ url: 'https://hook.example/in' }))
  home.answerOf = () => 'down'
  for (const text of ['one', 'two', 'three']) await home.visit(shop, text)
  await home.world.advance(30_000)
  assert.equal(webhooks.find(webhook.id).waiting, 2)
  // Nothing is to be followed meanwhile, which would take long.
  await home.world.complete(watches.remove(watch.id))
  await home.world.advance(10 * 86_400_000)
  assert.deepEqual([webhooks.find(webhook.id).waiting, webhooks.find(webhook.id).dead], [0, 2])
  home.answerOf = () => 200
  assert.equal(await home.world.complete(webhooks.resend(webhook.id)), 2)
  await home.world.advance(30_000)
  const first = home.sent.map(
    ({ body }) => (JSON.parse(body) as { data: { difference: string[] } }).data.difference[0],
  )
  assert.deepEqual(first, ['- one', '- two'])
  assert.equal(webhooks.find(webhook.id).dead, 0)
})

test.each(Array.from({ length: 8 }, (_, index) => index + 3))(
  'killed again and again, each change is recorded once and sent at least once, in order (seed %i)',
  watchCampaign,
)
