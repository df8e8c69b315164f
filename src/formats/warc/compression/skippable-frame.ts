// Skippable zstd frames at the source's position: the dictionary of a `.warc.zst` file, and others that say nothing to us.

import { WarcDamage } from '../damage.ts'
import type { ByteSource } from '../reading/byte-source.ts'
import { decodeDictionaryFrame, dictionaryBytesMax, skippableFrameLength, zstdMagicAt } from './zstd-frame.ts'

/** Moves the source behind the frame; gives the dictionary that it held, if any. Damage has offset 0, and leaves the
 * source where it was. */
export async function skipFrame(source: ByteSource): Promise<Buffer | undefined> {
  await source.fill(8)
  const length = skippableFrameLength(source.window)
  if (length === undefined) {
    throw new WarcDamage('warc-truncated-member', 0, 'the file ends within a zstd frame')
  }
  const dictionary =
    zstdMagicAt(source.window) === 'dictionary' ? await readDictionary(source, length) : undefined
  await source.skip(length)
  return dictionary
}

async function readDictionary(source: ByteSource, length: number): Promise<Buffer> {
  if (length > dictionaryBytesMax) {
    throw new WarcDamage('warc-bad-dictionary', 0, `dictionary of ${length} bytes is too large`)
  }
  if (!(await source.fill(length))) {
    throw new WarcDamage('warc-truncated-member', 0, 'the file ends within its dictionary')
  }
  try {
    return decodeDictionaryFrame(source.window.subarray(0, length))
  } catch (error) {
    throw error instanceof WarcDamage ? error.at(0, length) : error
  }
}
