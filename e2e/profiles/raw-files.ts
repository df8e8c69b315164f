// Looks for a text in everything that lies in a folder: in the bytes of each file, and in what they are when unpacked.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'

/** The files that have it. `except`: folders of this name are passed over. */
export async function filesWith(folder: string, text: string, except?: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== except) found.push(...(await filesWith(path, text)))
    if (entry.isFile() && unpacked(await readFile(path)).some((bytes) => bytes.includes(text)))
      found.push(path)
  }
  return found
}

function unpacked(bytes: Buffer): Buffer[] {
  const all = [bytes]
  for (const unpack of [gunzipSync, zstdDecompressSync]) {
    try {
      all.push(unpack(bytes))
    } catch {
      // Not packed so.
    }
  }
  return all
}
