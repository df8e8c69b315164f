// volume-folders.json: which folders hold volumes, and which of them take new ones, beside the index that knows it, too. For a
// rebuild when that cannot be read: volumes on other disks would be lost to view.

import { isAbsolute, join, relative, resolve } from 'node:path'
import * as v from 'valibot'
import { isBucketAddress } from '../platform/storage/bucket.ts'
import { type Disk, DiskError } from '../platform/storage/disk.ts'
import { readWhole, writeWhole } from '../platform/storage/whole-file.ts'
import type { FolderEntry } from './index/volume-entry.ts'
import { placePath } from './volumes/places/volume-places.ts'

const fileName = 'volume-folders.json'
const bytesMax = 1_000_000

const notesSchema = v.pipe(
  v.array(
    v.object({
      path: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
      mode: v.picklist(['writable', 'read-only']),
    }),
  ),
  v.maxLength(1_000),
)

/** Writes them down if something else stands there. Best effort: the index knows. */
export async function noteFolders(disk: Disk, store: string, folders: Iterable<FolderEntry>): Promise<void> {
  const notes = Array.from(folders, ({ path, mode }) => ({ path: asNoted(store, path), mode }))
  const text = `${JSON.stringify(notes)}\n`
  const path = join(store, fileName)
  try {
    if ((await readText(disk, path)) === text) return
    await writeWhole(disk, path, text)
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}

/** undefined when nothing is noted that can be read. */
export async function notedFolders(disk: Disk, store: string): Promise<FolderEntry[] | undefined> {
  try {
    const text = await readText(disk, join(store, fileName))
    const { success, output } = v.safeParse(notesSchema, JSON.parse(text ?? ''))
    if (!success || output.length === 0) return undefined
    return output.map(({ path, mode }) => ({
      path: isBucketAddress(path) ? placePath(path) : resolve(store, path),
      mode,
    }))
  } catch (error) {
    // No JSON, or the disk fails.
    if (!(error instanceof SyntaxError) && !(error instanceof DiskError)) throw error
    return undefined
  }
}

/** Folders of the store are noted as seen from there, so that all can be moved together. */
function asNoted(store: string, path: string): string {
  if (isBucketAddress(path)) return path
  const inside = relative(store, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  const bytes = await readWhole(disk, path, bytesMax)
  return bytes && Buffer.from(bytes).toString()
}
