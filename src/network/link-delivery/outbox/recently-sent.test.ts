import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { KeyValue } from '../../../platform/storage/key-value.ts'
import { linksToSites, linkTo } from '../fixtures/sample-links.ts'
import type { ForwardedLink } from '../forwarded-link.ts'
import { marked, RecentlySent } from './recently-sent.ts'

const world = simulatedWorld({ seed: 1 })
let maps = 0
const open = (): Promise<KeyValue> => world.complete(world.machine('a').keyValues.open(`/map-${maps++}`))
const put = async (keyValue: KeyValue, sent: RecentlySent, links: readonly ForwardedLink[]): Promise<void> =>
  (await world.complete(keyValue.transaction(() => sent.put(links.map(marked)))))()

describe('links sent lately', () => {
  test('are known per job, kind and way, unless found nearer to a seed', async () => {
    const keyValue = await open()
    const sent = new RecentlySent(keyValue, 100)
    const link = linkTo('http://a.example/', { depth: 3 })
    assert.equal(sent.has(marked(link)), false)
    await put(keyValue, sent, [link])
    assert.equal(sent.has(marked(link)), true)
    assert.equal(sent.has(marked({ ...link, depth: 4 })), true)
    assert.equal(sent.has(marked({ ...link, depth: 2 })), false)
    assert.equal(sent.has(marked({ ...link, jobId: 'other' })), false)
    assert.equal(sent.has(marked({ ...link, kind: 'requisite' })), false)
    assert.equal(sent.has(marked({ ...link, redirects: 1 })), false)
  })

  test('count only when the caller says that they are safe', async () => {
    const keyValue = await open()
    const sent = new RecentlySent(keyValue, 100)
    const [link] = linksToSites(1)
    const remember = await world.complete(keyValue.transaction(() => sent.put([marked(link!)])))
    assert.equal(sent.has(marked(link!)), false)
    remember()
    assert.equal(sent.has(marked(link!)), true)
  })

  test('are known after a restart', async () => {
    const keyValue = await open()
    const sent = new RecentlySent(keyValue, 100)
    await put(keyValue, sent, linksToSites(150))
    const again = new RecentlySent(keyValue, 100)
    assert.ok(linksToSites(150).filter((link) => again.has(marked(link))).length >= 100)
  })

  test('are forgotten when others came, but for those that are met again and again', async () => {
    const keyValue = await open()
    const sent = new RecentlySent(keyValue, 100)
    const [popular, ...rest] = linksToSites(1_000)
    await put(keyValue, sent, [popular!])
    for (const link of rest) {
      await put(keyValue, sent, [link])
      assert.equal(sent.has(marked(popular!)), true)
    }
    assert.equal(sent.has(marked(rest[0]!)), false)
    assert.equal(sent.has(marked(rest.at(-1)!)), true)
    assert.equal(new RecentlySent(keyValue, 100).has(marked(popular!)), true)
    assert.ok([...keyValue.table('sent').range()].length < 400)
  })
})
