// A WARC file of made-up captures, from times that no crawl of today can give.

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

export interface MadeCapture {
  readonly url: string
  /** `2010-05-06T07:08:09Z` */
  readonly at: string
  readonly type: string
  readonly body: string | Uint8Array
  readonly status?: string
}

export async function writeWarc(file: string, captures: readonly MadeCapture[]): Promise<void> {
  await writeFile(file, Buffer.concat(captures.map(record)))
}

function record({ url, at, type, body, status = '200 OK' }: MadeCapture): Buffer {
  const payload = Buffer.from(body)
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${payload.length}\r\n\r\n`
  const block = Buffer.concat([Buffer.from(head), payload])
  const fields = [
    'WARC/1.1',
    'WARC-Type: response',
    `WARC-Record-ID: <urn:uuid:${randomUUID()}>`,
    `WARC-Date: ${at}`,
    `WARC-Target-URI: ${url}`,
    'Content-Type: application/http; msgtype=response',
    `Content-Length: ${block.length}`,
  ]
  return Buffer.concat([Buffer.from(`${fields.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')])
}
