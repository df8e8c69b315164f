import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TurnArounds } from './turn-arounds.ts'

/** A bundle of so many pages, from a server that is so far away, by a volunteer that is 100 ms from this peer. */
function bundle(pages: number, roundTripMs: number, claimedMs: number) {
  const fetches = Array.from({ length: pages }, (_, index) => ({
    connectMs: index === 0 ? claimedMs : undefined,
    responseMs: claimedMs,
  }))
  return { tookMs: 100 + (pages + 1) * roundTripMs, fetches }
}

test('times that fit the turn-around are believed, also of one who is far from this peer', () => {
  const turnArounds = new TurnArounds()
  for (const pages of [1, 14, 6]) {
    const { connectMs, isContradicted } = turnArounds.judge('honest', bundle(pages, 20, 20))
    assert.equal(connectMs, 20)
    assert.equal(isContradicted, false)
  }
  assert.ok(turnArounds.addedMsOf('honest') > 10, 'the way there is counted')
})

test('who says to be near and is far is caught by its turn-around, and not believed again', () => {
  const turnArounds = new TurnArounds()
  assert.equal(turnArounds.judge('liar', bundle(1, 250, 1)).isContradicted, false, 'one page may be the way')
  const caught = turnArounds.judge('liar', bundle(10, 250, 1))
  assert.equal(caught.isContradicted, true)
  assert.ok(caught.connectMs! > 150, `${caught.connectMs}`)
  const next = turnArounds.judge('liar', bundle(2, 250, 1))
  assert.ok(next.connectMs! > 50, `${next.connectMs}`)
})

test('who says nothing of its connections has nothing to be believed', () => {
  const said = { tookMs: 300, fetches: [{ connectMs: undefined, responseMs: 200 }] }
  assert.equal(new TurnArounds().judge('silent', said).connectMs, undefined)
  assert.equal(new TurnArounds().judge('empty', { tookMs: 0, fetches: [] }).isContradicted, false)
})
