// Which files of this machine the HTTP interface may be told to read or to write in.
//
// The token says who asks, but tokens get lost: into a script, a proxy's log, an extension of a browser. So the token alone
// reaches only what lies below the folders of the setting `http.folders`, and never the home itself. For any other path
// somebody must show that he can write in the home: a permit is a file there with the path in it, good once. The commands of
// this home make one for each path that their user names, so these work as if they did it themselves.
// Links are followed before the path is judged, and what is opened afterwards is the path without them.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { PolyhistorError } from '../../errors.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { Paths } from '../platform.ts'

const folderName = 'permits'

export class AllowedPaths implements Paths {
  readonly #home: string
  readonly #folders: readonly string[]

  private constructor(home: string, folders: readonly string[]) {
    this.#home = home
    this.#folders = folders
  }

  static async open(home: string, folders: readonly string[]): Promise<AllowedPaths> {
    const permits = join(home, folderName)
    await mkdir(permits, { recursive: true, mode: 0o700 })
    for (const name of await readdir(permits)) await rm(join(permits, name), { force: true })
    return new AllowedPaths(home, folders)
  }

  /** The path as it is to be opened. Rejects where it is not allowed, whether or not it is there. */
  async check(path: string, permit: string | undefined): Promise<string> {
    const absolute = namedPlace(path)
    if (permit !== undefined && (await this.#isPermitted(absolute, permit))) return absolute
    if (isBucketAddress(path)) throw notAllowed(path)
    const real = await realPathOf(absolute)
    const home = await realPathOf(this.#home)
    if (!isBelow(real, home)) {
      for (const folder of this.#folders) if (isBelow(real, await realPathOf(folder))) return real
    }
    throw notAllowed(path)
  }

  async #isPermitted(path: string, permit: string): Promise<boolean> {
    if (!/^[\w-]{1,64}$/.test(permit)) return false
    const file = join(this.#home, folderName, permit)
    const permitted = await readFile(file, 'utf8').catch(() => undefined)
    await rm(file, { force: true }).catch(() => {})
    return permitted === path
  }
}

/** For a command of this home: the name of a permit for this path; undefined where the home is not ours to write in. */
export async function permitPath(home: string, path: string): Promise<string | undefined> {
  const permit = randomBytes(16).toString('base64url')
  try {
    // Nothing secret is in it, and the peer may run as another user than an administrator's command.
    await writeFile(join(home, folderName, permit), namedPlace(path), { flag: 'wx', mode: 0o644 })
    return permit
  } catch {
    return undefined
  }
}

/** Buckets are permitted as paths are: what is put there leaves this machine. */
function namedPlace(path: string): string {
  return isBucketAddress(path) ? path : resolve(path)
}

function notAllowed(path: string): PolyhistorError {
  return new PolyhistorError(
    'path-not-allowed',
    `${path} lies in no folder of the setting http.folders, and no command of this home asks for it.`,
  )
}

/** Without links, as far as it is there. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realPathOf(parent), basename(path))
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
