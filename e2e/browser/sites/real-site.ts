// A realistic site: what it is built from, what it answers, and how it is looked at, live and in replay alike.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../command.ts'
import type { Answer, Answers, OriginOf } from '../../replay/origin-web.ts'

export interface SiteView {
  readonly path: string
  /** In the page: whether it shows what it has to show. */
  readonly until: string
  /** In the page, after that: what a reader does before the picture is taken. */
  readonly act?: string
  /** In the page: whether that has come to its end. */
  readonly untilActed?: string
}

export interface RealSite {
  /** Its host is NAME.localhost. */
  readonly name: string
  /** What is hard about it, for the table. */
  readonly what: string
  /** npm packages that it is made of. */
  readonly packages: readonly string[]
  readonly views: readonly SiteView[]
  /** By host and path: see OriginWeb. */
  answers(origin: OriginOf): Answers
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  json: 'application/json',
  mjs: 'text/javascript',
  png: 'image/png',
  svg: 'image/svg+xml',
  webm: 'video/webm',
  woff2: 'font/woff2',
  woff: 'font/woff',
  ttf: 'font/ttf',
}

export function typeOf(path: string): string {
  return types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
}

/** A file of an npm package: `leaflet/dist/leaflet.js`. */
export function packageFile(path: string): Answer {
  const file = join(root, 'node_modules', path)
  if (!existsSync(file)) throw new Error(`${path} is not in node_modules: run npm ci.`)
  return { headers: { 'Content-Type': typeOf(path) }, body: readFileSync(file) }
}

export function sourceFile(path: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'sources', path))
}
