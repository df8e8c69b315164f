import assert from 'node:assert/strict'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { withTemporaryFolder } from '../../../platform/fixtures/temporary-folder.ts'
import { silentLog } from '../../../platform/log.ts'
import { RealDisk } from '../../../platform/real/disk/disk.ts'
import { BlockCache, blockBytes } from './block-cache.ts'

const blockOf = (text: string, length = blockBytes) => Buffer.alloc(length, text)
const isSame = (bytes: Uint8Array | undefined, expected: Buffer) =>
  bytes !== undefined && expected.equals(bytes)

test('a cache is as large as it may be, and the block that was used least recently goes', () =>
  withTemporaryFolder(async (folder) => {
    const path = join(folder, 'cache')
    const cache = new BlockCache({ disk: new RealDisk(), log: silentLog }, path, {
      bytesMax: 2 * blockBytes,
      reserveBytes: 0,
    })
    await cache.put('a', blockOf('a'))
    await cache.put('b', blockOf('b', 1_000))
    assert.ok(isSame(await cache.get('a'), blockOf('a')))
    await cache.put('c', blockOf('c'))
    assert.equal(await cache.get('b'), undefined)
    assert.ok(isSame(await cache.get('a'), blockOf('a')))
    assert.ok(isSame(await cache.get('c'), blockOf('c')))
    assert.equal(cache.usedBytes, 2 * blockBytes)
    assert.ok((await stat(path)).size <= 2 * blockBytes)
    await cache.close()
    await assert.rejects(stat(path))
  }))

test('what has rotted in it is no block, and a disk without room costs nothing but the cache', () =>
  withTemporaryFolder(async (folder) => {
    const path = join(folder, 'cache')
    const needs = { disk: new RealDisk(), log: silentLog }
    const cache = new BlockCache(needs, path, { bytesMax: blockBytes, reserveBytes: 0 })
    await cache.put('a', blockOf('a'))
    const file = await open(path, 'r+')
    await file.write('x', 100)
    await file.close()
    assert.equal(await cache.get('a'), undefined)
    await cache.put('a', blockOf('a'))
    assert.ok(isSame(await cache.get('a'), blockOf('a')))
    await cache.close()
    const full = new BlockCache(needs, path, { bytesMax: blockBytes, reserveBytes: Number.MAX_SAFE_INTEGER })
    await full.put('a', blockOf('a'))
    assert.equal(await full.get('a'), undefined)
    await full.close()
  }))
