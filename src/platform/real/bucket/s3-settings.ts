// Where S3 is and who we are there, from the environment that every S3 program reads. Nothing else names an endpoint: no peer, no
// request, no file in a bucket.

import { BucketError } from '../../storage/bucket.ts'
import { type Credentials, uriEncoded } from './signature.ts'

export interface S3Settings {
  readonly credentials: Credentials
  readonly region: string
  /** undefined: Amazon's own. */
  readonly endpoint: URL | undefined
}

/** Throws BucketError. */
export function s3SettingsFrom(environment: NodeJS.ProcessEnv): S3Settings {
  const keyId = environment.AWS_ACCESS_KEY_ID
  const secret = environment.AWS_SECRET_ACCESS_KEY
  if (!keyId || !secret)
    throw new BucketError(
      'bucket-no-credentials',
      'There are no credentials for S3. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of this program.',
    )
  return {
    credentials: { keyId, secret, sessionToken: environment.AWS_SESSION_TOKEN || undefined },
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1',
    endpoint: endpointFrom(environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL),
  }
}

/** With an endpoint of one's own the bucket is in the path, which every server understands. */
export function urlOf({ endpoint, region }: S3Settings, bucket: string, key: string): URL {
  const path = key.split('/').map(uriEncoded).join('/')
  if (endpoint !== undefined) return new URL(`${endpoint.href.replace(/\/$/, '')}/${bucket}/${path}`)
  // A certificate for *.s3… covers no dots.
  if (bucket.includes('.')) return new URL(`https://s3.${region}.amazonaws.com/${bucket}/${path}`)
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${path}`)
}

function endpointFrom(text: string | undefined): URL | undefined {
  if (!text) return undefined
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new BucketError(
    'bucket-bad-address',
    `AWS_ENDPOINT_URL is ${text}: write a URL such as https://s3.example.org`,
  )
}
