import assert from 'node:assert/strict'
import { test } from 'vitest'
import { BrowserError, type PageBrowser, type PageToShow } from '../../platform/network/browser.ts'
import { type OtherBrowsers, PageBrowsers } from './page-browsers.ts'

const page = { href: 'http://a.test/' } as PageToShow

function browserNamed(text: string, closed: string[] = []): PageBrowser {
  return {
    ready: async () => {},
    show: async () => ({ ending: 'settled', links: [], text, title: '' }),
    close: async () => void closed.push(text),
  }
}

const others: OtherBrowsers = { ...browserNamed('of others'), mayBeThere: true }

test('a browser in reserve is started once, for pages that are asked for in so many words, and closed', async () => {
  let started = 0
  const closed: string[] = []
  const browsers = new PageBrowsers(undefined, async () => {
    started++
    return browserNamed('reserve', closed)
  })
  assert.deepEqual([browsers.mayBeThere(false), browsers.mayBeThere(true)], [false, true])
  assert.deepEqual([await browsers.areThere(false), await browsers.areThere(true)], [false, true])
  await assert.rejects(browsers.show(page, false), BrowserError)
  assert.equal(started, 0)
  const shown = await Promise.all([browsers.show(page, true), browsers.show(page, true)])
  assert.deepEqual([shown.map(({ text }) => text), started], [['reserve', 'reserve'], 1])
  // It is not one that others may use, or that the peer says it has.
  assert.deepEqual([browsers.own, browsers.ready], [undefined, undefined])
  await browsers.close()
  assert.deepEqual(closed, ['reserve'])
})

test('on a network nobody else can have it started: pages are shown by those that have one', async () => {
  const browsers = new PageBrowsers(undefined, () => assert.fail('started'))
  browsers.joinNetwork(others)
  assert.equal((await browsers.show(page, true)).text, 'of others')
  const alone = new PageBrowsers(undefined, () => assert.fail('started'))
  await alone.close()
})
