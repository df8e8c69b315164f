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

/** In the page: where its tiles are, or null when it has not come to rest. */
const settledTiles = (hasTiles: boolean) => `(() => {
  const tiles = [...document.querySelectorAll('.tile')]
  const isSettled = document.documentElement.getAttribute('data-settled') === 'yes' && tiles.length > 0
  if (document.readyState !== 'complete' || ${hasTiles} !== isSettled) return null
  return tiles.map((tile) => {
    const { left, top, width, height } = tile.getBoundingClientRect()
    return { name: tile.id, text: tile.className === 'tile off' ? tile.textContent : '', left, top, width, height }
  })
})()`

export interface View {
  readonly page: Page
  /** What is looked at; may be another at every call, for frames come and go with navigation. */
  readonly frame: () => Frame | undefined
  /** Where on the page the frame is. */
  readonly left: number
  readonly top: number
}

/** A busy machine takes many times as long as a quiet one. */
const settleMsMax = 240_000
const shotsMax = 100

export async function pictureOf({ page, frame, left, top }: View, hasTiles: boolean): Promise<Picture> {
  const endMs = performance.now() + settleMsMax
  for (;;) {
    // A frame that navigates away while it is asked throws.
    const found = await frame()
      ?.evaluate(settledTiles(hasTiles))
      .catch(() => null)
    if (found != null)
      return { png: await screenshot(page, { left, top, ...viewSize }), tiles: found as Tile[] }
    if (performance.now() > endMs) throw new Error(`${frame()?.url() ?? 'the frame'} did not come to rest`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Frames are painted when they like: a picture counts when the next one is the same. */
export async function screenshot(
  page: Page,
  { left, top, width, height }: Pick<Tile, 'left' | 'top' | 'width' | 'height'>,
): Promise<PNG> {
  const clip = { x: left, y: top, width, height }
  const shoot = () => page.screenshot({ clip, animations: 'disabled', caret: 'hide' })
  let last = await shoot()
  for (let times = 0; times < shotsMax; times++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const next = await shoot()
    if (next.equals(last)) return PNG.sync.read(next)
    last = next
  }
  throw new Error(`${page.url()} never looks the same twice`)
}

/** How many pixels look different; differences that only smooth edges make are not counted. */
export function pixelsApart(one: Pick<Picture, 'png'>, other: Pick<Picture, 'png'>): number {
  const { width, height, data } = one.png
  return pixelmatch(data, other.png.data, undefined, width, height, { threshold: 0.1 })
}

/** Tiles of the first picture that look different in the second, with what they say there. */
export function tilesApart(one: Picture, other: Picture): string[] {
  return one.tiles
    .filter((tile) => !isAlike(meanOf(one.png, tile), meanOf(other.png, tile)))
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

function meanOf(png: PNG, tile: Tile): number[] {
  const sums = [0, 0, 0]
  let count = 0
  for (const pixel of pixelsOf(png, tile)) {
    count++
    for (const [channel, value] of pixel.entries()) sums[channel]! += value
  }
  return sums.map((sum) => sum / Math.max(count, 1))
}

/** The smoothing of edges changes a mean a little; any construct that fails changes it much. */
const meanApartMax = 4

function isAlike(one: readonly number[], other: readonly number[]): boolean {
  return one.every((value, channel) => Math.abs(value - other[channel]!) <= meanApartMax)
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
