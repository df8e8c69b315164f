// Whether the volumes of a store are whole WARC files that any tool reads.

import assert from 'node:assert/strict'
import { compressionInName } from '../../src/formats/warc/file-name.ts'
import { readWarc } from '../../src/formats/warc/reading/reader.ts'
import type { Disk } from '../../src/platform/storage/disk.ts'
import { isCompressedLike } from '../../src/store/volumes/volume-compression.ts'

/** Every record of a volume, read as another program would: compressed as its name says, each with sound digests. */
export async function checkVolume(bytes: Uint8Array, path: string): Promise<void> {
  async function* chunks() {
    yield bytes
  }
  const kind = compressionInName(path)
  for await (const item of readWarc(chunks(), { verify: true })) {
    assert(item.kind === 'record', `${path} is damaged: ${item.kind === 'damage' ? item.error.message : ''}`)
    assert.deepEqual(item.warnings, [], path)
    const start = bytes.subarray(item.offset, item.offset + 16)
    assert(isCompressedLike({ kind }, { start, dictionary: undefined }), `${path} is mixed: ${item.offset}`)
    if (!(item.record.block instanceof Uint8Array)) for await (const _ of item.record.block);
  }
}

export async function readWhole(disk: Disk, path: string): Promise<Uint8Array> {
  const file = await disk.open(path, 'read')
  try {
    return await file.read(0, await file.sizeBytes())
  } finally {
    await file.close()
  }
}
