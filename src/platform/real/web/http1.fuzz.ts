// Our reading of HTTP/1 beside undici's, whose parser is Node's own: whatever that reads to its end, we read to the same.
// (Not the other way round: in what nobody uses, as extensions of chunks and trailers, it wants more order than we do.)

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import fc from 'fast-check'
import { Client } from 'undici'
import { type HostileOrigin, withHostileOrigin } from '../fixtures/hostile-origin.ts'
import { Http1Wire } from './http1.ts'

interface Reading {
  status: number
  body: string
  isWhole: boolean
}

const good = [
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n',
  'HTTP/1.0 404 Not Found\r\nX: y\r\n\r\nuntil the end',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 200\r\nTransfer-Encoding: gzip\r\nKeep-Alive: timeout=5\r\n\r\nabc',
  '\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
]
const pieces = [
  ...[
    '\r',
    '\n',
    '\r\n',
    ' ',
    ':',
    ';',
    '0',
    '5',
    'a',
    '\0',
    '\x7f',
    '\xe9',
    '\t',
    ',',
    '=',
    '"',
    'HTTP/1.1 ',
  ],
  ...['Content-Length: 1\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n'],
].map((text) => Buffer.from(text, 'latin1'))

const change = fc.tuple(
  fc.nat(120),
  fc.nat(3),
  fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...pieces)),
)
const changed = fc
  .tuple(fc.constantFrom(...good), fc.array(change, { maxLength: 3 }))
  .map(([text, changes]) => {
    let bytes = Buffer.from(text, 'latin1')
    for (const [at, gone, put] of changes)
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)])
    return bytes
  })

function readByUs(origin: HostileOrigin, target: string): Promise<Reading> {
  return new Promise((resolve) => {
    const reading: Reading = { status: 0, body: '', isWhole: false }
    const socket = connect(origin.port, '127.0.0.1', () => {
      const end = (isWhole: boolean): void => {
        socket.destroy()
        resolve({ ...reading, isWhole })
      }
      new Http1Wire(socket, 60_000).send(
        { method: 'GET', body: undefined, authority: 'a.test', target, headers: [] },
        {
          onHeadBytes() {},
          onInterim() {},
          onHead: (status) => (reading.status = status),
          onBody: (chunk) => (reading.body += chunk.toString('latin1')),
          onEnd: () => end(true),
          onError: () => end(false),
        },
      )
    })
    socket.on('error', () => {})
  })
}

function readByUndici(origin: HostileOrigin, path: string): Promise<Reading> {
  return new Promise((resolve) => {
    const reading: Reading = { status: 0, body: '', isWhole: false }
    const client = new Client(`http://127.0.0.1:${origin.port}`)
    const end = (isWhole: boolean): void => {
      void client.destroy()
      resolve({ ...reading, isWhole })
    }
    client.dispatch(
      { method: 'GET', path },
      {
        onRequestStart() {},
        onResponseStart: (_controller, status) => {
          reading.status = status
        },
        onResponseData: (_controller, chunk) => {
          reading.body += chunk.toString('latin1')
        },
        onResponseEnd: () => end(true),
        onResponseError: () => end(false),
      },
    )
  })
}

/** A tab behind a coding's name is white space to us, and a part of the name to undici; a CR alone may mean anything, so we do
 * not read what has one. */
const readOtherwise = /chunked *\t|\r(?!\n)/i

export const properties = [
  {
    name: 'what undici reads to its end, we read to the same',
    property: fc.asyncProperty(
      fc.array(changed, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 60 }),
      (all, piece) =>
        withHostileOrigin(async (origin) => {
          for (const bytes of all) {
            const target = `/raw?piece=${piece}&hex=${bytes.toString('hex')}`
            const [ours, theirs] = await Promise.all([readByUs(origin, target), readByUndici(origin, target)])
            if (theirs.isWhole && !readOtherwise.test(bytes.toString('latin1')))
              assert.deepEqual(ours, theirs, JSON.stringify(bytes.toString('latin1')))
          }
        }),
    ),
  },
]
