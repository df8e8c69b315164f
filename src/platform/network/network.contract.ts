// What every network must do between peers that are up. What goes wrong on the way only a simulated one can be told: see
// simulated/network.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Clock } from '../clock.ts'
import { type Message, MessageTooLarge, type Network, PeerUnreachable } from './network.ts'

const text = (string: string): Uint8Array => new TextEncoder().encode(string)

/** Makes a peer that listens. Whoever makes it need not close it. */
export type StartPeer = () => Promise<Network>
export type WithPeers = (body: (start: StartPeer, clock: Clock) => Promise<void>) => Promise<void>

function introduce(...peers: Network[]): void {
  for (const peer of peers) {
    for (const other of peers) if (other !== peer) peer.learn(other.self, other.addresses())
  }
}

/** What the peer receives from now on. */
function collect(peer: Network): Message[] {
  const messages: Message[] = []
  peer.receive((message) => messages.push(message))
  return messages
}

/** On the clock of the network under test, which may be simulated. */
async function until(clock: Clock, condition: () => boolean): Promise<void> {
  const endMs = clock.monotonicMs() + 120_000
  while (!condition()) {
    assert(clock.monotonicMs() < endMs, `never came true: ${condition}`)
    await clock.sleep(1)
  }
}

export function networkContract(withPeers: WithPeers): void {
  const withTwo = (body: (a: Network, b: Network, clock: Clock) => Promise<void>) =>
    withPeers(async (start, clock) => {
      const [a, b] = [await start(), await start()]
      introduce(a, b)
      await body(a, b, clock)
    })

  test('a message comes unchanged, from who sent it', () =>
    withPeers(async (start, clock) => {
      const [a, b, c] = [await start(), await start(), await start()]
      introduce(a, b, c)
      const received = collect(b)
      await a.send(b.self, text('from a'))
      await until(clock, () => received.length === 1)
      await c.send(b.self, text('from c'))
      await until(clock, () => received.length === 2)
      assert.deepEqual(received, [
        { from: a.self, bytes: text('from a'), channel: 'control' },
        { from: c.self, bytes: text('from c'), channel: 'control' },
      ])
    }))

  test('peers have names of their own', () =>
    withPeers(async (start) => {
      const peers = [await start(), await start(), await start()]
      assert.equal(new Set(peers.map(({ self }) => self)).size, 3)
      for (const peer of peers) assert(peer.addresses().length > 0)
    }))

  test('messages of all sizes come whole, in both directions', () =>
    withTwo(async (a, b, clock) => {
      const [atA, atB] = [collect(a), collect(b)]
      const sizes = [0, 1, 3, 4, 5, 1_000, 65_535, 65_536, 300_000, a.messageBytesMax]
      const messages = sizes.map((size) => new Uint8Array(size).map((_, index) => index * 7 + size))
      await Promise.all(messages.flatMap((bytes) => [a.send(b.self, bytes), b.send(a.self, bytes)]))
      await until(clock, () => atA.length === sizes.length && atB.length === sizes.length)
      for (const received of [atA, atB]) {
        const sorted = received.map(({ bytes }) => bytes).sort((one, other) => one.length - other.length)
        assert.deepEqual(sorted, messages)
      }
    }))

  test('bulk comes as bulk, in both directions, beside control', () =>
    withTwo(async (a, b, clock) => {
      const [atA, atB] = [collect(a), collect(b)]
      await Promise.all([
        a.send(b.self, text('1'), 'bulk'),
        a.send(b.self, text('2'), 'control'),
        b.send(a.self, text('3'), 'bulk'),
      ])
      await until(clock, () => atA.length === 1 && atB.length === 2)
      const told = [...atA, ...atB].map(
        ({ bytes, channel }) => `${new TextDecoder().decode(bytes)} ${channel}`,
      )
      assert.deepEqual(told.sort(), ['1 bulk', '2 control', '3 bulk'])
    }))

  test('a message over the limit is refused, and those after it are not', () =>
    withTwo(async (a, b, clock) => {
      const received = collect(b)
      const tooLarge = a.send(b.self, new Uint8Array(a.messageBytesMax + 1))
      await assert.rejects(
        tooLarge,
        (error) => error instanceof MessageTooLarge && error.code === 'message-too-large',
      )
      await a.send(b.self, text('small'))
      await until(clock, () => received.length === 1)
    }))

  test('many small messages', () =>
    withTwo(async (a, b, clock) => {
      const received = collect(b)
      for (let round = 0; round < 20; round++) {
        await Promise.all(
          Array.from({ length: 100 }, (_, index) => a.send(b.self, text(`${round} ${index}`))),
        )
      }
      await until(clock, () => received.length === 2_000)
      assert.equal(new Set(received.map(({ bytes }) => new TextDecoder().decode(bytes))).size, 2_000)
    }))

  test('what is received is the receiver’s, to change as it likes', () =>
    withTwo(async (a, b, clock) => {
      const wrong: number[] = []
      let count = 0
      b.receive(({ bytes }) => {
        if (bytes.some((byte) => byte !== bytes[0]) || bytes[0] === 0) wrong.push(count)
        bytes.fill(0)
        count++
      })
      for (let round = 1; round <= 50; round++) {
        const size = round % 5 === 0 ? 100_000 : 1_000
        await a.send(b.self, [new Uint8Array(size).fill(round), new Uint8Array(size).fill(round)])
      }
      await until(clock, () => count === 50)
      assert.deepEqual(wrong, [])
    }))

  test('a peer of which nothing is known cannot be reached', () =>
    withPeers(async (start) => {
      const [a, b] = [await start(), await start()]
      await assert.rejects(a.send(b.self, text('hello')), (error) => {
        assert(error instanceof PeerUnreachable)
        assert.deepEqual([error.code, error.retry, error.peer], ['peer-unreachable', 'later', b.self])
        return true
      })
      a.learn(b.self, ['nonsense'])
      await assert.rejects(a.send(b.self, text('hello')), PeerUnreachable)
    }))

  test('who has sent us something can be answered', () =>
    withPeers(async (start, clock) => {
      const [a, b] = [await start(), await start()]
      a.learn(b.self, b.addresses())
      const atA = collect(a)
      const atB = collect(b)
      await a.send(b.self, text('question'))
      await until(clock, () => atB.length === 1)
      await b.send(a.self, text('answer'))
      await until(clock, () => atA.length === 1)
    }))

  test('what is learned adds to what is known', () =>
    withPeers(async (start, clock) => {
      const [a, b] = [await start(), await start()]
      a.learn(b.self, b.addresses())
      a.learn(b.self, [])
      a.learn(b.self, ['nonsense'])
      const received = collect(b)
      await a.send(b.self, text('hello'))
      await until(clock, () => received.length === 1)
    }))

  test('one receiver at a time; without one messages are dropped', () =>
    withTwo(async (a, b, clock) => {
      await a.send(b.self, text('nobody hears'))
      await clock.sleep(200)
      const first = collect(b)
      const second = collect(b)
      await a.send(b.self, text('second hears'))
      await until(clock, () => second.length === 1)
      assert.deepEqual(second, [{ from: a.self, bytes: text('second hears'), channel: 'control' }])
      assert.deepEqual(first, [])
    }))

  test('a peer that has closed cannot be reached, and others can', () =>
    withPeers(async (start, clock) => {
      const [a, b, c] = [await start(), await start(), await start()]
      introduce(a, b, c)
      const received = collect(b)
      await a.send(b.self, text('hello'))
      await until(clock, () => received.length === 1)
      await b.close()
      await b.close()
      // The first few may still go to a connection that is about to be found dead.
      const unreachable = async (): Promise<boolean> => {
        try {
          await a.send(b.self, text('hello'))
          return false
        } catch (error) {
          assert(error instanceof PeerUnreachable)
          return true
        }
      }
      while (!(await unreachable())) await clock.sleep(1)
      await assert.rejects(b.send(a.self, text('hello')), PeerUnreachable)
      const atC = collect(c)
      await a.send(c.self, text('hello'))
      await until(clock, () => atC.length === 1)
      assert.equal(received.length, 1)
    }))
}
