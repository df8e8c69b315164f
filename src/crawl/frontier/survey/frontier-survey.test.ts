import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { SurveyPage } from '../../../model/survey.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { openFrontier } from '../../fixtures/simulated-frontier.ts'

async function filled(sites: number, pages: number) {
  const world = simulatedWorld({ seed: 1 })
  const { frontier } = await openFrontier(world)
  const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  for (let site = 0; site < sites; site++) {
    const urls = Array.from({ length: pages }, (_, page) => parseUrl(`http://s${site}.example/${page}`))
    await world.complete(
      frontier.add(urls.map((url) => ({ url, kind: 'navigation', jobId: id, depth: 1, via: '' }))),
    )
    for (const url of urls) frontier.visits.visited(url, { atMs: frontier.nowMs(), outcome: 'new' })
  }
  await world.complete(frontier.flush())
  return { world, frontier, survey: frontier.survey, job: id }
}

async function all<Row>(page: (after?: string) => SurveyPage<Row>): Promise<Row[]> {
  const rows: Row[] = []
  for (let after: string | undefined, pages = 0; pages < 1_000; pages++) {
    const { rows: some, next } = page(after)
    rows.push(...some)
    if (next === undefined) return rows
    after = next
  }
  assert.fail('a list without end')
}

test('pages of sites, queues, queued URLs and visits are whole, each once, whatever the size of a page', async () => {
  const { survey, job } = await filled(23, 60)
  for (const limit of [1, 7, 23, 200]) {
    const sites = await all((after) => survey.sites({ after, limit }))
    assert.equal(new Set(sites.map(({ site }) => site)).size, 23)
    assert.equal(sites.length, 23)
    assert.deepEqual(
      sites.map(({ key }) => key),
      sites.map(({ key }) => key).toSorted(),
    )
  }
  const { ringKey: key } = parseUrl('http://s3.example/')
  for (const limit of [1, 13, 200]) {
    const queued = await all((after) => survey.queued(key, { job, host: 's3.example' }, { after, limit }))
    const expected = Array.from({ length: 60 }, (_, page) => `http://s3.example/${page}`)
    assert.deepEqual(
      queued.map(({ url }) => url),
      expected,
    )
    const visits = await all((after) => survey.visits(key, { after, limit }))
    assert.deepEqual(visits.map(({ url }) => url).toSorted(), expected.toSorted())
  }
  const [queue] = survey.queues(key, { limit: 10 }).rows
  assert.deepEqual(
    [queue!.host, queue!.pending, queue!.job, queue!.state],
    ['s3.example', 60, job, 'waiting'],
  )
  const facts = survey.site(key)!
  assert.deepEqual([facts.site, facts.pages, facts.queued, facts.known], ['s3.example', 60, 60, 60])
  assert.equal(survey.visit('http://s3.example/5')!.state, 'planned')
})

test('a cursor that somebody made up leads somewhere, and nowhere wrong', async () => {
  const { survey, job } = await filled(3, 2)
  const { ringKey: key } = parseUrl('http://s1.example/')
  for (const after of ['', 'ff', 'zz', 'ff'.repeat(8), '00'.repeat(700), '../', `${'f'.repeat(16)}-9999`]) {
    assert(survey.sites({ after, limit: 5 }).rows.length <= 3)
    assert(survey.visits(key, { after, limit: 5 }).rows.every(({ url }) => url.startsWith('http://s1.')))
    assert(survey.queues(key, { after, limit: 5 }).rows.every(({ host }) => host === 's1.example'))
    assert(survey.queued(key, { job, host: 's1.example' }, { after, limit: 5 }).rows.length <= 2)
  }
})

test('only sites that are this frontier’s to crawl are listed, and a search for them ends', async () => {
  const { frontier, survey } = await filled(5, 1)
  const open = parseUrl('http://s2.example/').ringKey
  const isOpen = (site: string) => site === open
  frontier.sites.share({ isOpen, canCrawl: () => false }, () => {})
  const { rows } = survey.sites({ limit: 10 })
  assert.deepEqual(
    rows.map(({ site, isCrawled }) => [site, isCrawled]),
    [['s2.example', false]],
  )
})

test('a site that a rule pauses queues what is found, asks for nothing, and goes on when that is over', async () => {
  const { world, frontier, job, survey } = await filled(1, 1)
  const target = { kind: 'site', site: 's0.example' } as const
  await world.complete(frontier.setRule({ target, access: 'pause', setAtMs: 1, setBy: '' }))
  const [outcome] = await world.complete(
    frontier.add([
      { url: parseUrl('http://s0.example/found'), kind: 'navigation', jobId: job, depth: 1, via: '' },
    ]),
  )
  assert.equal(outcome!.kind, 'queued')
  const held = await world.complete(frontier.nextTask())
  assert(held.kind !== 'task', held.kind)
  assert.equal(survey.visit('http://s0.example/0')!.state, 'stopped')
  await world.complete(frontier.removeRule(target))
  const urls: string[] = []
  for (let asks = 0; asks < 50 && urls.length < 2; asks++) {
    const answer = await world.complete(frontier.nextTask())
    if (answer.kind !== 'task') continue
    urls.push(answer.task.url.href)
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200 }))
  }
  assert.deepEqual(urls.toSorted(), ['http://s0.example/0', 'http://s0.example/found'])
})
