import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { SiteLessons } from './site-lessons.ts'

const url = parseUrl('http://a.test/')
const empty = { looks: 'empty', need: 'scripts fill it', hasScripts: true, textChars: 0 } as const
const whole = { looks: 'whole', need: undefined, hasScripts: true, textChars: 5_000 } as const
const fetching = { ...whole, looks: 'fetching', need: 'its scripts fetch more (fetch)' } as const
const dayMs = 24 * 60 * 60_000

function site() {
  const kept = new Map<string, Uint8Array>()
  let nowMs = Date.UTC(2026, 0)
  const notes = {
    get: (of: Url, name: string) => kept.get(`${of.site} ${name}`),
    put: (of: Url, name: string, bytes: Uint8Array | undefined) =>
      void kept.set(`${of.site} ${name}`, bytes!),
  }
  return {
    kept,
    lessons: new SiteLessons(notes, { nowMs: () => nowMs }),
    passes: (days: number) => (nowMs += days * dayMs),
    notes,
  }
}

test('pages that look empty are shown, until several in a row gained nothing; after two weeks again', () => {
  const { lessons, passes } = site()
  for (const _ of [1, 2, 3]) {
    assert.deepEqual(lessons.choose(url, empty), { isShown: true, reason: empty.need })
    lessons.learn(url, empty, false)
  }
  assert.equal(lessons.choose(url, empty).isShown, false)
  assert.equal(lessons.choose(parseUrl('http://b.test/'), empty).isShown, true)
  passes(15)
  assert.equal(lessons.choose(url, empty).isShown, true)
})

test('of pages that look whole two are tried; all are shown where both gained, none where they did not', () => {
  const gaining = site().lessons
  for (const _ of [1, 2]) {
    assert.equal(gaining.choose(url, whole).isShown, true)
    gaining.learn(url, whole, true)
  }
  assert.match(gaining.choose(url, whole).reason, /show more in a browser/)
  const plain = site().lessons
  for (const _ of [1, 2]) plain.learn(url, whole, false)
  assert.deepEqual(plain.choose(url, whole), { isShown: false, reason: 'it has its text without scripts' })
  assert.equal(plain.choose(url, empty).isShown, true, 'the kinds do not mix')
  assert.deepEqual(plain.choose(url, fetching), { isShown: true, reason: fetching.need })
  for (const _ of [1, 2, 3]) plain.learn(url, fetching, false)
  assert.equal(plain.choose(url, fetching).isShown, false)
  assert.equal(plain.choose(url, empty).isShown, true)
  assert.equal(plain.choose(url, { ...whole, hasScripts: false }).isShown, false)
})

test('one page that gains undoes what was learnt, and what others wrote is not believed', () => {
  const { lessons, kept } = site()
  for (const hasGained of [false, false, true]) lessons.learn(url, empty, hasGained)
  lessons.learn(url, empty, false)
  assert.equal(lessons.choose(url, empty).isShown, true)
  for (const bytes of ['', 'no JSON', '{"empty":{"row":"x"}}', '{"empty":{"row":-1e9,"sinceMs":0}}']) {
    kept.set('a.test browser', Buffer.from(bytes))
    assert.equal(lessons.choose(url, empty).isShown, true, bytes)
  }
})
