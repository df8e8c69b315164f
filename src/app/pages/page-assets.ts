// The browser's side as Vite built it from web/: read once, small enough to be held.

import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { PolyhistorError } from '../../errors.ts'
import { isCompiled, programFile } from '../../platform/program-files.ts'
import type { PageAssets } from '../../ui/archive.ts'

/** In the npm package it lies beside the compiled files; in a clone, where bin/set-up builds it. */
const folder = programFile(isCompiled ? 'web/' : '../dist/web/')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Of Vite's manifest, what is of use here: the source and what was made of it. */
type Manifest = Record<string, { file: string; css?: string[] }>

export async function loadPageAssets(): Promise<PageAssets> {
  const manifest = await readManifest()
  const paths = new Map(Object.entries(manifest).map(([entry, { file }]) => [entry, `/${file}`]))
  const files = new Map<string, { bytes: Uint8Array; type: string }>()
  for (const path of new Set(paths.values())) {
    const type = types[extname(path)] ?? 'application/octet-stream'
    files.set(path, { bytes: await readFile(new URL(`.${path}`, folder)), type })
  }
  return {
    pathOf: (entry) => paths.get(entry) ?? `/assets/${entry}`,
    file: (path) => files.get(path),
  }
}

async function readManifest(): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8'))
  } catch (cause) {
    throw new PolyhistorError(
      'page-assets-missing',
      'The scripts and styles of the pages have not been built. Run: sh bin/set-up',
      { cause },
    )
  }
}
