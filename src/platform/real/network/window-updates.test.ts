import assert from 'node:assert/strict'
import { YamuxStream, type YamuxStreamInit } from '@chainsafe/libp2p-yamux/stream'
import { Uint8ArrayList } from 'uint8arraylist'
import { test } from 'vitest'
import type { Stream } from './node.ts'
import { spareWindowUpdates } from './window-updates.ts'

const windowBytes = 256 * 1024
const [accepted, established] = [2, 3]
const updateType = 1

/** A stream of yamux, and the updates that it sends. */
function streamIn(state: number) {
  const updates: number[] = []
  const quiet = () => {}
  const stream = new YamuxStream({
    id: '1',
    streamId: 1,
    state,
    log: Object.assign(quiet, { trace: quiet, error: quiet }),
    direction: 'inbound',
    getRTT: () => -1,
    sendFrame: ({ type, length }: { type: number; length: number }) => {
      if (type === updateType) updates.push(length)
      return true
    },
  } as unknown as YamuxStreamInit)
  spareWindowUpdates(stream as unknown as Stream)
  const receive = (length: number) => {
    const header = { type: 0, flag: 0, streamID: 1, length }
    stream.handleData({ header, data: new Uint8ArrayList(new Uint8Array(length)) })
  }
  return { stream, updates, receive }
}

test('small messages need no update each, and the window never runs out', () => {
  const { updates, receive } = streamIn(established)
  let left = windowBytes
  let heard = 0
  for (let count = 0; count < 10_000; count++) {
    receive(1_000)
    left -= 1_000
    for (const room of updates.slice(heard)) left += room
    heard = updates.length
    assert.ok(left >= windowBytes / 2 - 1_000, `${left}`)
  }
  assert.ok(updates.length < 100, `${updates.length}`)
})

test('who opened a stream is told at once that it was accepted', () => {
  const { updates, receive } = streamIn(accepted)
  receive(10)
  receive(10)
  assert.deepEqual(updates, [10])
})

test('who was not read for a while is told when it is', () => {
  const { stream, updates, receive } = streamIn(established)
  stream.pause()
  receive(windowBytes)
  assert.deepEqual(updates, [])
  stream.resume()
  assert.deepEqual(updates, [windowBytes])
})

test('who is paused anew while he reads what he held invites nothing', () => {
  const { stream, updates, receive } = streamIn(established)
  stream.addEventListener('message', () => stream.pause())
  stream.pause()
  receive(windowBytes / 2)
  stream.resume()
  receive(windowBytes / 2)
  assert.deepEqual(updates, [])
  stream.resume()
  stream.resume()
  assert.deepEqual(updates, [windowBytes])
})
