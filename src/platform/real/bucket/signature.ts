// AWS Signature Version 4: the Authorization header of a request to an S3 store.
//
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  readonly keyId: string
  readonly secret: string
  /** Of credentials that expire. */
  readonly sessionToken?: string | undefined
}

export interface RequestToSign {
  readonly method: string
  readonly url: URL
  /** All of them are signed; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodySha256: string
}

const algorithm = 'AWS4-HMAC-SHA256'

/** All headers to send: those given, and those that the signature needs. `host` is left to whoever sends it. */
export function signedHeaders(
  { method, url, headers, bodySha256 }: RequestToSign,
  { keyId, secret, sessionToken }: Credentials,
  region: string,
  nowMs: number,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const all: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': bodySha256,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  }
  const signed = { ...all, host: url.host }
  const names = Object.keys(signed).sort()
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${signed[name as keyof typeof signed].trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodySha256,
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = [algorithm, time, scope, sha256(canonical)].join('\n')
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const signature = hmac(key, text).toString('hex')
  const authorization = `${algorithm} Credential=${keyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`
  return { ...all, authorization }
}

/** As the signature has it: everything but letters, digits and `-._~` in percent. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => [uriEncoded(name), uriEncoded(value)] as const)
    .sort(([left, one], [right, other]) => (left === right ? order(one, other) : order(left, right)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function order(left: string, right: string): number {
  return left < right ? -1 : 1
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
