import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { noteFailure, noteSighting, type PageState, pageStateCoding, type Sighting } from './page-state.ts'

let time = 1_000

function sighting(body: string, more: Partial<Sighting> = {}): Sighting {
  const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
  time += 1_000
  return {
    id: new Uint8Array(16),
    atMs: time,
    status: 200,
    mime: 'text/html',
    digest,
    bytes: body.length,
    ...more,
  }
}

/** What each of these visits is an event of. */
function kindsOf(visits: readonly (Sighting | 'failed')[]): (string | undefined)[] {
  let state: PageState | undefined
  return visits.map((visit) => {
    const failed = { id: new Uint8Array(16), atMs: time }
    const noted = visit === 'failed' ? noteFailure(state, failed) : noteSighting(state, visit)
    state = noted.state && pageStateCoding.decode(pageStateCoding.encode(noted.state))
    return noted.change?.kind
  })
}

test('a page is new once, and changed when its payload is another', () => {
  const visits = [sighting('a'), sighting('a'), sighting('a', { status: 304 }), sighting('b'), sighting('a')]
  assert.deepEqual(kindsOf(visits), ['new', undefined, undefined, 'changed', 'changed'])
})

test('what was never seen is not gone, and what is gone is gone once', () => {
  const missing = () => sighting('', { status: 404 })
  assert.deepEqual(kindsOf([missing(), sighting('a'), missing(), missing(), sighting('a')]), [
    undefined,
    'new',
    'gone',
    undefined,
    'back',
  ])
})

test('five visits in a row that bring nothing make a page gone; one that does makes them count anew', () => {
  const errors = (count: number) => Array.from({ length: count }, () => sighting('', { status: 500 }))
  const nothing = (count: number) => Array.from({ length: count }, () => undefined)
  assert.deepEqual(kindsOf([sighting('a'), ...errors(4), sighting('a'), 'failed', ...errors(3), 'failed']), [
    'new',
    ...nothing(9),
    'gone',
  ])
})

test('a redirect moves when its target does, whatever its body says', () => {
  const to = (target: string, body: string) => sighting(body, { status: 301, target })
  assert.deepEqual(
    kindsOf([
      sighting('page'),
      to('http://a/', '1'),
      to('http://a/', '2'),
      to('http://b/', '2'),
      sighting('page'),
    ]),
    ['new', 'moved', undefined, 'moved', 'changed'],
  )
})

test('a change tells what was before', () => {
  const first = noteSighting(undefined, sighting('one'))
  const { change } = noteSighting(first.state, sighting('three'))
  assert.equal(change?.bytesBefore, 3)
  assert.equal(change?.bytes, 5)
  assert.notDeepEqual(change?.digestBefore, change?.digest)
})

test('of a page that a browser showed its words count beside its bytes, from the first time on', () => {
  const words = (said: string) => ({ algorithm: 'sha256' as const, bytes: Buffer.from(said.padEnd(32)) })
  const read = (body: string, said: string) => ({ ...sighting(body), words: words(said) })
  const visits = [
    sighting('shell'),
    read('shell', 'a'),
    read('shell', 'b'),
    sighting('shell'),
    read('shell', 'b'),
  ]
  assert.deepEqual(kindsOf(visits), ['new', undefined, 'changed', undefined, undefined])
  assert.deepEqual(kindsOf([read('one', 'a'), read('two', 'a'), read('two', 'a')]), [
    'new',
    'changed',
    undefined,
  ])
})
