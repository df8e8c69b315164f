// One run: the page of all ways is looked at live, crawled as "this page, with all it needs", with and without a browser, and looked at in
// replay when its hosts are gone.

import { chromiumExecutable } from '../../chromium.ts'
import { crawl } from '../../crawl/crawling.ts'
import { TestArchive } from '../archive.ts'
import { TestBrowser } from '../browser.ts'
import { OriginWeb } from '../origin-web.ts'
import { greyTiles, type Picture, pictureOf, tilesApart } from '../picture.ts'
import { ReplayView } from '../replay-view.ts'
import { Witness } from '../witness.ts'
import { placesOf, ways, waysPage, waysSite } from './ways-site.ts'

export interface WaysOutcome {
  /** Ways that do not work even live: faults of the test. */
  readonly dark: readonly string[]
  /** Names of ways that work in replay. */
  readonly coming: ReadonlySet<string>
  /** The same, of a page that a browser captured. */
  readonly comingWithBrowser: ReadonlySet<string>
  /** What the others say of themselves. */
  readonly complaints: readonly string[]
}

type Coming = Pick<WaysOutcome, 'coming' | 'complaints'>

export async function tryWays(): Promise<WaysOutcome> {
  const witness = await Witness.start()
  const web = await OriginWeb.start(waysSite)
  const [archive, shown] = [await TestArchive.create(), await TestArchive.create()]
  const browser = await TestBrowser.start(witness.address)
  try {
    const live = await lookLive(browser, web)
    await crawl(archive.home, web.url(waysPage), '--scope', 'page')
    const path = `crawl.browserPath=${await chromiumExecutable()}`
    await crawl(shown.home, web.url(waysPage), '--scope', 'page', '--browser', 'always', '--set', path)
    await web.shutDown()
    const read = await comingFrom(archive, live, browser, web)
    const { coming: comingWithBrowser, complaints } = await comingFrom(shown, live, browser, web)
    return {
      dark: greyTiles(live),
      coming: read.coming,
      comingWithBrowser,
      complaints: [...read.complaints, ...complaints.map((text) => `with a browser: ${text}`)],
    }
  } finally {
    await browser.dispose()
    await archive.stop()
    await shown.stop()
    await web.stop()
    await witness.stop()
  }
}

async function comingFrom(
  archive: TestArchive,
  live: Picture,
  browser: TestBrowser,
  web: OriginWeb,
): Promise<Coming> {
  await archive.start()
  const replayed = await new ReplayView({ archive, browser }).visit(web.url(waysPage), (view) =>
    pictureOf(view, true),
  )
  return comingOf(live, replayed, archive, web)
}

function lookLive(browser: TestBrowser, web: OriginWeb): Promise<Picture> {
  return browser.visit(async (page) => {
    await page.goto(web.url(waysPage))
    return pictureOf({ page, frame: () => page.mainFrame(), left: 0, top: 0 }, true)
  })
}

async function comingOf(
  live: Picture,
  replayed: Picture,
  archive: TestArchive,
  web: OriginWeb,
): Promise<Coming> {
  const complaints = tilesApart(live, replayed)
  const failing = new Set(complaints.map((text) => text.split(' ')[0]))
  const coming = new Set(live.tiles.map(({ name }) => name).filter((name) => !failing.has(name)))
  for (const [id, { isUnseen }] of Object.entries(ways)) {
    if (isUnseen === true && (await areArchived(id, archive, web))) coming.add(id)
  }
  return { coming, complaints }
}

async function areArchived(id: string, archive: TestArchive, web: OriginWeb): Promise<boolean> {
  for (const place of placesOf(id, (site) => web.origin(site))) {
    const { ok } = await fetch(`${archive.origin}/web/20990101000000id_/${web.url(place)}`)
    if (!ok) return false
  }
  return true
}
