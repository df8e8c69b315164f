// A look at an LMDB file before LMDB maps it.
//
// Why: the library ends the whole process (segmentation fault) when it is given a file that is no LMDB file, or whose
// root pages are cut off. So what it would trip over is found here and becomes an error that can be told to a person.
// Leaves to LMDB: everything below the root pages.

import type { Disk } from '../../storage/disk.ts'
import { KeyValueError } from '../../storage/key-value.ts'

const magicNumber = 0xbeefc0de
const formatVersion = 2
const metaPageFlag = 0x08
const metaBytes = 160
// Where lmdb 3.5 keeps things in a meta page.
const offsetBasis = { flags: 18, magic: 24, version: 28, pageBytes: 48, freeRoot: 88, mainRoot: 136 } as const
const noRoot = 0xffff_ffff_ffff_ffffn

/** Throws 'index-damaged' when the file is there, has bytes, and cannot be an LMDB file that is whole at its root. */
export async function checkIndexHeader(disk: Disk, path: string): Promise<void> {
  const info = await disk.stat(path)
  if (info === undefined || (info.kind === 'file' && info.sizeBytes === 0)) return
  const file = await disk.open(path, 'read')
  try {
    const first = await file.read(0, metaBytes)
    const pageBytes = checkMeta(path, first, info.sizeBytes)
    checkMeta(path, await file.read(pageBytes, metaBytes), info.sizeBytes)
  } finally {
    await file.close()
  }
}

/** Returns the page size that the meta page states. */
function checkMeta(path: string, bytes: Uint8Array, fileBytes: number): number {
  if (bytes.length < metaBytes) throw damaged(path, 'its beginning is missing')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if ((view.getUint16(offsetBasis.flags, true) & metaPageFlag) === 0)
    throw damaged(path, 'it has no meta page')
  if (view.getUint32(offsetBasis.magic, true) !== magicNumber) throw damaged(path, 'it is not an index')
  if (view.getUint16(offsetBasis.version, true) !== formatVersion)
    throw damaged(path, 'its format is another version')
  const pageBytes = view.getUint32(offsetBasis.pageBytes, true)
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) {
    throw damaged(path, 'its page size is impossible')
  }
  for (const offset of [offsetBasis.freeRoot, offsetBasis.mainRoot]) {
    const page = view.getBigUint64(offset, true)
    if (page !== noRoot && (page + 1n) * BigInt(pageBytes) > BigInt(fileBytes))
      throw damaged(path, 'it is cut off')
  }
  return pageBytes
}

function damaged(path: string, reason: string): KeyValueError {
  return new KeyValueError(
    'index-damaged',
    `The index ${path} is damaged: ${reason}. Move it away; it is built again from the volumes.`,
  )
}
