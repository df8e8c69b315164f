// The replayed page in a browser: the archive's page with its bar, and the frame below it with the archived one.

import type { Frame, Page } from 'playwright-core'
import type { TestArchive } from './archive.ts'
import type { TestBrowser } from './browser.ts'
import { viewSize } from './browser.ts'
import type { View } from './picture.ts'

type ViewSize = typeof viewSize

export class ReplayView {
  readonly #archive: TestArchive
  readonly #browser: TestBrowser
  readonly #size: ViewSize

  constructor(needs: { archive: TestArchive; browser: TestBrowser }, size: ViewSize = viewSize) {
    this.#archive = needs.archive
    this.#browser = needs.browser
    this.#size = size
  }

  /** Opens it in a window in which the archived page has the size of the live one. */
  async visit<T>(url: string, work: (view: View) => Promise<T>): Promise<T> {
    return this.#browser.visit(async (page) => {
      await page.goto(replayUrl(this.#archive, url))
      const top = await this.#makeRoom(page)
      return work({ page, frame: () => contentFrame(page, this.#archive), left: 0, top })
    }, this.#sizeBelow(barHeight))
  }

  /** The bar is higher where it has something to say. Gives its height. */
  async #makeRoom(page: Page): Promise<number> {
    const box = await (await contentFrame(page, this.#archive)?.frameElement())?.boundingBox()
    if (box == null) throw new Error(`No archived page is shown at ${page.url()}`)
    if (box.x !== 0 || box.width !== this.#size.width) throw new Error(`The frame is ${box.width} wide`)
    const top = Math.round(box.y)
    if (top !== barHeight) {
      await page.setViewportSize(this.#sizeBelow(top))
      // Pages lay themselves out when they start: from the start in the right size.
      await page.reload()
    }
    return top
  }

  #sizeBelow(top: number): ViewSize {
    return { width: this.#size.width, height: this.#size.height + top }
  }
}

/** As a rule; where it is otherwise, the window is made to fit. */
const barHeight = 70

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
