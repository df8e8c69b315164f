// One run: the realistic sites are looked at live, crawled by `polyhistor crawl --browser`, and looked at in replay when they are gone.

import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { errors, type Frame, type Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { chromiumExecutable } from '../../chromium.ts'
import { crawl } from '../../crawl/crawling.ts'
import { TestArchive } from '../../replay/archive.ts'
import { TestBrowser } from '../../replay/browser.ts'
import { beyond, type NetLog } from '../../replay/net-log.ts'
import { OriginWeb } from '../../replay/origin-web.ts'
import { pixelsApart, screenshot } from '../../replay/picture.ts'
import { contentFrame, ReplayView } from '../../replay/replay-view.ts'
import { Witness } from '../../replay/witness.ts'
import type { RealSite, SiteView } from './real-site.ts'

export interface SiteOutcome {
  readonly site: RealSite
  /** Of each view, the part of its pixels that differ. */
  readonly apart: readonly number[]
  /** URLs that the live page asked for, and got. */
  readonly liveParts: number
  /** Of these, what the archive lacks, or replay asked for in vain. */
  readonly missing: readonly string[]
  /** What the browser did beyond the archive. */
  readonly leaving: readonly string[]
  /** Views that never came to rest. */
  readonly failures: readonly string[]
}

interface SiteRunOptions {
  readonly mode: 'auto' | 'always'
  readonly tell: (line: string) => void
  /** Where pictures go of views that differ. */
  readonly picturesFolder?: string | undefined
}

/** The size in which the crawler's browser shows pages: what a wider window asks for is not in the archive. */
const stillTriesMax = 20
const stillMs = 500
const size = { width: 1280, height: 800 }
const settleMsMax = 20_000
const visitsMax = 5
/** The largest part of the pixels that may differ. */
export const apartMax = 0.01

interface LiveSite {
  readonly pictures: readonly PNG[]
  readonly urls: readonly string[]
}

export async function runSites(
  sites: readonly RealSite[],
  { mode, tell, picturesFolder }: SiteRunOptions,
): Promise<SiteOutcome[]> {
  const witness = await Witness.start()
  const web = await OriginWeb.start(...sites.map(({ answers }) => answers))
  const archive = await TestArchive.create()
  try {
    const live = await lookLive(sites, web, witness)
    tell(`${sites.length} sites looked at; crawling with --browser ${mode}`)
    await crawlAll(archive, web, sites, mode)
    await web.shutDown()
    await archive.start()
    tell('crawled, and the origin is gone; replaying')
    const outcomes: SiteOutcome[] = []
    for (const site of sites) {
      const outcome = await new Replaying(
        { archive, web, witness },
        site,
        live.get(site)!,
        picturesFolder,
      ).run()
      tell(printOutcome(outcome))
      outcomes.push(outcome)
    }
    return outcomes
  } finally {
    await archive.stop()
    await web.stop()
    await witness.stop()
  }
}

async function crawlAll(
  archive: TestArchive,
  web: OriginWeb,
  sites: readonly RealSite[],
  mode: string,
): Promise<void> {
  const seeds = join(archive.home, 'seeds')
  await writeFile(seeds, sites.map(({ name }) => web.url(`${name}/`)).join('\n'))
  const path = `crawl.browserPath=${await chromiumExecutable()}`
  await crawl(archive.home, '--seeds', seeds, '--browser', mode, '--set', path)
}

async function lookLive(
  sites: readonly RealSite[],
  web: OriginWeb,
  witness: Witness,
): Promise<Map<RealSite, LiveSite>> {
  const browser = await TestBrowser.start(witness.address)
  try {
    const pictures = new Map<RealSite, PNG[]>()
    for (const site of sites) pictures.set(site, await picturesOf(site, web, browser))
    const { urls } = await browser.stop()
    const live = new Map<RealSite, LiveSite>()
    for (const [site, shown] of pictures) {
      const own = new Set(
        Object.keys(site.answers((host) => web.origin(host))).map((place) => web.url(place)),
      )
      live.set(site, { pictures: shown, urls: urls.filter((url) => own.has(url)) })
    }
    return live
  } finally {
    await browser.dispose()
  }
}

async function picturesOf(site: RealSite, web: OriginWeb, browser: TestBrowser): Promise<PNG[]> {
  const pictures: PNG[] = []
  for (const view of site.views) {
    const work = async (page: Page) => {
      await page.goto(web.url(site.name + view.path))
      await settle(() => page.mainFrame(), view)
      return stillPicture(page, { left: 0, top: 0, ...size })
    }
    pictures.push(await painted(() => browser.visit(work, size)))
  }
  return pictures
}

/** A browser without a graphics card may never paint a page, once in a thousand times: it is visited anew. */
async function painted(visit: () => Promise<PNG>): Promise<PNG> {
  for (let visits = 1; ; visits++) {
    try {
      return await visit()
    } catch (error) {
      const isUnpainted = error instanceof errors.TimeoutError && error.message.includes('screenshot')
      if (!isUnpainted || visits === visitsMax) throw error
    }
  }
}

/** Taken when two in a row are the same: players show their first frame, and hide their buttons, some time after they are ready. */
async function stillPicture(page: Page, part: Parameters<typeof screenshot>[1]): Promise<PNG> {
  let last = await screenshot(page, part)
  for (let tries = 0; tries < stillTriesMax; tries++) {
    await page.waitForTimeout(stillMs)
    const next = await screenshot(page, part)
    if (apartOf(last, next) === 0) return next
    last = next
  }
  return last
}

/** The share of the pixels that differ. */
function apartOf(one: PNG, other: PNG): number {
  return pixelsApart({ png: one }, { png: other }) / (size.width * size.height)
}

async function settle(frame: () => Frame | undefined, { until, act, untilActed }: SiteView): Promise<void> {
  await waitFor(frame, until)
  if (act !== undefined) await frame()?.evaluate(act)
  if (untilActed !== undefined) await waitFor(frame, untilActed)
  await frame()?.evaluate(coverFilms)
}

/** In the page: every film that shows a frame is covered by a drawing of that frame. The compositor drops the frame of a seek that
 * ends while it still waits for an earlier one, and paints the earlier one for as long as the film is paused (8 of 40 visits to
 * `film` under load); a drawing always has the frame that the player is at. */
const coverFilms = `for (const film of document.querySelectorAll('video')) {
  if (film.readyState < 2) continue
  const { left, top, width, height } = film.getBoundingClientRect()
  const drawing = Object.assign(document.createElement('canvas'), { width, height })
  drawing.getContext('2d').drawImage(film, 0, 0, width, height)
  Object.assign(drawing.style, { position: 'absolute', left: left + scrollX + 'px', top: top + scrollY + 'px' })
  document.body.append(drawing)
}`

/** Frames come and go with navigation: each time it is asked anew. */
async function waitFor(frame: () => Frame | undefined, condition: string): Promise<void> {
  const endMs = performance.now() + settleMsMax
  for (;;) {
    const isSo = await frame()
      ?.evaluate(`document.readyState === 'complete' && (${condition})`)
      .catch(() => false)
    if (isSo === true) return
    if (performance.now() > endMs) throw new Error(`${frame()?.url() ?? 'no frame'}: never ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

interface Surroundings {
  readonly archive: TestArchive
  readonly web: OriginWeb
  readonly witness: Witness
}

class Replaying {
  readonly #around: Surroundings
  readonly #site: RealSite
  readonly #live: LiveSite
  readonly #picturesFolder: string | undefined
  readonly #apart: number[] = []
  readonly #failures: string[] = []

  constructor(around: Surroundings, site: RealSite, live: LiveSite, picturesFolder: string | undefined) {
    this.#around = around
    this.#site = site
    this.#live = live
    this.#picturesFolder = picturesFolder
  }

  async run(): Promise<SiteOutcome> {
    const { archive, witness } = this.#around
    const browser = await TestBrowser.start(witness.address)
    try {
      for (const [at, view] of this.#site.views.entries()) await this.#look(browser, view, at)
      const log = await browser.stop()
      return {
        site: this.#site,
        apart: this.#apart,
        liveParts: this.#live.urls.length,
        missing: await this.#missing(log),
        leaving: beyond(log, archive.hosts, archive.port),
        failures: this.#failures,
      }
    } finally {
      await browser.dispose()
    }
  }

  async #look(browser: TestBrowser, view: SiteView, at: number): Promise<void> {
    const png = await painted(() => this.#visit(browser, view))
    this.#apart.push(apartOf(this.#live.pictures[at]!, png))
    if (this.#apart.at(-1)! > apartMax || this.#failures.length > 0) await this.#keep(at, png)
  }

  async #visit(browser: TestBrowser, view: SiteView): Promise<PNG> {
    const { archive, web } = this.#around
    const replay = new ReplayView({ archive, browser }, size)
    return replay.visit(web.url(this.#site.name + view.path), async ({ page, left, top, frame }) => {
      await settle(frame, view).catch((error) => this.#failures.push(String(error.message ?? error)))
      return stillPicture(page, { left, top: await this.#topOf(page, top), ...size })
    })
  }

  /** The bar grows when it learns that something is missing: then so does the window. */
  async #topOf(page: Page, top: number): Promise<number> {
    const box = await (await contentFrame(page, this.#around.archive)?.frameElement())?.boundingBox()
    const now = box == null ? top : Math.round(box.y)
    if (now !== top) await page.setViewportSize({ width: size.width, height: size.height + now })
    return now
  }

  async #keep(at: number, png: PNG): Promise<void> {
    if (this.#picturesFolder === undefined) return
    const place = join(this.#picturesFolder, `${this.#site.name}-${at}`)
    await writeFile(`${place}-live.png`, PNG.sync.write(this.#live.pictures[at]!))
    await writeFile(`${place}-replay.png`, PNG.sync.write(png))
  }

  /** What the live pages had and the archive has not, and what the replayed ones asked for and did not get. */
  async #missing(log: NetLog): Promise<string[]> {
    const { archive } = this.#around
    const missing: string[] = []
    for (const url of this.#live.urls)
      if (await isLost(archive, `${archive.origin}/web/20990101000000id_/${url}`)) missing.push(url)
    for (const url of log.urls)
      if (url.startsWith(`${archive.replayOrigin}/web/`) && (await isLost(archive, url))) missing.push(url)
    return missing
  }
}

/** Names below localhost are known to browsers only. */
function isLost({ port }: TestArchive, href: string): Promise<boolean> {
  const { host, pathname, search } = new URL(href)
  return new Promise((resolve, reject) => {
    const asked = get(
      { host: 'localhost', port, path: pathname + search, headers: { Host: host } },
      (response) => {
        response.resume()
        resolve((response.statusCode ?? 0) >= 400)
      },
    )
    asked.once('error', reject)
  })
}

export function printOutcome({ site, apart, liveParts, missing, leaving, failures }: SiteOutcome): string {
  const percent = apart.map((part) => `${(part * 100).toFixed(2)} %`).join(', ')
  const lines = [...missing.map((url) => `missing ${url}`), ...leaving, ...failures]
  const rest = lines.slice(0, 20).map((line) => `\n    ${line}`)
  return `${site.name}: ${percent}; ${liveParts} live parts, ${missing.length} missing, ${leaving.length} leaving${rest.join('')}`
}
