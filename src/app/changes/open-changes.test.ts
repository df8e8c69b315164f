// The changes of one home over its HTTP interface, on a frontier of a simulated machine.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { TestApi } from '../../api/fixtures/test-api.ts'
import { changeRoutes } from '../../api/v1/changes/change-routes.ts'
import type { ChangeEvent } from '../../changes/change-event.ts'
import { openFrontier } from '../../crawl/fixtures/simulated-frontier.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { openChanges } from './open-changes.ts'

type Line = ChangeEvent & { readonly cursor: string }

const path = '/api/v1/changes?follow=false'
const dayMs = 86_400_000

async function opened() {
  const world = simulatedWorld({ seed: 1 })
  const { frontier, clock, random } = await openFrontier(world)
  const isHidden = (url: string) => url.includes('hidden')
  const limits = { keepAgeMs: dayMs, keepBytes: 1e9 }
  const changes = openChanges({ clock, random, frontier, isHidden }, limits)
  let readCount = 0
  const page = frontier.changes.page.bind(frontier.changes)
  frontier.changes.page = (range) => {
    readCount++
    return page(range)
  }
  const api = new TestApi(changeRoutes({ service: changes }))
  const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  const visit = async (href: string, body: string, more: { status?: number; mime?: string } = {}) => {
    frontier.visits.revisit(parseUrl(href), id)
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
    const atMs = Math.floor(frontier.nowMs())
    const facts = { status: 200, mime: 'text/html', ...more, digest, bytes: body.length }
    const id16 = hash('sha256', `${href} ${atMs}`, 'buffer').subarray(0, 16)
    const observed = { sighting: { id: id16, atMs, ...facts }, earlier: () => [] }
    await world.complete(
      frontier.complete(answer.task, { outcome: 'fetched', status: facts.status, observed }),
    )
    await world.advance(1_000)
  }
  const ask = (query: string, headers: Record<string, string> = {}) =>
    world.complete(api.ask(path + query, { headers }))
  const lines = async (query = ''): Promise<Line[]> => {
    const { status, text } = await ask(query)
    assert.equal(status, 200, text)
    const written = text.split('\n').filter((line) => line !== '')
    return written.map((line) => JSON.parse(line) as Line).filter(({ id: event }) => event !== undefined)
  }
  const kinds = async (query = ''): Promise<string[]> =>
    (await lines(query)).map(({ kind, url }) => `${kind} ${url}`)
  return { world, visit, ask, lines, kinds, changes, reads: () => readCount }
}

test('tells all events in order, and from the cursor of each only those behind it', async () => {
  const { visit, lines, kinds } = await opened()
  for (const body of ['one', 'two', 'three']) await visit('http://a.test/', body)
  await visit('http://b.test/', 'b')
  const all = await lines()
  assert.deepEqual(
    all.map(({ kind, site, sequence }) => `${kind} ${site} ${sequence}`),
    ['new a.test 1', 'changed a.test 2', 'changed a.test 3', 'new b.test 1'],
  )
  for (const [index, { cursor }] of all.entries())
    assert.equal((await kinds(`&since=${cursor}`)).length, 3 - index)
})

test('filters by site, host, prefix, pattern, kind and type, and leaves out what was taken down', async () => {
  const { visit, kinds } = await opened()
  await visit('http://www.a.test/page', 'one')
  await visit('http://www.a.test/page', 'two')
  await visit('http://a.test/p.png', 'png', { mime: 'image/png' })
  await visit('http://b.test/hidden', 'b')
  await visit('http://a.test/p.png', '', { status: 404 })
  const page = 'http://www.a.test/page'
  const image = 'http://a.test/p.png'
  assert.deepEqual(await kinds('&site=b.test'), [])
  assert.deepEqual(await kinds('&site=a.test&kind=gone,changed'), [`changed ${page}`, `gone ${image}`])
  assert.deepEqual(await kinds('&host=www.a.test'), [`new ${page}`, `changed ${page}`])
  assert.deepEqual(await kinds('&prefix=http://a.test/p&kind=new'), [`new ${image}`])
  assert.deepEqual(await kinds('&pattern=%5C.png$&kind=new'), [`new ${image}`])
  assert.deepEqual(await kinds('&documents=true&kind=new'), [`new ${page}`])
})

test('as Server-Sent Events ids are cursors, and Last-Event-ID goes on from one', async () => {
  const { visit, ask } = await opened()
  await visit('http://a.test/', 'one')
  const accept = 'text/event-stream'
  const { text, headers } = await ask('', { accept })
  assert.match(headers['content-type']!, /^text\/event-stream/)
  const [, id] = /^id: (c1-\w+)\ndata: \{"id":/.exec(text)!
  await visit('http://a.test/', 'two')
  const { text: more } = await ask('', { accept, 'last-event-id': id! })
  assert.deepEqual(more.match(/"kind":"\w+"/g), ['"kind":"changed"'])
})

test('says what is wrong with a cursor, a kind or a pattern', async () => {
  const { ask } = await opened()
  for (const query of ['&since=yesterday', '&kind=newer', '&pattern=(', '&minChange=2']) {
    const { status, text } = await ask(query)
    assert.equal(status, 400, query)
    assert.match(text, /"message":/)
  }
})

test('a cursor whose changes are not kept any more is refused, with the oldest that can be used', async () => {
  const { world, visit, ask, lines, kinds } = await opened()
  await visit('http://a.test/', 'one')
  await visit('http://a.test/', 'two')
  const [first] = await lines()
  await world.advance(2 * dayMs)
  await visit('http://a.test/', 'three')
  await world.advance(2 * 60_000)
  const { status, text } = await ask(`&since=${first!.cursor}`)
  assert.equal(status, 410)
  const [oldest] = /c1-\w+/.exec(text)!
  assert.deepEqual(await kinds(`&since=${oldest}`), ['changed http://a.test/'])
  assert.deepEqual(await kinds(), ['changed http://a.test/'], 'without a cursor all that is kept')
})

test('a reader that takes nothing makes nobody read on, and loses nothing', async () => {
  const { world, visit, changes, reads } = await opened()
  for (let count = 0; count < 30; count++) await visit('http://a.test/', `body ${count} ${'x'.repeat(99)}`)
  const stream = changes.stream({ cursor: 0, isFollowing: true, signal: new AbortController().signal })
  await world.complete(stream.begin())
  const told = stream.told()
  const sequences: number[] = []
  const take = async () => {
    const { value } = await world.complete(told.next())
    if (value?.kind === 'events') for (const { sequence } of value.events) sequences.push(sequence)
  }
  await take()
  assert.equal(sequences.length, 30)
  const readsThen = reads()
  await world.advance(10 * 60_000)
  for (let count = 0; count < 5; count++) await visit('http://a.test/', `more ${count}`)
  assert.equal(reads(), readsThen, 'what was told is not taken yet')
  for (let count = 0; count < 3; count++) if (sequences.length < 35) await take()
  assert.deepEqual(
    sequences,
    Array.from({ length: 35 }, (_, index) => index + 1),
  )
  await world.complete(told.return(undefined))
})
