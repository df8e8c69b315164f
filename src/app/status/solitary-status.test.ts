import assert from 'node:assert/strict'
import { test } from 'vitest'
import { statusText } from '../../cli/commands/network/status.ts'
import { startTestS3 } from '../../platform/fixtures/s3-server.ts'
import { S3Bucket } from '../../platform/real/bucket/s3-bucket.ts'
import { s3SettingsFrom } from '../../platform/real/bucket/s3-settings.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { SolitaryStatus } from './solitary-status.ts'

test('the status is not "well" while a takedown hides much of the archive, and is again when it was released', async () => {
  const store = await openStore({ takedownUndoMs: 60_000 })
  for (let page = 0; page < 30; page++)
    await store.append(pageCapture(`http://a.example/${page}`, 0, `page ${page}`))
  const status = new SolitaryStatus({ store })
  const text = async () => statusText(await status.status(), 120)
  assert.match(await text(), /^State +well$/m)
  await store.takedown({ kind: 'url', url: 'http://a.example/1' })
  assert.match(await text(), /^State +well$/m)
  await store.takedown({ kind: 'site', site: 'a.example' }, '', { by: 'somebody-bad' })
  assert.doesNotMatch(await text(), /^State +well$/m)
  assert.match(await text(), /^Warning +29 of 29 captures of this archive are hidden .* …body-bad asked for/m)
  await store.release({ kind: 'site', site: 'a.example' })
  assert.match(await text(), /^State +well$/m)
})

test('a bucket that does not answer is told', async () => {
  const s3 = await startTestS3()
  const world = localWorld()
  const openBucket = (place: string) =>
    new S3Bucket(world, place, () => s3SettingsFrom(s3.environment), { backoffMs: 1, triesMax: 2 })
  const store = await openStore({}, undefined, { ...world, openBucket })
  const status = new SolitaryStatus({ store })
  await store.volumes.setFolder('s3://archive/volumes', 'writable')
  assert.deepEqual((await status.status()).lacks, [])
  s3.fault = () => ({ status: 403, code: 'ExpiredToken' })
  await store.uploadClosed().catch(() => {})
  const { lacks } = await status.status()
  assert.equal(lacks.length, 1)
  assert.match(statusText(await status.status(), 120), /^Lacks +Bucket/m)
  assert.match(lacks[0]!, /^Bucket s3:\/\/archive\/volumes has not answered since .* UTC, .*expired/)
})
