// Answers of the fixture sites by kind, and the few binary files that they need, made here.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { root } from '../command.ts'
import type { Answer } from './origin-web.ts'
import { type TilePage, tilePage, tileSize } from './tile-page.ts'

type Headers = Answer['headers']

const of =
  (type: string) =>
  (body: string | Uint8Array, headers: Headers = {}): Answer => ({
    body,
    headers: { 'Content-Type': type, ...headers },
  })

export const html = of('text/html; charset=utf-8')
export const css = of('text/css')
export const script = of('text/javascript')
export const json = of('application/json')
export const svg = of('image/svg+xml')
export const xml = of('application/xml')
export const tiles = (page: TilePage, headers: Headers = {}): Answer => html(tilePage(page), headers)

/** Whoever asks may read it. */
export const shared = { 'Access-Control-Allow-Origin': '*' }

/** A square of one colour. */
export function picture(colour: string, headers: Headers = {}): Answer {
  const png = new PNG({ width: tileSize, height: tileSize })
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  for (let at = 0; at < png.data.length; at += 4) png.data.set([red!, green!, blue!, 255], at)
  return of('image/png')(PNG.sync.write(png), headers)
}

export function redirect(status: number, location: string): Answer {
  return { status, headers: { Location: location, 'Content-Type': 'text/html' }, body: 'moved' }
}

/** A tone of so many seconds: PCM, mono, 8 bits, 8 kHz. */
export function sound(seconds: number): Buffer {
  const bytes = seconds * 8_000
  const wav = Buffer.alloc(44 + bytes)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + bytes, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8_000, 24)
  wav.writeUInt32LE(8_000, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(bytes, 40)
  for (let at = 0; at < bytes; at++) wav[44 + at] = at % 40 < 20 ? 108 : 148
  return wav
}

/** Whole, or the range that is asked for. */
export function ranged(type: string, bytes: Buffer) {
  return ({ headers }: { headers: { range?: string | undefined } }): Answer => {
    const range = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '')
    const common = { 'Content-Type': type, 'Accept-Ranges': 'bytes' }
    if (range === null) return { headers: common, body: bytes }
    const start = Number(range[1])
    const end = range[2] === '' ? bytes.length - 1 : Math.min(Number(range[2]), bytes.length - 1)
    return {
      status: 206,
      headers: { ...common, 'Content-Range': `bytes ${start}-${end}/${bytes.length}` },
      body: bytes.subarray(start, end + 1),
    }
  }
}

/** A font of signs that no other font has; U+EA60 is a plus. It comes with the browser's driver. */
export function signFont(): Buffer {
  const [file] = globSync('node_modules/playwright-core/lib/vite/traceViewer/codicon.*.ttf', { cwd: root })
  if (file === undefined) throw new Error('playwright-core no longer brings its font of signs')
  return readFileSync(join(root, file))
}
