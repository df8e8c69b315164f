// A screenshot as WebP, which the browser itself makes: a small file.

import type { Browser } from 'playwright-core'

/** Runs in the browser. */
const drawing = `async ({ source, width, height }) => {
  const image = new Image()
  image.src = 'data:image/png;base64,' + source
  await image.decode()
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  canvas.getContext('2d').drawImage(image, 0, 0, width, height)
  return canvas.toDataURL('image/webp', 0.82).split(',')[1]
}`

export async function webp(
  from: Browser,
  png: Buffer,
  size: { width: number; height: number },
): Promise<Buffer> {
  const page = await from.newPage()
  try {
    const drawn = { source: png.toString('base64'), ...size }
    const base64 = await page.evaluate<string>(`(${drawing})(${JSON.stringify(drawn)})`)
    return Buffer.from(base64, 'base64')
  } finally {
    await page.close()
  }
}
