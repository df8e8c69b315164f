import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { localWorld } from '../../platform/real/local-world.ts'
import { Spool } from '../../store/spool.ts'
import { Uploads } from './uploads.ts'

const freeAtFirst = 200 * 1024 * 1024

/** On a disk on which only this lies; `reserveBytes` of it are not to be used. */
async function uploadsOf({ bytesMax, reserveBytes }: { bytesMax: number; reserveBytes: number }) {
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-uploads-'))
  onTestFinished(() => rm(home, { recursive: true }))
  let comeBytes = 0
  const { disk } = localWorld()
  const spool = new Spool({ disk }, join(home, 'downloads'))
  const measured = { freeBytes: async () => freeAtFirst - comeBytes }
  const uploads = new Uploads({ disk: measured, spool }, home, { bytesMax, reserveBytes: () => reserveBytes })
  async function* chunks(bytes: number): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    for (let sent = 0; sent < bytes; sent += chunk.length) {
      comeBytes += chunk.length
      yield chunk
    }
  }
  return { uploads, chunks, come: () => comeBytes, files: () => readdir(join(home, 'downloads')) }
}

test('as much may be sent as the setting and the disk allow', async () => {
  const small = await uploadsOf({ bytesMax: 1_000, reserveBytes: 0 })
  assert.equal(await small.uploads.bytesMax(), 1_000)
  const tight = await uploadsOf({ bytesMax: 1e12, reserveBytes: freeAtFirst - 5_000 })
  assert.equal(await tight.uploads.bytesMax(), 5_000)
  const full = await uploadsOf({ bytesMax: 1e12, reserveBytes: 2 * freeAtFirst })
  assert.equal(await full.uploads.bytesMax(), 0)
})

test('a file lies in the spool until it is discarded', async () => {
  const { uploads, chunks, files } = await uploadsOf({ bytesMax: 1e12, reserveBytes: 0 })
  const file = await uploads.receive(chunks(3 * 1024 * 1024))
  assert.deepEqual([file.sizeBytes, (await files()).length], [3 * 1024 * 1024, 1])
  await file.discard()
  assert.deepEqual(await files(), [])
})

test('one that goes on into the reserve is refused in time, and leaves nothing behind', async () => {
  const reserveBytes = 40 * 1024 * 1024
  const { uploads, chunks, come, files } = await uploadsOf({ bytesMax: 1e12, reserveBytes })
  await assert.rejects(uploads.receive(chunks(1e9)), { code: 'store-no-room' })
  assert(come() <= freeAtFirst - reserveBytes, String(come()))
  assert.deepEqual(await files(), [])
})
