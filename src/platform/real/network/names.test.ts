import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'vitest'
import { lookUpText } from './names.ts'

/** A name server on this machine that knows these TXT records, each a list of pieces, and nothing else. */
async function withNameServer(
  zone: Record<string, string[][]>,
  body: (server: string) => Promise<void>,
): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, zone), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    await body(`127.0.0.1:${socket.address().port}`)
  } finally {
    socket.close()
  }
}

function answerTo(query: Buffer, zone: Record<string, string[][]>): Buffer {
  const labels: string[] = []
  let at = 12
  for (; query[at] !== 0; at += 1 + query[at]!)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  const question = query.subarray(12, at + 5)
  const records = zone[labels.join('.').toLowerCase()]
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  // A response, recursion available; 3 is "no such name".
  head.writeUInt16BE(records === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records?.length ?? 0, 6)
  const answers = (records ?? []).map((pieces) => {
    const data = Buffer.concat(pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])))
    const start = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255])
    return Buffer.concat([start, data])
  })
  return Buffer.concat([head, question, ...answers])
}

test('TXT records come as they are, long ones put together', () =>
  withNameServer(
    { '_dnsaddr.a.test': [['dnsaddr=/ip4/192.0.2.1/tcp/1'], ['dnsaddr=', '/dnsaddr/b.test']] },
    async (server) => {
      assert.deepEqual((await lookUpText('_dnsaddr.a.test', [server])).sort(), [
        'dnsaddr=/dnsaddr/b.test',
        'dnsaddr=/ip4/192.0.2.1/tcp/1',
      ])
    },
  ))

test('a name that is not there, or has none, has no records', () =>
  withNameServer({ 'empty.test': [] }, async (server) => {
    assert.deepEqual(await lookUpText('nowhere.test', [server]), [])
    assert.deepEqual(await lookUpText('empty.test', [server]), [])
  }))
