import assert from 'node:assert/strict'
import { test } from 'vitest'
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
