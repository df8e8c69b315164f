// What the judges are given to read: one sample of every kind of answer that an export must carry over. Some are crawled from a
// loopback site, others come in a WARC file: see imported-warc.ts.
//
// A sample knows the bytes that were sent, so that it is not only our own replay that the judges are compared with.

import { createCipheriv } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export interface Post {
  readonly contentType: string
  readonly body: string
}

export interface Sample {
  readonly kind: string
  readonly url: string
  readonly post?: Post
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What is sent: of a page that changes, first the one and then the other. Encoded, but not in chunks. */
  readonly bodies: readonly Buffer[]
  readonly isChunked: boolean
}

type More = Partial<Omit<Sample, 'kind' | 'url' | 'bodies'>>

const html = { 'Content-Type': 'text/html; charset=utf-8' }
const binary = { 'Content-Type': 'application/octet-stream' }
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** More than exports take into memory. */
const largeBytes = 5_000_000
const chunkBytes = 501
/** Longer than the keys of our index, shorter than the request lines that pywb's server takes. */
const longPath = `/long/${'a-folder-with-a-long-name/'.repeat(120)}?${'parameter=value&'.repeat(60)}end=1`

function page(title: string): Buffer {
  const lines = Array.from({ length: 40 }, (_, number) => `<p>${title}, line ${number}: naïve, 日本, 🙂</p>`)
  return Buffer.from(
    `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>\n${lines.join('\n')}\n`,
  )
}

/** Bytes that do not compress; the same for the same seed. */
function noise(seed: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16)).update(
    Buffer.alloc(largeBytes),
  )
}

function sample(kind: string, url: string, body: Buffer | readonly Buffer[], more: More = {}): Sample {
  const bodies = Buffer.isBuffer(body) ? [body] : (body as readonly Buffer[])
  return { kind, url, bodies, status: 200, headers: html, isChunked: false, ...more }
}

/** Answered by `answerWith` at this origin. */
export function crawledSamples(origin: string): Sample[] {
  const of = (kind: string, path: string, body: Buffer | readonly Buffer[], more?: More): Sample =>
    sample(kind, origin + path, body, more)
  const encoded = (encoding: string): Sample['headers'] => ({ ...html, 'Content-Encoding': encoding })
  return [
    of('plain page', '/', page('Plain')),
    of('gzip', '/gzip', gzipSync(page('Gzip')), { headers: encoded('gzip') }),
    of('brotli', '/brotli', brotliCompressSync(page('Brotli')), { headers: encoded('br') }),
    of('chunked', '/chunked', page('Chunked'), { isChunked: true }),
    of('chunked, same content', '/chunked-copy', page('Chunked'), { isChunked: true }),
    of('not chunked, same content', '/chunked-not', page('Chunked')),
    of('chunked and gzip', '/chunked-gzip', gzipSync(page('Both')), {
      isChunked: true,
      headers: encoded('gzip'),
    }),
    of('same content', '/copy-1', page('Copy')),
    of('same content', '/copy-2', page('Copy')),
    of('changed page', '/changed', [page('Before'), page('After')]),
    of('unchanged by ETag', '/etag', page('ETag'), { headers: { ...html, ETag: '"one"' } }),
    of('redirect', '/redirect', Buffer.from('<p>Moved'), {
      status: 302,
      headers: { ...html, Location: `${origin}/` },
    }),
    of('page with the content of a redirect', '/redirect-not', Buffer.from('<p>Moved')),
    of('image', '/dot.png', png, { headers: { 'Content-Type': 'image/png' } }),
    of('404', '/missing', page('Not here'), { status: 404 }),
    of('long URL', longPath, page('Long')),
    of('not UTF-8', '/windows-1251', windows1251Page(), {
      headers: { 'Content-Type': 'text/html; charset=windows-1251' },
    }),
    of('empty', '/empty', Buffer.alloc(0)),
    of('large, chunked', '/large', noise(1), { isChunked: true, headers: binary }),
    of('large, same content', '/large-copy', noise(1), { headers: binary }),
  ]
}

function windows1251Page(): Buffer {
  const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x98, 0xff])
  return Buffer.concat([
    Buffer.from('<title>'),
    cyrillic,
    Buffer.from('</title><p>'),
    cyrillic,
    Buffer.from('\n'),
  ])
}

/** `round`: how often the site was crawled before. */
export function answerWith(
  samples: readonly Sample[],
  origin: string,
  round: number,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const found = samples.find(({ url }) => url === origin + request.url)
  if (found === undefined) {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('none\n')
    return
  }
  const { status, headers, isChunked } = found
  const body = found.bodies[round] ?? found.bodies[0]!
  if (headers.ETag !== undefined && request.headers['if-none-match'] === headers.ETag) {
    response.writeHead(304, headers).end()
    return
  }
  if (!isChunked) {
    response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body)
    return
  }
  response.writeHead(status, headers)
  for (const piece of pieces(body)) response.write(piece)
  response.end()
}

const imported = 'http://imported.example'

export function importedSamples(): Sample[] {
  const of = (kind: string, path: string, body: Buffer, more?: More): Sample =>
    sample(kind, imported + path, body, more)
  const form = 'application/x-www-form-urlencoded'
  const json = { 'Content-Type': 'application/json' }
  return [
    of('imported', '/', page('Imported')),
    of('imported chunked', '/chunked', page('Imported chunks'), { isChunked: true }),
    of('imported chunked, same content', '/chunked-copy', page('Imported chunks'), { isChunked: true }),
    of('imported not chunked, same content', '/chunked-not', page('Imported chunks')),
    of('imported chunked and gzip', '/chunked-gzip', gzipSync(page('Imported both')), {
      isChunked: true,
      headers: { ...html, 'Content-Encoding': 'gzip' },
    }),
    of('imported, large, chunked', '/large', noise(2), { isChunked: true, headers: binary }),
    of('URL not UTF-8', '/caf%E9?q=%FC', page('Escapes')),
    of('GET beside POST', '/api?v=2', page('No form was sent')),
    of('POST form', '/api?v=2', Buffer.from('{"answer":"form"}'), {
      headers: json,
      post: { contentType: form, body: 'q=one&lang=en' },
    }),
    of('POST JSON', '/api?v=2', Buffer.from('{"answer":"json"}'), {
      headers: json,
      post: { contentType: 'application/json', body: '{"q":{"a":[1],"b":"two"}}' },
    }),
  ]
}

/** The chunks of a body. Their borders fall into characters. */
export function pieces(body: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at < body.length; at += chunkBytes) found.push(body.subarray(at, at + chunkBytes))
  return found
}
