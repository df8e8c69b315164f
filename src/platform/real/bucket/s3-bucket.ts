// A bucket by the REST interface of S3, over fetch: requests signed, tried again a few times where that may help, bounded in time
// and size. Why not Amazon's client: docs/decisions/0122.

import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { jittered, type Random } from '../../random.ts'
import {
  type Bucket,
  BucketError,
  bucketAddress,
  type ObjectInfo,
  parseBucketAddress,
  type UploadedPart,
} from '../../storage/bucket.ts'
import { elementOf, elementsOf } from './s3-answers.ts'
import { type S3Settings, urlOf } from './s3-settings.ts'
import { sha256, signedHeaders } from './signature.ts'

interface S3Options {
  /** Tries of a request that may pass another time. */
  readonly triesMax: number
  /** Before the second try; then twice as long each time, a little more or less. */
  readonly backoffMs: number
  /** Of one try, with all that is sent and received. */
  readonly requestMsMax: number
}

interface Request {
  readonly method: string
  /** Below the prefix; undefined for the bucket itself. */
  readonly name?: string | undefined
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Of the answer. */
  readonly bytesMax?: number
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

const optionsDefault: S3Options = { triesMax: 5, backoffMs: 200, requestMsMax: 300_000 }
const listBytesMax = 16 * 1024 * 1024
/** A list that never ends is no list. */
const listPagesMax = 100_000

export class S3Bucket implements Bucket {
  readonly address: string
  readonly #needs: { readonly clock: Clock; readonly random: Random }
  readonly #settings: () => S3Settings
  readonly #options: S3Options
  readonly #bucket: string
  readonly #prefix: string

  /** `settings` is asked for every request: without credentials a request fails, not the program. */
  constructor(
    needs: { clock: Clock; random: Random },
    address: string,
    settings: () => S3Settings,
    options: Partial<S3Options> = {},
  ) {
    this.#needs = needs
    this.#settings = settings
    this.#options = { ...optionsDefault, ...options }
    this.address = bucketAddress(address)
    const { bucket, prefix } = parseBucketAddress(address)
    this.#bucket = bucket
    this.#prefix = prefix
  }

  async head(name: string): Promise<ObjectInfo | undefined> {
    try {
      const { headers } = await this.#ask({ method: 'HEAD', name })
      return {
        sizeBytes: Number(headers.get('content-length') ?? Number.NaN),
        etag: etagIn(headers),
        sha256: headers.get('x-amz-meta-sha256') ?? undefined,
      }
    } catch (error) {
      if (error instanceof BucketError && error.code === 'bucket-object-missing') return undefined
      throw error
    }
  }

  async *list(): AsyncGenerator<{ name: string; sizeBytes: number }> {
    let token: string | undefined
    for (let page = 0; page < listPagesMax; page++) {
      const xml = await this.#askXml({
        method: 'GET',
        query: {
          'list-type': '2',
          prefix: this.#prefix,
          delimiter: '/',
          ...(token !== undefined && { 'continuation-token': token }),
        },
      })
      for (const item of elementsOf(xml, 'Contents')) {
        const name = elementOf(item, 'Key')?.slice(this.#prefix.length)
        if (name) yield { name, sizeBytes: Number(elementOf(item, 'Size')) }
      }
      token = elementOf(xml, 'NextContinuationToken')
      if (elementOf(xml, 'IsTruncated') !== 'true' || token === undefined) return
    }
  }

  async read(name: string, offset: number, length: number, etag: string): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0)
    const range = `bytes=${offset}-${offset + length - 1}`
    return this.#trying(`GET ${name}`, async () => {
      const { status, headers, bytes } = await this.#askOnce({
        method: 'GET',
        name,
        headers: { range },
        bytesMax: length,
      })
      if (etagIn(headers) !== etag)
        throw this.#wrong(name, 'another object lies there than the one that was opened')
      if (status !== 206 || bytes.length !== length)
        throw this.#wrong(name, `${bytes.length} bytes came where ${length} were asked for`)
      return bytes
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#ask({ method: 'PUT', name, body: bytes, headers: { 'content-md5': md5(bytes, 'base64') } })
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#ask({ method: 'DELETE', name })
    } catch (error) {
      if (!(error instanceof BucketError) || error.code !== 'bucket-object-missing') throw error
    }
  }

  async uploads(name: string): Promise<string[]> {
    const key = this.#prefix + name
    const xml = await this.#askXml({ method: 'GET', query: { uploads: '', prefix: key } })
    return elementsOf(xml, 'Upload')
      .filter((upload) => elementOf(upload, 'Key') === key)
      .map((upload) => ({
        id: elementOf(upload, 'UploadId') ?? '',
        at: elementOf(upload, 'Initiated') ?? '',
      }))
      .filter(({ id }) => id !== '')
      .sort((left, right) => (left.at < right.at ? -1 : 1))
      .map(({ id }) => id)
  }

  async beginUpload(name: string, metadata: Readonly<Record<string, string>>): Promise<string> {
    const headers = Object.fromEntries(
      Object.entries(metadata).map(([field, value]) => [`x-amz-meta-${field}`, value]),
    )
    const xml = await this.#askXml({ method: 'POST', name, query: { uploads: '' }, headers })
    const id = elementOf(xml, 'UploadId')
    if (id) return id
    throw this.#wrong(name, 'an upload was begun, and has no name')
  }

  async parts(name: string, upload: string): Promise<UploadedPart[]> {
    const parts: UploadedPart[] = []
    let marker: string | undefined
    for (let page = 0; page < listPagesMax; page++) {
      const query = { uploadId: upload, ...(marker !== undefined && { 'part-number-marker': marker }) }
      const xml = await this.#askXml({ method: 'GET', name, query })
      for (const part of elementsOf(xml, 'Part')) {
        const [number, sizeBytes] = [Number(elementOf(part, 'PartNumber')), Number(elementOf(part, 'Size'))]
        parts.push({ number, sizeBytes, etag: unquoted(elementOf(part, 'ETag') ?? '') })
      }
      marker = elementOf(xml, 'NextPartNumberMarker')
      if (elementOf(xml, 'IsTruncated') !== 'true' || marker === undefined) break
    }
    return parts
  }

  async putPart(name: string, upload: string, number: number, bytes: Uint8Array): Promise<UploadedPart> {
    const { headers } = await this.#ask({
      method: 'PUT',
      name,
      query: { partNumber: String(number), uploadId: upload },
      headers: { 'content-md5': md5(bytes, 'base64') },
      body: bytes,
    })
    return { number, etag: etagIn(headers), sizeBytes: bytes.length }
  }

  async completeUpload(name: string, upload: string, parts: readonly UploadedPart[]): Promise<void> {
    const lines = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${lines.join('')}</CompleteMultipartUpload>`)
    const xml = await this.#askXml({ method: 'POST', name, query: { uploadId: upload }, body })
    // It may begin its answer before it knows, and then say 200 all the same.
    if (xml.includes('<Error>')) throw this.#refusal(200, xml, name)
  }

  async abortUpload(name: string, upload: string): Promise<void> {
    try {
      await this.#ask({ method: 'DELETE', name, query: { uploadId: upload } })
    } catch (error) {
      if (!(error instanceof BucketError) || error.code !== 'bucket-object-missing') throw error
    }
  }

  async #askXml(request: Request): Promise<string> {
    return (await this.#ask({ ...request, bytesMax: listBytesMax })).bytes.toString()
  }

  #ask(request: Request): Promise<Answer> {
    return this.#trying(`${request.method} ${request.name ?? ''}`, () => this.#askOnce(request))
  }

  /** Again where that may help. */
  async #trying<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { clock, random } = this.#needs
    const { triesMax, backoffMs } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof BucketError) || !mayPass.has(error.code)) throw error
        if (tries >= triesMax)
          throw new BucketError(error.code, `${error.message} (${what}, tried ${tries} times)`, error)
        await clock.sleep(jittered(backoffMs * 2 ** (tries - 1), 0.5, random))
      }
    }
  }

  async #askOnce({
    method,
    name,
    query = {},
    headers = {},
    body,
    bytesMax = 1024 * 1024,
  }: Request): Promise<Answer> {
    const settings = this.#settings()
    const url = urlOf(settings, this.#bucket, name === undefined ? '' : this.#prefix + name)
    for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value)
    const bodySha256 = sha256(body ?? '')
    const signed = signedHeaders(
      { method, url, headers, bodySha256 },
      settings.credentials,
      settings.region,
      this.#needs.clock.nowMs(),
    )
    let answer: Answer
    try {
      const response = await fetch(url, {
        method,
        // Without it fetch undoes content codings, and bytes are to come as they lie there.
        headers: { ...signed, 'accept-encoding': 'identity' },
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#options.requestMsMax),
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      })
      const bytes = await bytesIn(response, Math.max(bytesMax, errorBytesMax))
      answer = { status: response.status, headers: response.headers, bytes }
    } catch (error) {
      if (error instanceof BucketError) throw error
      throw this.#unreachable(url, error)
    }
    if (answer.status >= 200 && answer.status < 300) return answer
    throw this.#refusal(answer.status, answer.bytes.toString(), name)
  }

  #unreachable(url: URL, error: unknown): BucketError {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = cause instanceof Error ? cause.message || cause.name : String(cause)
    return new BucketError(
      'bucket-unreachable',
      `${this.address}: ${url.host} does not answer: ${why}`,
      error,
    )
  }

  #wrong(name: string, why: string): BucketError {
    return new BucketError('bucket-wrong-answer', `${this.address}/${name}: ${why}`)
  }

  #refusal(status: number, xml: string, name: string | undefined): BucketError {
    const code = elementOf(xml, 'Code') ?? ''
    const said = [code, elementOf(xml, 'Message')]
      .filter((text) => text)
      .join(': ')
      .slice(0, 500)
    const place = name === undefined ? this.address : `${this.address}/${name}`
    const told = `${place}: ${said || `status ${status}`}`
    if (code === 'NoSuchBucket') return new BucketError('bucket-missing', `${told}. Make the bucket first.`)
    if (status === 404) return new BucketError('bucket-object-missing', told)
    if (/Expired/.test(code))
      return new BucketError(
        'bucket-not-permitted',
        `${told}. Start this program again with fresh credentials.`,
      )
    if (code === 'RequestTimeTooSkewed')
      return new BucketError('bucket-not-permitted', `${told}. Set the clock of this machine.`)
    if (status === 401 || status === 403) {
      // A HEAD is refused without a word.
      const advice = code === '' ? '. The credentials are wrong or expired, or may not do this.' : ''
      return new BucketError('bucket-not-permitted', `${told}${advice}`)
    }
    if (status >= 300 && status < 400)
      return new BucketError('bucket-wrong-answer', `${told}. Set AWS_REGION to the region of the bucket.`)
    if (status === 429 || status >= 500 || code === 'SlowDown' || code === 'InternalError')
      return new BucketError('bucket-busy', told)
    // Bytes that changed on their way are refused so.
    if (code === 'BadDigest' || code === 'XAmzContentSHA256Mismatch' || code === 'RequestTimeout')
      return new BucketError('bucket-wrong-answer', told)
    return new BucketError('bucket-not-permitted', told)
  }
}

const mayPass = new Set(['bucket-unreachable', 'bucket-busy', 'bucket-wrong-answer'])
const errorBytesMax = 64 * 1024

/** No more than was asked for, whatever comes. */
async function bytesIn(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > bytesMax)
      throw new BucketError('bucket-wrong-answer', `${response.url}: more than ${bytesMax} bytes came`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function etagIn(headers: Headers): string {
  return unquoted(headers.get('etag') ?? '')
}

function unquoted(etag: string): string {
  return etag.replace(/^"|"$/g, '')
}

export function md5(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  return createHash('md5').update(bytes).digest(encoding)
}
