// How the records of a store's volumes are compressed, and whether a volume or a record is like that.
//
// Invariant: all volumes that take records compress alike, so that a record can go to any of them. One that was begun
// otherwise takes no more.

import type { Compression } from '../../formats/warc/compression/compression.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import { zstdMagicAt } from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { compressionInName } from '../../formats/warc/file-name.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { recordDictionary } from './record-dictionary.ts'
import { dictionaryIn, type ReadAt, readDictionary } from './volume-head.ts'

/** As its volumes have it: zstd with our dictionary, unless the caller gives another, or an empty one for none. */
export function volumeCompression(compression: Compression): Compression {
  if (compression.kind !== 'zstd') return compression
  const { kind, level, dictionary = recordDictionary } = compression
  return dictionary.length === 0 ? { kind, level } : { kind, level, dictionary }
}

/** Whether records compressed like this can be appended to a volume that was begun before. */
export async function takesRecordsOf(
  compression: Compression,
  volume: { name: string; read: ReadAt },
): Promise<boolean> {
  if (compressionInName(volume.name) !== compression.kind) return false
  if (compression.kind !== 'zstd') return true
  try {
    const { dictionary } = await readDictionary(volume.read)
    return equalDictionaries(dictionary, compression.dictionary)
  } catch (error) {
    if (error instanceof WarcDamage) return false
    throw error
  }
}

/** Whether a stored record can be copied as it is: its first bytes tell, and the dictionary of its volume. */
export function isCompressedLike(
  compression: Compression,
  stored: { start: Uint8Array; dictionary: Uint8Array | undefined },
): boolean {
  const start = bufferView(stored.start)
  const kind = looksLikeGzip(start) ? 'gzip' : zstdMagicAt(start) === 'frame' ? 'zstd' : 'none'
  if (kind !== compression.kind) return false
  return kind !== 'zstd' || equalDictionaries(stored.dictionary, dictionaryIn(compression))
}

function equalDictionaries(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left === right || bufferView(left).equals(right)
}
