// Responses of any bytes, and good ones with bytes changed, left out and put in, cut into pieces of any size.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withHostileOrigin } from '../fixtures/hostile-origin.ts'
import { bodyOf, requestOf, responseTo, wideLimits, withWeb } from '../fixtures/test-web.ts'

const good = [
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.0 404 Not Found\r\nX: y\r\n\r\nuntil the end',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
]

const changed = fc
  .tuple(
    fc.constantFrom(...good),
    fc.array(fc.tuple(fc.nat(120), fc.nat(3), fc.uint8Array({ maxLength: 4 })), { maxLength: 4 }),
  )
  .map(([text, changes]) => {
    let bytes = Buffer.from(text)
    for (const [at, gone, put] of changes) {
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)])
    }
    return bytes
  })
const anything = fc.oneof(
  changed,
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
)
const limits = { ...wideLimits, stallMsMax: 2_000 }

export const properties = [
  {
    name: 'a response ends in an outcome, and the next fetch is not harmed',
    property: fc.asyncProperty(
      fc.array(anything, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 50 }),
      (all, piece) =>
        withHostileOrigin((origin) =>
          withWeb(async ({ web }) => {
            await Promise.all(
              all.map(async (bytes) => {
                const url = origin.url(`raw?piece=${piece}&hex=${bytes.toString('hex')}`)
                const answer = await web.fetch(requestOf(url, { limits }))
                if (answer.outcome === 'response') {
                  assert(answer.status >= 200 && answer.head.length > 0)
                  await bodyOf(answer)
                }
              }),
            )
            await responseTo(web, origin.url('ok'))
            await web.close()
            await origin.deserted()
          }),
        ),
    ),
  },
]
