import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../record/url.ts'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { politenessOff } from '../politeness/politeness-rules.ts'
import { Frontier } from './frontier.ts'
import { RecentLinks } from './recent-links.ts'

test('what one job has taken on is not known to another', () => {
  const links = new RecentLinks()
  links.add('http://a.example/', 1)
  assert.equal(links.has('http://a.example/', 1), true)
  assert.equal(links.has('http://a.example/', 2), false)
  links.forget()
  assert.equal(links.has('http://a.example/', 1), false)
})

test('the latest are kept, and memory is bounded', () => {
  const links = new RecentLinks()
  for (let number = 0; number < 62_500; number++) links.add(`http://a.example/${number}`, 1)
  assert.equal(links.has('http://a.example/62499', 1), true)
  assert.equal(links.has('http://a.example/37500', 1), true)
  assert.equal(links.has('http://a.example/24999', 1), false)
})

test('a link is called seen only where the frontier would call it so', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const frontier = new Frontier({ keyValue, clock, random }, { politeness: politenessOff })
  const wanted = 'http://a.example/wanted'
  const outside = 'http://b.example/outside'
  const open = async (depth: number | undefined): Promise<string> => {
    const { id } = frontier.openJob({ seeds: ['http://a.example/'], scope: 'host', depth, budgets: {} })
    const answer = await world.complete(frontier.lease())
    assert(answer.kind === 'lease')
    assert.equal(frontier.hasSeen(wanted, id), false)
    const links = [wanted, outside].map((href) => ({ url: parseUrl(href), kind: 'navigation' as const }))
    await world.complete(frontier.complete(answer.lease, { outcome: 'fetched', status: 200 }, links))
    return id
  }
  const id = await open(undefined)
  assert.equal(frontier.hasSeen(wanted, id), true)
  // It may be in scope another time.
  assert.equal(frontier.hasSeen(outside, id), false)
  frontier.pauseJob(id)
  // It may be found again nearer to a seed.
  assert.equal(frontier.hasSeen(wanted, await open(3)), false)
})
