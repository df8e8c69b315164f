import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startTestS3, type TestS3, testBucket } from '../../fixtures/s3-server.ts'
import { parseBucketAddress } from '../../storage/bucket.ts'
import { RealClock } from '../clock.ts'
import { RealRandom } from '../random.ts'
import { S3Bucket } from './s3-bucket.ts'
import { s3SettingsFrom, urlOf } from './s3-settings.ts'

function bucketOn({ environment }: Pick<TestS3, 'environment'>, more: Record<string, string> = {}): S3Bucket {
  const needs = { clock: new RealClock(), random: new RealRandom() }
  const settings = () => s3SettingsFrom({ ...environment, ...more })
  return new S3Bucket(needs, `s3://${testBucket}/some/where/`, settings, { backoffMs: 1, triesMax: 3 })
}

const bytes = Buffer.from('0123456789')

test('objects are put, listed over many pages, read by range and removed', async () => {
  const s3 = await startTestS3()
  const bucket = bucketOn(s3)
  assert.equal(bucket.address, 's3://archive/some/where')
  for (let number = 0; number < 7; number++) await bucket.put(`object-${number}.txt`, bytes)
  s3.objects.set('elsewhere/other.txt', bytes)
  assert.deepEqual(
    await Array.fromAsync(bucket.list(), ({ name, sizeBytes }) => [name, sizeBytes]),
    Array.from({ length: 7 }, (_, number) => [`object-${number}.txt`, 10]),
  )
  const info = await bucket.head('object-3.txt')
  assert.equal(info?.sizeBytes, 10)
  assert.equal(Buffer.from(await bucket.read('object-3.txt', 2, 5, info!.etag)).toString(), '23456')
  await bucket.remove('object-3.txt')
  await bucket.remove('object-3.txt')
  assert.equal(await bucket.head('object-3.txt'), undefined)
})

test('an upload in parts is found again, and completed', async () => {
  const s3 = await startTestS3()
  const bucket = bucketOn(s3)
  const upload = await bucket.beginUpload('large', { sha256: 'abc' })
  const first = await bucket.putPart('large', upload, 1, bytes)
  assert.deepEqual(await bucket.uploads('large'), [upload])
  assert.deepEqual(await bucket.uploads('lar'), [])
  assert.deepEqual(await bucket.parts('large', upload), [first])
  const second = await bucket.putPart('large', upload, 2, Buffer.from('more'))
  assert.equal(await bucket.head('large'), undefined)
  await bucket.completeUpload('large', upload, [first, second])
  assert.equal(s3.objects.get('some/where/large')?.toString(), '0123456789more')
  assert.equal(s3.uploads.size, 0)
})

test('what may pass is tried again, so often and no more', async () => {
  const s3 = await startTestS3()
  const bucket = bucketOn(s3)
  const outcomes = ['hang-up', { status: 503, code: 'SlowDown' }, undefined] as const
  let asked = 0
  s3.fault = () => outcomes[asked++]
  await bucket.put('object', bytes)
  assert.equal(asked, 3)
  s3.fault = () => ({ status: 503, code: 'SlowDown' })
  s3.requests.length = 0
  await assert.rejects(bucket.put('object', bytes), {
    code: 'bucket-busy',
    retry: 'later',
    message: /SlowDown.*tried 3 times/,
  })
  assert.equal(s3.requests.length, 3)
})

test('half an answer, and one of another object, are no answers', async () => {
  const s3 = await startTestS3()
  const bucket = bucketOn(s3)
  await bucket.put('object', bytes)
  const { etag } = (await bucket.head('object'))!
  s3.fault = ({ method }) => (method === 'GET' ? 'cut' : undefined)
  await assert.rejects(bucket.read('object', 0, 10, etag), { code: 'bucket-unreachable' })
  s3.fault = () => undefined
  await bucket.put('object', Buffer.from('another!!!'))
  await assert.rejects(bucket.read('object', 0, 10, etag), {
    code: 'bucket-wrong-answer',
    message: /another object/,
  })
  await bucket.put('object', bytes.subarray(0, 4))
  const now = (await bucket.head('object'))!
  await assert.rejects(bucket.read('object', 0, 10, now.etag), {
    code: 'bucket-wrong-answer',
    message: /4 bytes came/,
  })
})

test('who may not, and why, is told at once', async () => {
  const s3 = await startTestS3()
  await assert.rejects(bucketOn(s3, { AWS_SECRET_ACCESS_KEY: 'wrong' }).put('object', bytes), {
    code: 'bucket-not-permitted',
    message: /SignatureDoesNotMatch/,
  })
  await assert.rejects(bucketOn(s3, { AWS_ACCESS_KEY_ID: '' }).put('object', bytes), {
    code: 'bucket-no-credentials',
    message: /AWS_ACCESS_KEY_ID/,
  })
  assert.equal(s3.requests.length, 0)
  s3.fault = () => ({ status: 400, code: 'ExpiredToken' })
  await assert.rejects(bucketOn(s3).put('object', bytes), {
    code: 'bucket-not-permitted',
    message: /fresh credentials/,
  })
  s3.fault = () => ({ status: 404, code: 'NoSuchBucket' })
  await assert.rejects(bucketOn(s3).put('object', bytes), { code: 'bucket-missing' })
  assert.equal(s3.requests.length, 2)
  await s3.close()
  await assert.rejects(bucketOn(s3).put('object', bytes), { code: 'bucket-unreachable' })
})

test('session tokens are signed, too', async () => {
  const s3 = await startTestS3()
  await bucketOn(s3, { AWS_SESSION_TOKEN: 'token' }).put('object', bytes)
  assert.equal(s3.objects.size, 1)
})

test('addresses lead to the endpoint, or to Amazon', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  const at = (more: Record<string, string>, bucket = 'books') =>
    urlOf(s3SettingsFrom({ ...keys, ...more }), bucket, 'a b/c.warc.gz').href
  assert.equal(
    at({ AWS_ENDPOINT_URL: 'http://localhost:9000/' }),
    'http://localhost:9000/books/a%20b/c.warc.gz',
  )
  assert.equal(
    at({ AWS_ENDPOINT_URL: 'http://no', AWS_ENDPOINT_URL_S3: 'http://yes' }),
    'http://yes/books/a%20b/c.warc.gz',
  )
  assert.equal(at({ AWS_REGION: 'eu-west-1' }), 'https://books.s3.eu-west-1.amazonaws.com/a%20b/c.warc.gz')
  assert.equal(at({}, 'my.books'), 'https://s3.us-east-1.amazonaws.com/my.books/a%20b/c.warc.gz')
  assert.throws(() => at({ AWS_ENDPOINT_URL: 'ftp://a' }), { code: 'bucket-bad-address' })
  for (const bad of ['s3://', 's3:///a', 's3://b/../c', 's3://b/a b', 's3://-x/'])
    assert.throws(() => parseBucketAddress(bad), { code: 'bucket-bad-address' })
})
