// Whether the volumes of a store are whole WARC files that any tool reads, and whether the index is true to itself.
// For a store that is closed.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { readWarc } from '../../src/record/warc/reader.ts'
import { checkIndex } from '../../src/store/index/index-check.ts'
import { Ledger } from '../../src/store/index/ledger.ts'
import { StoreIndex } from '../../src/store/index/store-index.ts'
import { VolumeFiles } from '../../src/store/volumes/volume-files.ts'
import type { Disk } from '../../src/world/disk.ts'
import type { KeyValues } from '../../src/world/key-value.ts'

export interface VolumeFacts {
  path: string
  sizeBytes: number
}

/** The problems of the index, and the volumes there are. */
export async function checkClosedIndex(
  needs: { disk: Disk; keyValues: KeyValues },
  folder: string,
): Promise<{ problems: string[]; volumes: VolumeFacts[] }> {
  const index = new StoreIndex(await needs.keyValues.open(join(folder, 'index')))
  const files = new VolumeFiles({ index, disk: needs.disk })
  try {
    const problems = await checkIndex({ index, ledger: new Ledger(index), files })
    const volumes = [...index.volumes()].filter(
      ([, { sizeBytes, state }]) => sizeBytes > 0 && state !== 'emptied',
    )
    return {
      problems,
      volumes: volumes.map(([number, { sizeBytes }]) => ({ path: files.path(number), sizeBytes })),
    }
  } finally {
    await files.close()
    await index.close()
  }
}

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
