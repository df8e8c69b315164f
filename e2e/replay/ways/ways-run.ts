// One run: the page of all ways is looked at live, crawled as "this page, with all it needs", and looked at in replay when its
// hosts are gone.

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
  /** What the others say of themselves. */
  readonly complaints: readonly string[]
}

export async function tryWays(): Promise<WaysOutcome> {
  const witness = await Witness.start()
  const web = await OriginWeb.start(waysSite)
  const archive = await TestArchive.create()
  const browser = await TestBrowser.start(witness.address)
  try {
    const live = await lookLive(browser, web)
    await crawl(archive.home, web.url(waysPage), '--scope', 'page')
    await web.shutDown()
    await archive.start()
    const replayed = await new ReplayView({ archive, browser }).visit(web.url(waysPage), (view) =>
      pictureOf(view, true),
    )
    return await outcomeOf(live, replayed, archive, web)
  } finally {
    await browser.dispose()
    await archive.stop()
    await web.stop()
    await witness.stop()
  }
}

function lookLive(browser: TestBrowser, web: OriginWeb): Promise<Picture> {
  return browser.visit(async (page) => {
    await page.goto(web.url(waysPage))
    return pictureOf({ page, frame: () => page.mainFrame(), left: 0, top: 0 }, true)
  })
}

async function outcomeOf(
  live: Picture,
  replayed: Picture,
  archive: TestArchive,
  web: OriginWeb,
): Promise<WaysOutcome> {
  const complaints = tilesApart(live, replayed)
  const failing = new Set(complaints.map((text) => text.split(' ')[0]))
  const coming = new Set(live.tiles.map(({ name }) => name).filter((name) => !failing.has(name)))
  for (const [id, { isUnseen }] of Object.entries(ways)) {
    if (isUnseen === true && (await areArchived(id, archive, web))) coming.add(id)
  }
  return { dark: greyTiles(live), coming, complaints }
}

async function areArchived(id: string, archive: TestArchive, web: OriginWeb): Promise<boolean> {
  for (const place of placesOf(id, (site) => web.origin(site))) {
    const { ok } = await fetch(`${archive.origin}/web/20990101000000id_/${web.url(place)}`)
    if (!ok) return false
  }
  return true
}
