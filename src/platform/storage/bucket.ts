// A bucket: objects by name in a store elsewhere that speaks S3, as the rest of the program may see it.
//
// Names are below the prefix of the bucket's address. An object is whole or not there: a half upload is no object. Answers are
// bounded by what was asked for. Whoever asks is told what is wrong by a BucketError, after a few tries of what may pass.

import { errorFamily } from '../../errors.ts'

export class BucketError extends errorFamily({
  /** No connection, or no answer in time. */
  'bucket-unreachable': 'later',
  /** It answers that it cannot now: 5xx, or too many requests. */
  'bucket-busy': 'later',
  /** Wrong or expired credentials, or a rule of the bucket. */
  'bucket-not-permitted': 'later',
  /** This program was told of none. */
  'bucket-no-credentials': 'later',
  /** There is no such bucket. */
  'bucket-missing': 'later',
  'bucket-object-missing': 'never',
  /** Not what was asked for: another object than the one that was opened, too few bytes, no S3 at all. */
  'bucket-wrong-answer': 'later',
  'bucket-bad-address': 'never',
}) {}

export interface ObjectInfo {
  readonly sizeBytes: number
  /** Changes when the object does. */
  readonly etag: string
  /** As whoever uploaded it said, in hex. */
  readonly sha256?: string | undefined
}

export interface UploadedPart {
  readonly number: number
  readonly etag: string
  readonly sizeBytes: number
}

export interface Bucket {
  /** `s3://bucket/prefix`. */
  readonly address: string
  /** undefined when there is no such object. */
  head(name: string): Promise<ObjectInfo | undefined>
  /** Every object directly below the prefix. */
  list(): AsyncIterable<{ name: string; sizeBytes: number }>
  /** As many bytes as were asked for, all of the object that `etag` names. */
  read(name: string, offset: number, length: number, etag: string): Promise<Uint8Array>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Fine when it is not there. */
  remove(name: string): Promise<void>
  /** Uploads of this name that were begun and not completed, the newest last. */
  uploads(name: string): Promise<string[]>
  beginUpload(name: string, metadata: Readonly<Record<string, string>>): Promise<string>
  /** What has come of an upload. */
  parts(name: string, upload: string): Promise<UploadedPart[]>
  /** Numbered from 1. Taken only if the bytes come as they were sent. */
  putPart(name: string, upload: string, number: number, bytes: Uint8Array): Promise<UploadedPart>
  completeUpload(name: string, upload: string, parts: readonly UploadedPart[]): Promise<void>
  abortUpload(name: string, upload: string): Promise<void>
}

export type OpenBucket = (address: string) => Bucket

export function isBucketAddress(path: string): boolean {
  return path.startsWith('s3://')
}

/** Throws 'bucket-bad-address'. The prefix is empty or ends with a slash. */
export function parseBucketAddress(address: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-zA-Z0-9][\w.-]{1,62})(?:\/(.*))?$/.exec(address) ?? []
  const parts = path.split('/').filter((part) => part !== '')
  if (bucket === undefined || parts.some((part) => !/^[\w.=+@-]{1,200}$/.test(part) || /^\.+$/.test(part)))
    throw new BucketError(
      'bucket-bad-address',
      `${address} is no address of a bucket. Write s3://BUCKET/PREFIX, with letters, digits and . - _ = + @ in it.`,
    )
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') }
}

/** One way to write each: without a slash at its end. */
export function bucketAddress(address: string): string {
  const { bucket, prefix } = parseBucketAddress(address)
  return `s3://${bucket}/${prefix}`.replace(/\/$/, '')
}
