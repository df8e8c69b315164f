// A WARC file of samples, as another tool would have written it: answers in chunks, requests behind their answers.

import { foreignRecord } from '../../src/store/fixtures/archive-source.ts'
import { pieces, type Sample } from './samples.ts'

const importedAt = '2019-03-02T08:11:09Z'
const revisitedAt = '2019-04-02T08:11:09Z'

/** Of these samples; with a revisit of the first that is chunked. */
export function importedWarc(samples: readonly Sample[]): Buffer {
  const records = samples.flatMap((one, number) => {
    const about = { 'WARC-Target-URI': one.url, 'WARC-Date': importedAt }
    const response = foreignRecord(
      'response',
      { ...about, 'WARC-Record-ID': id(2 * number), 'Content-Type': 'application/http; msgtype=response' },
      Buffer.concat([headOf(one), bodyOf(one)]),
    )
    if (one.post === undefined) return [response]
    const { pathname, search, host } = new URL(one.url)
    const sent = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${one.post.contentType}\r\nContent-Length: ${one.post.body.length}\r\n\r\n${one.post.body}`
    const request = foreignRecord(
      'request',
      {
        ...about,
        'WARC-Record-ID': id(2 * number + 1),
        'WARC-Concurrent-To': id(2 * number),
        'Content-Type': 'application/http; msgtype=request',
      },
      sent,
    )
    return [response, request]
  })
  const chunked = samples.find(({ isChunked }) => isChunked)!
  const revisit = foreignRecord(
    'revisit',
    {
      'WARC-Target-URI': chunked.url,
      'WARC-Date': revisitedAt,
      'WARC-Record-ID': id(1_000),
      'WARC-Profile': 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest',
      'WARC-Refers-To-Target-URI': chunked.url,
      'WARC-Refers-To-Date': importedAt,
      'WARC-Refers-To': id(2 * samples.indexOf(chunked)),
      'Content-Type': 'application/http; msgtype=response',
    },
    headOf(chunked),
  )
  return Buffer.concat([...records, revisit])
}

function id(number: number): string {
  return `<urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, '0')}>`
}

function headOf({ status, headers, isChunked, bodies }: Sample): Buffer {
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bodies[0]!.length}`
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`HTTP/1.1 ${status} OK\r\n${[...lines, length].join('\r\n')}\r\n\r\n`)
}

function bodyOf({ isChunked, bodies }: Sample): Buffer {
  const [body] = bodies
  if (!isChunked) return body!
  const chunks = pieces(body!).flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}
