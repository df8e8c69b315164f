// What others may try on a connection, and what it does not do to us.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../../errors.ts'
import { Calls } from '../../calls/calls.ts'
import { until } from '../../fixtures/until.ts'
import { PeerRefused, PeerUnreachable } from '../../network/network.ts'
import { type Greeting, openDoor } from '../../network/network-greeting.ts'
import { RealClock } from '../clock.ts'
import { patientLimits } from '../fixtures/patient-limits.ts'
import { bulkProtocol, controlProtocol, RawPeer, type RawStream } from '../fixtures/raw-peer.ts'
import { RealRandom } from '../random.ts'
import { frame, markFrame, marks } from './frames.ts'
import { type NetworkOptions, type RealNetwork, startNetwork } from './network.ts'

const clock = new RealClock()
const welcome = frame([new Uint8Array([1])])

interface Stage {
  start(options?: Partial<NetworkOptions>): Promise<RealNetwork>
  raw(options?: { prologue?: Uint8Array }): Promise<RawPeer>
}

async function onStage(body: (stage: Stage) => Promise<void>): Promise<void> {
  const ends: (() => Promise<void>)[] = []
  try {
    await body({
      start: async (options = {}) => {
        const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'], ...patientLimits, ...options })
        ends.push(() => network.close())
        return network
      },
      raw: async (options) => {
        const raw = await RawPeer.start(options)
        ends.push(() => raw.stop())
        return raw
      },
    })
  } finally {
    await Promise.all(ends.map((end) => end()))
  }
}

/** Lets in whoever says the word. */
const guarded = (word: string): Greeting => ({
  hello: () => Buffer.from(word),
  answer: () => Buffer.from(word),
  judge: (_stranger, words) => {
    if (Buffer.from(words).toString() !== word)
      throw new PolyhistorError('no', 'a secret that nobody is told')
    return []
  },
})

function greetedOrCut(stream: RawStream): Promise<void> {
  const isSo = () => stream.received.length > 0 || stream.connection.status !== 'open'
  return until('an answer to the greeting, or the end of the connection', isSo)
}

/** Whether the network still carries a message from a new peer. */
async function assertUnharmed(
  network: RealNetwork,
  stage: Stage,
  options: Partial<NetworkOptions> = {},
): Promise<void> {
  const friend = await stage.start(options)
  friend.learn(network.self, network.addresses())
  let heard = 0
  network.receive(({ from }) => {
    if (from === friend.self) heard++
  })
  await friend.send(network.self, Buffer.from('are you well?'))
  await until('the message', () => heard === 1)
}

describe('who is not let in', () => {
  test('gets one word, and is cut off', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greeting: guarded('open sesame') })
      const stranger = await stage.raw()
      const stream = await stranger.greet(network.addresses()[0]!, frame([Buffer.from('let me in')]))
      let heard = 0
      network.receive(() => heard++)
      stream.stream.send(frame([Buffer.from('a message all the same')]))
      await stream.disconnected()
      assert.deepEqual([...stream.received], [0, 0, 0, 1, 0], 'a frame with one byte')
      assert.equal(heard, 0)
      await assertUnharmed(network, stage, { greeting: guarded('open sesame') })
    }))

  test('is told so, and does not try again for every message', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greeting: guarded('a') })
      const stranger = await stage.start({ greeting: guarded('b') })
      stranger.learn(network.self, network.addresses())
      await assert.rejects(stranger.send(network.self, Buffer.from('hello')), (error) => {
        assert(error instanceof PeerRefused && error.code === 'peer-refused')
        return true
      })
      await assert.rejects(stranger.meet(network.addresses()[0]!), PeerRefused)
      await assert.rejects(stranger.send(network.self, Buffer.from('hello')), PeerRefused)
    }))

  test('refuses likewise whom it dialled, when that one only pretends', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greeting: guarded('a') })
      const impostor = await stage.raw()
      await impostor.node.handle('/polyhistor/control/1', (stream) => void stream.send(welcome))
      network.learn(impostor.peer, impostor.addresses)
      await assert.rejects(network.send(impostor.peer, Buffer.from('hello')), PeerRefused)
    }))

  test('of another prologue gets no further than the keys', () =>
    onStage(async (stage) => {
      const network = await stage.start({ prologue: Buffer.from('one') })
      const other = await stage.start({ prologue: Buffer.from('other'), dialMsMax: 5_000 })
      other.learn(network.self, network.addresses())
      await assert.rejects(other.send(network.self, Buffer.from('hello')), PeerUnreachable)
      const raw = await stage.raw()
      await assert.rejects(raw.dial(network.addresses()[0]!))
      assert.deepEqual(network.connected(), [])
      await assertUnharmed(network, stage, { prologue: Buffer.from('one') })
    }))

  test('cannot use the bulk channel either', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greeting: guarded('a') })
      let heard = 0
      network.receive(() => heard++)
      const stranger = await stage.raw()
      const connection = await stranger.dial(network.addresses()[0]!)
      const stream = await connection.newStream(bulkProtocol)
      if (stream.status === 'open') stream.send(frame([Buffer.from('bulk')]))
      await until('the end of the stream', () => stream.status !== 'open')
      assert.equal(heard, 0)
    }))
})

describe('who says nothing', () => {
  test('after accepting a connection is given up', () =>
    onStage(async (stage) => {
      const server = createServer(() => {})
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const network = await stage.start({ dialMsMax: 300 })
        const { peer } = await stage.raw()
        network.learn(peer, [`/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`])
        await assert.rejects(network.send(peer, Buffer.from('hello')), PeerUnreachable)
      } finally {
        server.close()
      }
    }))

  test('to our greeting is given up', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greetingMsMax: 200 })
      const silent = await stage.raw()
      await silent.node.handle('/polyhistor/control/1', () => {})
      network.learn(silent.peer, silent.addresses)
      await assert.rejects(network.send(silent.peer, Buffer.from('hello')), PeerUnreachable)
    }))

  test('of itself is cut off', () =>
    onStage(async (stage) => {
      const network = await stage.start({ greetingMsMax: 200, beatMs: 50 })
      const silent = await stage.raw()
      // Where this machine is slow it is cut off before it knows that it is connected.
      const connection = await silent.dial(network.addresses()[0]!).catch(() => undefined)
      await until('the end of the connection', () => connection?.status !== 'open')
    }))

  test('any more is cut off, and who waits for its answers is told', () =>
    onStage(async (stage) => {
      const network = await stage.start({ beatMs: 50, silenceMsMax: 300 })
      const dead = await stage.raw()
      await dead.node.handle('/polyhistor/control/1', (stream) => {
        // Greets, and never says anything again, not even to a beat.
        stream.addEventListener('message', () => {}, { once: true })
        stream.send(welcome)
      })
      network.learn(dead.peer, dead.addresses)
      const calls = new Calls({ network, clock, random: new RealRandom() })
      const call = calls.call(dead.peer, Buffer.from('are you there?'), { deadlineMs: 50_000 })
      await assert.rejects(call, { code: 'peer-unreachable' })
    }))
})

test('who says nothing is asked for a sign of life, and gives one when asked', () =>
  onStage(async (stage) => {
    const network = await stage.start({ beatMs: 50 })
    const friend = await stage.raw()
    const stream = await friend.greet(network.addresses()[0]!)
    await until('a beat', () => stream.received.includes(markFrame(marks.beat)))
    stream.stream.send(markFrame(marks.beat))
    await until('the answer to a beat', () => stream.received.includes(markFrame(marks.beatHeard)))
    assert.equal(network.connected().length, 1)
  }))

describe('who breaks the format', () => {
  const nonsense: [string, Uint8Array][] = [
    ['a hello of a gigabyte', Buffer.from([0x40, 0, 0, 0, 1, 2, 3])],
    ['a mark before the hello', markFrame(marks.beat)],
    ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ]

  test.each(nonsense)('%s: the stream is reset', (_name, bytes) =>
    onStage(async (stage) => {
      const network = await stage.start()
      const hostile = await stage.raw()
      const stream = await hostile.greet(network.addresses()[0]!, bytes)
      await stream.ended()
      assert.equal(stream.received.length, 0)
      await assertUnharmed(network, stage)
    }),
  )

  test('a message over the limit, said to come in pieces, costs no memory', () =>
    onStage(async (stage) => {
      const network = await stage.start({ messageBytesMax: 1_000_000 })
      const hostile = await stage.raw()
      const stream = await hostile.greet(network.addresses()[0]!)
      await until('the answer to the greeting', () => stream.received.length > 0)
      stream.stream.send(Buffer.from([0x7f, 0xff, 0xff, 0xff]))
      await stream.ended()
      await assertUnharmed(network, stage)
    }))

  test('random bytes, again and again', () =>
    onStage(async (stage) => {
      const network = await stage.start({ messageBytesMax: 100_000 })
      new Calls({ network, clock, random: new RealRandom() }).answer((_from, bytes) => bytes)
      const hostile = await stage.raw()
      const random = new RealRandom()
      for (let round = 0; round < 20; round++) {
        const stream = await hostile.greet(network.addresses()[0]!)
        // Sometimes in frames, so that they reach the calls.
        const bytes = random.bytes(1 + random.below(5_000))
        stream.stream.send(round % 2 === 0 ? bytes : frame([bytes, bytes.subarray(9)]))
        await clock.sleep(5)
        stream.connection.abort(new Error('enough'))
      }
      await assertUnharmed(network, stage)
    }))

  test('a later version that also speaks ours is understood', () =>
    onStage(async (stage) => {
      const network = await stage.start()
      const later = await stage.raw()
      const connection = await later.dial(network.addresses()[0]!)
      const stream = await connection.newStream(['/polyhistor/control/2', controlProtocol])
      assert.equal(stream.protocol, controlProtocol)
      let heard = 0
      network.receive(() => heard++)
      stream.send(Buffer.concat([frame([new Uint8Array()]), frame([Buffer.from('a message')])]))
      await until('the message', () => heard === 1)
    }))

  test('marks that are not known are passed over', () =>
    onStage(async (stage) => {
      const network = await stage.start()
      let heard = 0
      network.receive(() => heard++)
      const later = await stage.raw()
      const stream = await later.greet(network.addresses()[0]!)
      stream.stream.send(Buffer.concat([markFrame(0xffffff77), frame([Buffer.from('a message')])]))
      await until('the message', () => heard === 1)
    }))
})

describe('who floods', () => {
  test('with messages is read no faster than allowed', () =>
    onStage(async (stage) => {
      const perSecond = 2_000
      const network = await stage.start({ messagesPerSecondMax: perSecond })
      let count = 0
      network.receive(() => count++)
      const flooder = await stage.raw()
      const startMs = performance.now()
      const stream = await flooder.greet(network.addresses()[0]!)
      const many = frame(Array.from({ length: 1_000 }, () => new Uint8Array(100)))
      for (let round = 0; round < 50; round++) stream.stream.send(many)
      // What was saved up is a second's worth; the rest has to come at its rate, however slow this machine is.
      await until('twice what may come in a second', () => count >= 2 * perSecond)
      const seconds = (performance.now() - startMs) / 1_000
      assert(count <= perSecond * (seconds + 1), `${count} in ${seconds} s`)
      await assertUnharmed(network, stage)
    }))

  test('with beats, and reads nothing, costs a bounded amount', () =>
    onStage(async (stage) => {
      const network = await stage.start({ queueBytesMax: 100_000 })
      const flooder = await stage.raw()
      const stream = await flooder.greet(network.addresses()[0]!)
      await until('the answer to the greeting', () => stream.received.length > 0)
      stream.stream.pause()
      const beats = Buffer.concat(Array.from({ length: 10_000 }, () => markFrame(marks.beat)))
      for (let round = 0; round < 20; round++) stream.stream.send(beats)
      await clock.sleep(300)
      await assertUnharmed(network, stage)
    }))

  test('with connections finds no more room than there is, and we can still dial', () =>
    onStage(async (stage) => {
      const network = await stage.start({ connectionsMax: 8, connectionsOutboundMin: 5 })
      const strangers = await Promise.all(Array.from({ length: 6 }, () => stage.raw()))
      const dials = await Promise.allSettled(
        strangers.map(async (stranger) => {
          const stream = await stranger.greet(network.addresses()[0]!)
          await greetedOrCut(stream)
          assert(stream.received.length > 0)
        }),
      )
      assert(dials.filter(({ status }) => status === 'fulfilled').length <= 3)
      assert.equal(network.connected().filter(({ direction }) => direction === 'inbound').length <= 3, true)
      const friend = await stage.start()
      network.learn(friend.self, friend.addresses())
      let heard = 0
      friend.receive(() => heard++)
      await network.send(friend.self, Buffer.from('hello'))
      await until('the message', () => heard === 1)
    }))

  test('from one peer with connections has a few', () =>
    onStage(async (stage) => {
      const network = await stage.start({ connectionsPerPeerMax: 2 })
      const hostile = await stage.raw()
      for (let count = 0; count < 6; count++) {
        const stream = await hostile.greet(network.addresses()[0]!).catch(() => undefined)
        // It is greeted, or the connection is one too many.
        if (stream) await greetedOrCut(stream)
        assert(network.connected().length <= 2, `${network.connected().length}`)
      }
      assert(network.connected().length > 0)
    }))
})

test('two that dial each other at once end with one stream per channel, and lose nothing', () =>
  onStage(async (stage) => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await stage.start({ greeting: openDoor }), await stage.start({ greeting: openDoor })]
      a.learn(b.self, b.addresses())
      b.learn(a.self, a.addresses())
      const [atA, atB]: string[][] = [[], []]
      a.receive(({ bytes }) => atA!.push(Buffer.from(bytes).toString()))
      b.receive(({ bytes }) => atB!.push(Buffer.from(bytes).toString()))
      const numbers = Array.from({ length: 50 }, (_, index) => `${index}`)
      await Promise.all(
        numbers.flatMap((number) => [
          a.send(b.self, Buffer.from(number)),
          b.send(a.self, Buffer.from(number)),
          a.send(b.self, Buffer.from(`bulk ${number}`), 'bulk'),
        ]),
      )
      await until('all messages at both', () => atA!.length === 50 && atB!.length === 100)
      assert.deepEqual(atA!.toSorted(), numbers.toSorted())
    }
  }))
