import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PeerUnreachable } from '../../network/network.ts'
import { FrameReader } from './frames.ts'
import type { Stream } from './node.ts'
import { Outbox } from './outbox.ts'

/** As much of a stream as an outbox uses, in the test's hand. */
class HeldStream extends EventTarget {
  status = 'open'
  writeStatus = 'writable'
  writeBufferLength = 0
  readonly received: string[] = []
  writes = 0
  readonly #reader = new FrameReader(1_000_000)

  send(bytes: Uint8Array): boolean {
    assert.equal(this.status, 'open')
    assert.equal(this.writeStatus, 'writable')
    this.writes++
    for (const message of this.#reader.read(bytes)) this.received.push(new TextDecoder().decode(message))
    return true
  }

  abort(): void {
    this.status = 'aborted'
    this.dispatchEvent(new Event('close'))
  }

  hold(bytes: number, event?: string): void {
    this.writeBufferLength = bytes
    if (event) this.dispatchEvent(new Event(event))
  }
}

const text = (string: string): Uint8Array => new TextEncoder().encode(string)
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function outboxOn(streams: HeldStream[], queueBytesMax = 1_000): { outbox: Outbox; opened: HeldStream[] } {
  const opened: HeldStream[] = []
  const outbox = new Outbox(
    'b',
    async () => {
      const stream = streams.shift()
      if (stream === undefined) throw new Error('refused')
      opened.push(stream)
      return stream as unknown as Stream
    },
    queueBytesMax,
  )
  return { outbox, opened }
}

describe('outbox', () => {
  test('sends in order, on one stream, several in one write', async () => {
    const stream = new HeldStream()
    const { outbox, opened } = outboxOn([stream])
    await Promise.all(['1', '2', '3'].map((string) => outbox.send(text(string))))
    await outbox.send(text('4'))
    assert.deepEqual(stream.received, ['1', '2', '3', '4'])
    assert.equal(stream.writes, 2)
    assert.equal(opened.length, 1)
  })

  test('opens a new stream when the writing side of the old one was closed', async () => {
    const [closing, next] = [new HeldStream(), new HeldStream()]
    const { outbox } = outboxOn([closing, next])
    await outbox.send(text('1'))
    // As libp2p has it between our close() and the other end's.
    closing.writeStatus = 'closed'
    await outbox.send(text('2'))
    assert.deepEqual([closing.received, next.received], [['1'], ['2']])
  })

  test('waits while the stream is full', async () => {
    const stream = new HeldStream()
    const { outbox } = outboxOn([stream])
    await outbox.send(text('1'))
    stream.hold(2_000_000)
    let sent = false
    const send = outbox.send(text('2')).then(() => {
      sent = true
    })
    for (const [held, event] of [
      [1_900_000, 'drain'],
      [1_500_000, 'drain'],
      [1_100_000, 'idle'],
    ] as const) {
      stream.hold(held, event)
      await settled()
      assert.equal(sent, false)
    }
    stream.hold(10_000, 'drain')
    await send
    assert.deepEqual(stream.received, ['1', '2'])
  })

  test('refuses what is over the bound of its queue, and nothing else', async () => {
    const stream = new HeldStream()
    const { outbox } = outboxOn([stream], 1_000)
    const sends = [400, 600, 1].map((size) => outbox.send(new Uint8Array(size)))
    const results = await Promise.allSettled(sends)
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    )
    assert((results[2] as PromiseRejectedResult).reason instanceof PeerUnreachable)
    await outbox.send(new Uint8Array(1_000))
  })

  test('tells all that wait when no stream can be opened, and tries again for the next', async () => {
    const { outbox } = outboxOn([])
    const results = await Promise.allSettled([outbox.send(text('1')), outbox.send(text('2'))])
    for (const result of results) {
      assert(result.status === 'rejected' && result.reason instanceof PeerUnreachable)
      assert.match(result.reason.message, /refused/)
    }
    assert(outbox.isSpent)
  })

  test('opens another stream when the first has ended, also while it waits', async () => {
    const [first, second, third] = [new HeldStream(), new HeldStream(), new HeldStream()]
    const { outbox } = outboxOn([first, second, third])
    await outbox.send(text('1'))
    first.abort()
    await outbox.send(text('2'))
    assert.deepEqual(second.received, ['2'])
    second.hold(2_000_000)
    const send = outbox.send(text('3'))
    await settled()
    second.abort()
    await assert.rejects(send, PeerUnreachable)
    await outbox.send(text('4'))
    assert.deepEqual(third.received, ['4'])
  })
})
