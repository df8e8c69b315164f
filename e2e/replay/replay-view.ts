// The replayed page in a browser: the archive's page with its bar, and the frame below it with the archived one.

import type { Frame, Page } from 'playwright-core'
import type { TestArchive } from './archive.ts'
import type { TestBrowser } from './browser.ts'
import { viewSize } from './browser.ts'
import type { View } from './picture.ts'

export class ReplayView {
  readonly #archive: TestArchive
  readonly #browser: TestBrowser
  /** Of the bar, once it was measured. */
  #barHeight: Promise<number> | undefined

  constructor(needs: { archive: TestArchive; browser: TestBrowser }) {
    this.#archive = needs.archive
    this.#browser = needs.browser
  }

  /** Opens it with a window in which the archived page has the size of the live one. */
  async visit<T>(url: string, work: (view: View) => Promise<T>): Promise<T> {
    this.#barHeight ??= this.#measure(url)
    const top = await this.#barHeight
    const size = { width: viewSize.width, height: viewSize.height + top }
    return this.#browser.visit(async (page) => {
      await page.goto(replayUrl(this.#archive, url))
      return work({ page, frame: () => contentFrame(page, this.#archive), left: 0, top })
    }, size)
  }

  #measure(url: string): Promise<number> {
    return this.#browser.visit(async (page) => {
      await page.goto(replayUrl(this.#archive, url))
      const box = await (await contentFrame(page, this.#archive)?.frameElement())?.boundingBox()
      if (box == null) throw new Error(`No archived page is shown at ${page.url()}`)
      if (box.x !== 0 || box.width !== viewSize.width) throw new Error(`The frame is ${box.width} wide`)
      return Math.round(viewSize.height - box.height)
    })
  }
}

/** The newest version of a URL, as a reader opens it. */
export function replayUrl(archive: TestArchive, url: string): string {
  return `${archive.origin}/web/${url}`
}

export function contentFrame(page: Page, archive: TestArchive): Frame | undefined {
  return page
    .mainFrame()
    .childFrames()
    .find((frame) => frame.url().startsWith(archive.replayOrigin))
}
