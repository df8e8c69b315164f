// Whether the volumes of a store are whole WARC files that any tool reads.

import assert from 'node:assert/strict'
import { readWarc } from '../../src/record/warc/reader.ts'
import type { Disk } from '../../src/world/disk.ts'

/** Every record of a volume, read as another program would. */
export async function checkVolume(bytes: Uint8Array, path: string): Promise<void> {
  async function* chunks() {
    yield bytes
  }
  for await (const item of readWarc(chunks(), { verify: true })) {
    assert(item.kind === 'record', `${path} is damaged: ${item.kind === 'damage' ? item.error.message : ''}`)
    assert.deepEqual(item.warnings, [], path)
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
