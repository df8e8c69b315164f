// Where the browser of the tests is: the one that POLYHISTOR_TEST_CHROMIUM names, else that of @sparticuz/chromium, else an
// installed one.
//
// The package unpacks its browser to where it takes every file that is there for whole. Tests of several files start at
// once, and some are killed; so it is unpacked aside, and moved into place when it is whole.

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import packed from '@sparticuz/chromium'

const installedPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export async function chromiumExecutable(): Promise<string> {
  const named = process.env.POLYHISTOR_TEST_CHROMIUM
  if (named !== undefined) return named
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked()
  const installed = installedPaths.find((path) => existsSync(path))
  if (installed === undefined) throw new Error('No browser: set POLYHISTOR_TEST_CHROMIUM to a Chromium.')
  return installed
}

async function unpacked(): Promise<string> {
  const { version } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')), 'utf8'),
  )
  const place = join(tmpdir(), `polyhistor-chromium-${version}`)
  if (!existsSync(place)) await unpackTo(place)
  return join(place, 'chromium')
}

async function unpackTo(place: string): Promise<void> {
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
