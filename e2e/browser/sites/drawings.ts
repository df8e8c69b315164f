// Pictures of the realistic sites, made here: each with a number, so that one that is missing or another is seen.

import { PNG } from 'pngjs'
import { svg } from '../../replay/files.ts'
import type { Answer } from '../../replay/origin-web.ts'

export function numbered(number: number | string, width = 160, height = 120): Answer {
  const hue = [...String(number)].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 360
  return svg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
      `<rect width="100%" height="100%" fill="hsl(${hue} 60% 60%)"/><circle cx="50%" cy="50%" r="30%" fill="hsl(${(hue + 150) % 360} 60% 40%)"/>` +
      `<text x="50%" y="55%" text-anchor="middle" font-family="sans-serif" font-size="${height / 5}" fill="#fff">${number}</text></svg>`,
  )
}

/** A tile of a map: a pattern that depends on where it is. */
export function mapTile(zoom: number, x: number, y: number): Answer {
  const size = 256
  const png = new PNG({ width: size, height: size })
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const isEdge = row < 2 || column < 2
      const height = Math.sin((x * size + column) / 37) + Math.cos((y * size + row) / 53)
      const colour = isEdge ? [90, 90, 90] : height > 0 ? [140, 190, 120 + zoom] : [120, 160, 220]
      png.data.set([...colour, 255], (row * size + column) * 4)
    }
  return { headers: { 'Content-Type': 'image/png' }, body: PNG.sync.write(png) }
}
