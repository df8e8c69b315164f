// The documentation as scripts/docs built it. Its files are read when they are asked for: few are, and there are many.
//
// Only what the build lists is looked for, so that no address leads anywhere else on the disk.

import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { isCompiled, programFile } from '../../platform/program-files.ts'
import type { DocumentationFiles } from '../../ui/archive.ts'

/** In the npm package it lies beside the compiled files; in a clone, where bin/set-up builds it. */
const builtFolder = programFile(isCompiled ? 'docs/' : '../dist/docs/')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

export function documentationFiles(folder: URL = builtFolder): DocumentationFiles {
  let listed: Promise<ReadonlySet<string>> | undefined
  return {
    file: async (address) => {
      listed ??= readList(folder)
      const type = types[extname(address)]
      if (type === undefined || !(await listed).has(address)) return undefined
      return { bytes: await readFile(new URL(address, folder)), type }
    },
  }
}

/** A program without its documentation works as well. */
async function readList(folder: URL): Promise<ReadonlySet<string>> {
  try {
    return new Set(JSON.parse(await readFile(new URL('files.json', folder), 'utf8')) as string[])
  } catch {
    return new Set()
  }
}
