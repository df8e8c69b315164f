// Builds extension/ for Chromium and for Firefox: a folder of each in dist/, to be loaded as it is, and the same as a zip, to be
// handed to a store. The scripts are bundled and not made small: stores and owners read them.

import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { build } from 'vite'
import yazl from 'yazl'

const source = join(import.meta.dirname, '../extension')
const dist = join(import.meta.dirname, '../dist')
const copied = ['popup.html', 'options.html', 'extension.css', 'icon-48.png', 'icon-128.png']

/** What a browser wants beside what both do. */
const targets: Readonly<Record<string, object>> = {
  chromium: { minimum_chrome_version: '126' },
  firefox: {
    browser_specific_settings: {
      gecko: {
        id: 'extension@polyhistor.org',
        strict_min_version: '140.0',
        data_collection_permissions: { required: ['none'] },
      },
      gecko_android: { strict_min_version: '142.0' },
    },
  },
}

/** The folders that were built. */
export async function buildExtension(outDir = dist): Promise<string[]> {
  return Promise.all(Object.keys(targets).map((target) => buildFor(target, outDir)))
}

async function buildFor(target: string, outDir: string): Promise<string> {
  const folder = join(outDir, `extension-${target}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const name of copied) await copyFile(join(source, name), join(folder, name))
  await writeFile(
    join(folder, 'manifest.json'),
    `${JSON.stringify(await manifestOf(target), undefined, 2)}\n`,
  )
  await build({
    configFile: false,
    root: source,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      modulePreload: false,
      target: ['chrome126', 'firefox140'],
      rolldownOptions: {
        input: ['popup.ts', 'options.ts'].map((entry) => join(source, entry)),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  })
  await pack(folder, `${folder}.zip`)
  return folder
}

async function manifestOf(target: string): Promise<object> {
  const manifest = JSON.parse(await readFile(join(source, 'manifest.json'), 'utf8')) as object
  const { version } = JSON.parse(await readFile(join(source, '../package.json'), 'utf8')) as {
    version: string
  }
  return { ...manifest, version, ...targets[target] }
}

/** The same bytes from the same sources, whenever it is built. */
async function pack(folder: string, path: string): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const name of (await readdir(folder)).sort())
    zip.addFile(join(folder, name), name, { mtime: new Date(Date.UTC(2000, 0)), mode: 0o100644 })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

if (import.meta.main) for (const folder of await buildExtension()) console.error(`built ${folder}`)
