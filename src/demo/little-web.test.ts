// The sites of the demo: whole at any moment, and different later.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { littleSites } from './little-web.ts'
import type { LittleSite, Moment } from './sites/site.ts'

const originOf = (name: string) => `http://${name}.localhost:1`
const at = (seconds: number): Moment => ({ seconds, origin: originOf })

describe.each(littleSites.map((site) => [site.name, site] as const))('%s', (_, site) => {
  test.each([0, 61, 3_600])('after %i seconds every address in its pages leads somewhere', (seconds) => {
    const answers = everything(at(seconds))
    const own = [...answers.keys()].filter((url) => url.startsWith(originOf(site.name)))
    assert.ok(own.length >= 4, own.join(' '))
    for (const url of own) assert.notEqual(answers.get(url), undefined, url)
  })

  test('changes with time, and at one moment is always the same', () => {
    const texts = [30, 30, 130].map((seconds) => JSON.stringify([...everything(at(seconds))]))
    assert.equal(texts[0], texts[1])
    assert.notEqual(texts[0], texts[2])
  })
})

/** What a crawler comes to from the front pages of all sites: each URL with its answer. */
function everything(moment: Moment): Map<string, string | undefined> {
  const answers = new Map<string, string | undefined>()
  const queue = littleSites.map(({ name }) => `${originOf(name)}/`)
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (answers.has(url)) continue
    const { origin, pathname } = new URL(url)
    const site: LittleSite | undefined = littleSites.find(({ name }) => originOf(name) === origin)
    const body = site?.answer(pathname, moment)?.body
    answers.set(url, body)
    for (const [, link, fetched] of (body ?? '').matchAll(/(?:href|src)="([^"]+)"|fetch\('([^']+)'\)/g))
      queue.push(new URL(link ?? fetched!, url).href)
  }
  return answers
}
