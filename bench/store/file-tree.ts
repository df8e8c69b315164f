// What the store is measured against: one file per object, in a tree of 256 × 256 folders.
//
// As durable as the store: a file is written and synced and then its folder, before the caller is told; a removal is
// synced, too. The folders are there before anything is measured, so that no object pays for making its own. Objects are
// found by their number; nothing is compressed, compared or verified. Callbacks, because they are quicker than promises.

import { createHash } from 'node:crypto'
import { close, constants, fsync, mkdirSync, open, readFile, unlink, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const opened = promisify(open)
const written = promisify(write)
const synced = promisify(fsync)
const closed = promisify(close)
const unlinked = promisify(unlink)
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY

export class FileTree {
  readonly #root: string
  readonly #folders: number

  /** `folders`: of 256 × 256, fewer for a test. */
  constructor(root: string, folders = 256) {
    this.#root = root
    this.#folders = folders
    for (let first = 0; first < folders; first++) {
      for (let second = 0; second < folders; second++) {
        mkdirSync(join(root, hex(first), hex(second)), { recursive: true })
      }
    }
  }

  async put(object: number, bytes: Uint8Array): Promise<void> {
    const { folder, path } = this.#place(object)
    const file = await opened(path, 'wx')
    await writeAll(file, bytes)
    await synced(file)
    await closed(file)
    await syncFolder(folder)
  }

  get(object: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      readFile(this.#place(object).path, (error, bytes) => (error ? reject(error) : resolve(bytes)))
    })
  }

  async delete(object: number): Promise<void> {
    const { folder, path } = this.#place(object)
    await unlinked(path)
    await syncFolder(folder)
  }

  #place(object: number): { folder: string; path: string } {
    const name = createHash('md5').update(String(object)).digest()
    const folder = join(this.#root, hex(name[0]! % this.#folders), hex(name[1]! % this.#folders))
    return { folder, path: join(folder, name.toString('hex')) }
  }
}

async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await written(file, bytes, done, bytes.length - done, done)).bytesWritten
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await opened(folder, folderFlags)
  await synced(handle)
  await closed(handle)
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
