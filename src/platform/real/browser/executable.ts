// Which browser is used: the one that the owner names, else an installed Chrome or Chromium, else that of the package
// @sparticuz/chromium, if that is installed beside us.
//
// The package unpacks its browser to where it takes every file that is there for whole. Several processes may do so at once, and
// some are killed; so it is unpacked aside, and moved into place when it is whole.

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { BrowserError } from '../../browser.ts'

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

/** `named`: by the owner; '' when nobody did. */
export async function browserExecutable(named: string): Promise<string> {
  if (named !== '') {
    if (existsSync(named)) return named
    throw new BrowserError(
      'browser-missing',
      `There is no browser at ${named}: see the setting crawl.browserPath.`,
    )
  }
  const found = installedBrowser() ?? (await packedBrowser())
  if (found !== undefined) return found
  throw new BrowserError(
    'browser-missing',
    'There is no browser on this machine: install Chrome or Chromium, name one with the setting crawl.browserPath, or add the npm package @sparticuz/chromium.',
  )
}

export function installedBrowser(): string | undefined {
  return installedPaths.find((path) => existsSync(path))
}

/** undefined where there is no such package, or none for this kind of machine. */
export async function packedBrowser(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const version = await packedVersion()
  if (version === undefined) return undefined
  const place = join(tmpdir(), `polyhistor-chromium-${version}`)
  if (!existsSync(place)) await unpackTo(place)
  return join(place, 'chromium')
}

async function packedVersion(): Promise<string | undefined> {
  try {
    const file = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
    return JSON.parse(await readFile(file, 'utf8')).version
  } catch {
    return undefined
  }
}

async function unpackTo(place: string): Promise<void> {
  const { default: packed } = await import('@sparticuz/chromium')
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
