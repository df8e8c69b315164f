// Replay shows what the live page showed, with the origin gone, and nothing leaves the archive for it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { TestArchive } from './archive.ts'
import { TestBrowser } from './browser.ts'
import { beyond } from './net-log.ts'
import { OriginWeb } from './origin-web.ts'
import { greyTiles, type Picture, pictureOf, pixelsApart, tilesApart } from './picture.ts'
import { contentFrame, ReplayView, replayUrl } from './replay-view.ts'
import { everyPage, everySite, pagesWithoutTiles, samePages } from './sites/every-site.ts'
import { limitPage, limits } from './sites/limit-site.ts'
import { filePlaces } from './sites/transfer-site.ts'
import { together } from './together.ts'
import { Witness } from './witness.ts'

/** A tile has 2,116: none can be missing unnoticed. */
const pixelsApartMax = 100
const atOnce = 3

type Outcome = PromiseSettledResult<Picture> | undefined

let witness: Witness
let web: OriginWeb
let archive: TestArchive
let replayBrowser: TestBrowser
const live = new Map<string, Outcome>()
const replayed = new Map<string, Outcome>()

beforeAll(async () => {
  witness = await Witness.start()
  web = await OriginWeb.start(everySite)
  archive = await TestArchive.create()
  await archive.crawl(web.urls())
  await lookAtLive()
  await web.shutDown()
  await archive.start()
  replayBrowser = await TestBrowser.start(witness.address)
  await lookAtReplay()
})

afterAll(async () => {
  await replayBrowser?.dispose()
  await archive?.stop()
  await web?.stop()
  await witness?.stop()
})

async function lookAtLive(): Promise<void> {
  const browser = await TestBrowser.start(witness.address)
  try {
    const results = await together(everyPage, atOnce, (place) =>
      browser.visit(async (page) => {
        await page.goto(web.url(place))
        return pictureOf({ page, frame: () => page.mainFrame(), left: 0, top: 0 }, hasTiles(place))
      }),
    )
    for (const [at, place] of everyPage.entries()) live.set(place, results[at])
  } finally {
    await browser.dispose()
  }
}

async function lookAtReplay(): Promise<void> {
  const view = new ReplayView({ archive, browser: replayBrowser })
  const results = await together(everyPage, atOnce, (place) =>
    view.visit(web.url(place), (shown) => pictureOf(shown, hasTiles(place))),
  )
  for (const [at, place] of everyPage.entries()) replayed.set(place, results[at])
}

function hasTiles(place: string): boolean {
  return !pagesWithoutTiles.has(place)
}

function picture(outcome: Outcome): Picture {
  if (outcome?.status === 'fulfilled') return outcome.value
  throw outcome?.reason ?? new Error('not looked at')
}

describe('a replayed page looks as it did live', () => {
  test.each(samePages)('%s', (place) => {
    const [before, after] = [picture(live.get(place)), picture(replayed.get(place))]
    assert.deepEqual(greyTiles(before), [], 'the live page has tiles that never worked')
    assert.deepEqual(tilesApart(before, after), [])
    assert.ok(pixelsApart(before, after) <= pixelsApartMax, `${pixelsApart(before, after)} pixels differ`)
  })

  test('but for what is known not to', () => {
    const [before, after] = [picture(live.get(limitPage)), picture(replayed.get(limitPage))]
    assert.deepEqual(greyTiles(before), [])
    const names = tilesApart(before, after).map((text) => text.split(' ')[0])
    assert.deepEqual(names, Object.keys(limits), 'what works now belongs on a page that must look the same')
  })

  test('and pictures that differ are told apart', () => {
    const [one, other] = ['museum/html/', 'museum/css/'].map((place) => picture(live.get(place)))
    assert.ok(pixelsApart(one!, other!) > 10 * pixelsApartMax)
    assert.ok(tilesApart(one!, other!).length > 10)
  })
})

describe('a file', () => {
  test('that no frame shows is offered, and comes as it was', async () => {
    await replayBrowser.visit(async (page) => {
      await page.goto(replayUrl(archive, web.url(filePlaces.pdf)))
      const link = contentFrame(page, archive)!.getByRole('link', { name: /^Download the file/ })
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      assert.equal(download.suggestedFilename(), 'report.pdf')
      assert.equal(await readFile(await download.path(), 'utf8'), '%PDF-1.4 report')
    })
  })

  test('that was to be downloaded is shown where it can be', async () => {
    await replayBrowser.visit(async (page) => {
      await page.goto(replayUrl(archive, web.url(filePlaces.list)))
      await contentFrame(page, archive)!.getByText('one,two').waitFor()
    })
  })
})

test('nothing left the two hosts of the archive', async () => {
  const log = await replayBrowser.stop()
  assert.ok(log.urls.length > everyPage.length, 'the log is empty')
  assert.deepEqual(beyond(log, archive.hosts, archive.port), [])
  assert.equal(web.lateConnections, 0)
  assert.equal(witness.connections, 0)
})
