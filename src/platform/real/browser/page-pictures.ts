// Pictures of a page as it stands in its window: large and small, in JPEG. Photographs and text alike take a tenth of what PNG takes.

import type { BrowserContext, Page } from 'playwright-core'

interface PagePictures {
  readonly view: Uint8Array
  readonly thumbnail: Uint8Array
}

/** Of pages. */
export const windowSize = { width: 1280, height: 800 }
/** Of the window. */
const thumbnailScale = 0.25
const quality = 75

export async function takePictures(context: BrowserContext, page: Page): Promise<PagePictures> {
  const session = await context.newCDPSession(page)
  const take = async (scale: number): Promise<Uint8Array> => {
    const options = {
      format: 'jpeg',
      quality,
      clip: { x: 0, y: 0, ...windowSize, scale },
      captureBeyondViewport: false,
    } as const
    const { data } = await session.send('Page.captureScreenshot', options)
    return Buffer.from(data, 'base64')
  }
  const view = await take(1)
  return { view, thumbnail: await take(thumbnailScale) }
}
