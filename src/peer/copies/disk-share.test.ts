import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parseUrl } from '../../record/url.ts'
import { StoreError } from '../../store/store-error.ts'
import { openStore } from '../../store-library.ts'
import { withTemporaryFolder } from '../../world/fixtures/temporary-folder.ts'
import { DiskShare } from './disk-share.ts'

const shareBytes = 8_000_000

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const infos = await Promise.all(names.map((name) => stat(join(folder, name))))
  return infos.reduce((sum, { blocks }) => sum + 512 * blocks, 0)
}

describe('the share of a disk', () => {
  test('is never exceeded; what does not fit is refused with the reason, and the rest stays readable', () =>
    withTemporaryFolder(async (folder) => {
      const share = new DiskShare([folder], shareBytes, () => performance.now())
      const store = await openStore(join(folder, 'store'), { share, reserveBytes: 0 })
      const append = (number: number) =>
        store.append({
          url: parseUrl(`https://example.org/${number}`),
          capturedAtMs: number,
          block: Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), randomBytes(50_000)]),
        })
      let kept = 0
      let refusal: unknown
      while (refusal === undefined && kept < 1_000) {
        try {
          await Promise.all(Array.from({ length: 8 }, (_, index) => append(kept + index)))
          kept += 8
        } catch (error) {
          refusal = error
        }
      }
      assert.ok(refusal instanceof StoreError && refusal.code === 'store-no-room')
      assert.match(refusal.message, /8MB.*--share/)
      assert.ok(kept > 80, `${kept} fit`)
      assert.ok((await bytesOf(folder)) <= shareBytes)
      assert.equal((await share.state()).state, 'full')
      const [capture] = store.versions(parseUrl('https://example.org/3'))
      assert.equal((await store.read(capture!)).sizeBytes, 50_000)
      await store.close()
    }))

  test('counts volumes on other disks too', () =>
    withTemporaryFolder(async (folder) => {
      const [home, elsewhere] = [join(folder, 'home'), join(folder, 'elsewhere')]
      await mkdir(home)
      await mkdir(elsewhere)
      await writeFile(join(elsewhere, 'volume'), randomBytes(2_000_000), { flush: true })
      const share = new DiskShare([home], shareBytes, () => performance.now())
      share.count(elsewhere)
      assert.ok((await share.state()).usedBytes >= 2_000_000)
    }))
})
