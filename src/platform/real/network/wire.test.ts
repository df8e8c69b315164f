import assert from 'node:assert/strict'
import { test } from 'vitest'
import { frame } from './frames.ts'
import { networkLimitsDefault } from './limits.ts'
import type { Connection, Stream } from './node.ts'
import { Wire } from './wire.ts'

test('a stream that we have begun to close is asked for no sign of life: libp2p would throw', () => {
  // As much of a stream as a wire uses. Between close() and the other end's it is open, and cannot be written to.
  const stream = Object.assign(new EventTarget(), {
    status: 'open',
    writeStatus: 'writable',
    direction: 'outbound',
    writeBufferLength: 0,
    sent: 0,
    send() {
      assert.equal(stream.writeStatus, 'writable')
      stream.sent++
    },
  })
  const connection = { remotePeer: 'b' } as unknown as Connection
  const events = { greeted: () => true, message: () => {}, ended: () => {} }
  const wire = new Wire(stream as unknown as Stream, connection, 'control', networkLimitsDefault, events)
  wire.beat()
  for (const writeStatus of ['closing', 'closed']) {
    stream.writeStatus = writeStatus
    wire.beat()
  }
  assert.equal(stream.sent, 1)
})

test('however many messages have come at once, timers have their turn between them', async () => {
  const stream = Object.assign(new EventTarget(), {
    status: 'open',
    readStatus: 'readable',
    writeStatus: 'writable',
    direction: 'inbound',
    writeBufferLength: 0,
    send() {},
    pause: () => (stream.readStatus = 'paused'),
    resume: () => {
      stream.readStatus = 'readable'
      resumed.resolve()
    },
  })
  const resumed = Promise.withResolvers<void>()
  const connection = { remotePeer: 'b' } as unknown as Connection
  const count = 20
  let handled = 0
  const message = () => {
    const endMs = performance.now() + 30
    while (performance.now() < endMs);
    handled++
  }
  const events = { greeted: () => true, message, ended: () => {} }
  new Wire(stream as unknown as Stream, connection, 'bulk', networkLimitsDefault, events)
  const first = new Promise<number>((resolve) => void setTimeout(() => resolve(handled), 1))
  const data = frame(Array.from({ length: count }, () => Buffer.from('work')))
  stream.dispatchEvent(Object.assign(new Event('message'), { data }))
  const seen = await first
  assert(seen > 0 && seen < count, `${seen} were handled before a timer had its turn`)
  await resumed.promise
  assert.equal(handled, count)
})
