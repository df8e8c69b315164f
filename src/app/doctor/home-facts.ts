// What the doctor finds in a home: who may read it, what killed processes left there, whether its store can be opened.
//
// Writes nothing. Leftovers and the store are only looked at while no process works on the home: what is in use is no leftover.

import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { describeHolder, readHolder } from '../../platform/real/disk/home-holder.ts'
import { RealHomeLock } from '../../platform/real/disk/home-lock.ts'
import { checkBeforeMapping, unclosedMark } from '../../platform/real/key-value/index-opening.ts'
import { HomeError } from '../../platform/storage/home-lock.ts'
import { KeyValueError } from '../../platform/storage/key-value.ts'
import { formatState } from '../../store/format-mark.ts'
import { hasVolumes } from '../../store/rebuild/found-volumes.ts'
import { isHome } from '../home-mark.ts'

export interface HomeFacts {
  /** Names of what other users of the machine may read or write. */
  readonly openToOthers: readonly string[]
  /** A process works on the home. */
  readonly isHeld: boolean
  readonly leftovers: readonly Leftover[]
  readonly store: StoreFacts
}

export interface Leftover {
  /** Below the home. */
  readonly name: string
  readonly sizeBytes: number
}

export interface StoreFacts {
  readonly state:
    | 'none'
    | 'in use'
    | 'sound'
    | 'unclosed'
    | 'mark damaged'
    | 'other format'
    | 'index damaged'
    | 'index missing'
  /** For people; '' where there is nothing to add. */
  readonly detail: string
}

const othersBits = 0o077
const secretNames = ['token', 'browser-secret', 'identity.key', 'network.json', 'peer.json']
/** A draft is renamed within moments; some are written by commands that do not hold the home. */
const draftAgeMs = 60_000

/** Where files lie that nobody needs once their process has ended, and how they are called. */
const temporary: readonly (readonly [folder: string, name: RegExp])[] = [
  ['store/spool', /^\d+\.tmp$/],
  ['crawl/spool', /\.spool$/],
  ['network/spool', /^\d+\.tmp$/],
  ['downloads', /^\d+\.tmp$/],
  ['crawl/browser', /^profile-/],
]
const drafts: readonly (readonly [folder: string, name: RegExp])[] = [
  ['.', /\.[0-9a-f]{12}\.new$|^config\.toml\.draft$/],
  ['store', /^(?:holder|format|volume-folders)\.json\.new$|^takedowns\.jsonl\.new$/],
]

export async function homeFacts(home: string): Promise<HomeFacts> {
  const openToOthers = await openNames(home)
  const folder = join(home, 'store')
  const holder = await holderOf(folder)
  if (holder !== undefined)
    return { openToOthers, isHeld: true, leftovers: [], store: { state: 'in use', detail: holder } }
  return {
    openToOthers,
    isHeld: false,
    leftovers: await leftoversIn(home),
    store: await storeFacts(folder),
  }
}

/** Only while nobody works on the home. */
export async function leftoversIn(home: string, nowMs = Date.now()): Promise<Leftover[]> {
  const found: string[] = []
  for (const name of ['peer.json', 'store/holder.json', 'store/index.new'])
    if ((await sizeOf(join(home, name))) !== undefined) found.push(name)
  for (const [folder, pattern] of temporary) found.push(...(await matching(home, folder, pattern)))
  for (const [folder, pattern] of drafts)
    for (const name of await matching(home, folder, pattern)) {
      const info = await lstat(join(home, name)).catch(() => undefined)
      if (info !== undefined && nowMs - info.mtimeMs > draftAgeMs) found.push(name)
    }
  return Promise.all(found.map(async (name) => ({ name, sizeBytes: (await sizeOf(join(home, name))) ?? 0 })))
}

async function openNames(home: string): Promise<string[]> {
  const names = ['.', ...secretNames]
  const modes = await Promise.all(names.map((name) => lstat(join(home, name)).catch(() => undefined)))
  const isOpen = (at: number) => modes[at] !== undefined && (modes[at].mode & othersBits) !== 0
  // What lies in a folder that is closed to others is closed to them, too.
  if (process.platform === 'win32' || !isOpen(0) || !(await isHome(home))) return []
  return names.filter((_, at) => isOpen(at)).map((name) => (name === '.' ? home : name))
}

/** Who works on it, in words; undefined when nobody does. */
async function holderOf(store: string): Promise<string | undefined> {
  try {
    await (await new RealHomeLock().holdToRead(store)).release()
    return undefined
  } catch (error) {
    if (error instanceof HomeError && error.code === 'home-in-use')
      return `${describeHolder(await readHolder(store))} works on it.`
    throw error
  }
}

async function storeFacts(folder: string): Promise<StoreFacts> {
  const disk = new RealDisk()
  const format = await formatState(disk, folder)
  const volumes = join(folder, 'volumes')
  const isKept = (await disk.stat(volumes)) !== undefined && (await hasVolumes(disk, volumes))
  if (format === 'missing' && !isKept) return { state: 'none', detail: '' }
  const mark = join(folder, 'format.json')
  if (format === 'damaged')
    return { state: 'mark damaged', detail: `${mark} begins ${JSON.stringify(await begin(mark))}.` }
  if (format === 'other')
    return {
      state: 'other format',
      detail: `${folder} is not a store of this version, or of another program.`,
    }
  const index = join(folder, 'index')
  if ((await disk.stat(join(index, 'data.mdb'))) === undefined)
    return isKept ? { state: 'index missing', detail: '' } : { state: 'sound', detail: '' }
  try {
    await checkBeforeMapping(disk, index)
  } catch (error) {
    if (!(error instanceof KeyValueError)) throw error
    return { state: 'index damaged', detail: error.message }
  }
  const isUnclosed = (await disk.stat(unclosedMark(index))) !== undefined
  return { state: isUnclosed ? 'unclosed' : 'sound', detail: '' }
}

async function begin(path: string): Promise<string> {
  return (await readFile(path, 'latin1')).slice(0, 40)
}

async function matching(home: string, folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(join(home, folder)).catch(() => [])
  return names
    .filter((name) => pattern.test(name))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`))
}

/** Of a folder with all in it; undefined when there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  const info = await lstat(path).catch(() => undefined)
  if (info === undefined || !info.isDirectory()) return info?.size
  const names = await readdir(path).catch(() => [])
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name))))
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}
