import assert from 'node:assert/strict'
import { test } from 'vitest'
import { JobError } from '../crawl/jobs/job-error.ts'
import { BucketError } from '../platform/storage/bucket.ts'
import { StoreError } from '../store/store-error.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { PeerError } from './peer/peer-client.ts'

test.each([
  [new JobError('job-too-large', ''), exitCodes.usage],
  [new StoreError('store-bucket-taken', ''), exitCodes.usage],
  [new BucketError('bucket-bad-address', ''), exitCodes.configuration],
  [new BucketError('bucket-no-credentials', ''), exitCodes.configuration],
  [new BucketError('bucket-missing', ''), exitCodes.configuration],
  [new StoreError('store-bucket-unavailable', ''), exitCodes.later],
  [new PeerError('job-unknown', '', { retry: 'never' }), exitCodes.notFound],
  [new PeerError('site-not-movable', '', { retry: 'never' }), exitCodes.no],
  [new TypeError('null has no such field'), exitCodes.fault],
])('%s ends a command with %i: only what nobody foresaw is a fault of the program', (error, code) => {
  assert.equal(exitCodeOf(error), code)
})
