// An answer with its body as it was sent: nothing decoded, no redirect followed, no URL made nicer.

import { type RequestOptions, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Post } from './samples.ts'

export interface RawAnswer {
  readonly status: number
  /** Content-Encoding, if it has one. */
  readonly encoding: string | undefined
  readonly body: Buffer
  /** Of a redirect. */
  readonly location?: string | undefined
}

export interface Asked {
  readonly port: number
  /** Of the Host header; the connection is to this machine in any case. */
  readonly host: string
  /** With the archived URL as it is. */
  readonly path: string
  readonly post?: Post | undefined
  /** Of the answer's head; what Node takes unless told. */
  readonly headBytesMax?: number | undefined
}

const answerMsMax = 60_000

export function rawAnswer({ port, host, path, post, headBytesMax }: Asked): Promise<RawAnswer> {
  const headers: Record<string, string | number> = { Host: `${host}:${port}`, 'Accept-Encoding': 'gzip, br' }
  if (post !== undefined) {
    headers['Content-Type'] = post.contentType
    headers['Content-Length'] = Buffer.byteLength(post.body)
  }
  const options: RequestOptions = {
    host: 'localhost',
    port,
    path,
    headers,
    method: post === undefined ? 'GET' : 'POST',
    // A connection each: what is wrong with one answer does not spoil the next.
    agent: false,
    ...(headBytesMax && { maxHeaderSize: headBytesMax }),
    signal: AbortSignal.timeout(answerMsMax),
  }
  return new Promise((resolve, reject) => {
    const asking = request(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const { 'content-encoding': encoding, location } = response.headers
        resolve({ status: response.statusCode ?? 0, encoding, body: Buffer.concat(parts), location })
      })
    })
    asking.on('error', reject)
    asking.end(post?.body)
  })
}

/** The body without its content coding. */
export function decodedBody({ encoding, body }: RawAnswer): Buffer {
  if (encoding === 'gzip') return gunzipSync(body)
  if (encoding === 'br') return brotliDecompressSync(body)
  return body
}
