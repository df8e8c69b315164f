// Screenshots, and how two of them differ: over all, and by tile.

import pixelmatch from 'pixelmatch'
import type { Frame, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { viewSize } from './browser.ts'

export interface Tile {
  readonly name: string
  /** What it says of itself when it is not lit. */
  readonly text: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Picture {
  readonly png: PNG
  readonly tiles: readonly Tile[]
}

/** In the page: resolves when it has come to rest, with where its tiles are. */
const settledTiles = `new Promise((resolve) => {
  const look = () => {
    const tiles = [...document.querySelectorAll('.tile')]
    const isSettled = tiles.length === 0 || document.documentElement.getAttribute('data-settled') === 'yes'
    if (document.readyState !== 'complete' || !isSettled) return setTimeout(look, 20)
    resolve(tiles.map((tile) => {
      const { left, top, width, height } = tile.getBoundingClientRect()
      return { name: tile.id, text: tile.className === 'tile off' ? tile.textContent : '', left, top, width, height }
    }))
  }
  look()
})`

/** `clip`: where on the page the frame is shown. */
export async function pictureOf(page: Page, frame: Frame, left = 0, top = 0): Promise<Picture> {
  const tiles = (await frame.evaluate(settledTiles)) as Tile[]
  const png = PNG.sync.read(
    await page.screenshot({ clip: { x: left, y: top, ...viewSize }, animations: 'disabled', caret: 'hide' }),
  )
  return { png, tiles }
}

/** How many pixels look different; differences that only smooth edges make are not counted. */
export function pixelsApart(one: Picture, other: Picture): number {
  const { width, height, data } = one.png
  return pixelmatch(data, other.png.data, undefined, width, height, { threshold: 0.1 })
}

/** Tiles of the first picture that look different in the second, with what they say there. */
export function tilesApart(one: Picture, other: Picture): string[] {
  return one.tiles
    .filter((tile) => hashOf(one.png, tile) !== hashOf(other.png, tile))
    .map(({ name }) => {
      const text = other.tiles.find((tile) => tile.name === name)?.text
      return text === undefined || text === '' ? name : `${name} (${text})`
    })
}

/** Tiles that nothing has happened to. */
export function greyTiles({ png, tiles }: Picture): string[] {
  return tiles
    .filter((tile) => tile.text !== '' || isGrey(png, tile))
    .map(({ name, text }) => (text === '' ? name : `${name} (${text})`))
}

function isGrey(png: PNG, tile: Tile): boolean {
  for (const [red, green, blue] of pixelsOf(png, tile))
    if (red !== 204 || green !== 204 || blue !== 204) return false
  return true
}

/** The mean colour, coarse enough to forget how edges were smoothed. */
function hashOf(png: PNG, tile: Tile): string {
  const sums = [0, 0, 0]
  let count = 0
  for (const pixel of pixelsOf(png, tile)) {
    count++
    for (const [channel, value] of pixel.entries()) sums[channel]! += value
  }
  return sums.map((sum) => Math.round(sum / Math.max(count, 1) / 4)).join()
}

function* pixelsOf({ width, height, data }: PNG, tile: Tile): Generator<[number, number, number]> {
  const [right, bottom] = [tile.left + tile.width, tile.top + tile.height].map(Math.floor) as [number, number]
  for (let y = Math.ceil(tile.top); y < Math.min(bottom, height); y++) {
    for (let x = Math.ceil(tile.left); x < Math.min(right, width); x++) {
      const at = (y * width + x) * 4
      yield [data[at]!, data[at + 1]!, data[at + 2]!]
    }
  }
}
