// A file as a content to put: in memory where it is small; else read twice, once to know its digest.

import { Digester } from '../../model/digest.ts'
import type { DiskFile } from '../../platform/storage/disk.ts'
import type { LargeContent } from '../../store/contents/contents.ts'
import { chunksFrom } from '../../store/import/source.ts'

const wholeBytesMax = 16 * 1024 * 1024

/** The file must stay open until the content has been put. */
export async function contentOf(file: DiskFile): Promise<Uint8Array | LargeContent> {
  const sizeBytes = await file.sizeBytes()
  if (sizeBytes <= wholeBytesMax) return file.read(0, sizeBytes)
  const digester = new Digester('sha256')
  for await (const chunk of chunksFrom(file, 0, sizeBytes)) digester.update(chunk)
  return { sizeBytes, digest: digester.finish(), chunks: () => chunksFrom(file, 0, sizeBytes) }
}
