import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { digestOf } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import { NetworkView, type NetworkViewNeeds, type NetworkViewOptions } from './network-view.ts'
import { ReadHandler } from './read-handler.ts'
import { ReadingError } from './reading-error.ts'
import type { LocalView, NetworkCapture } from './view.ts'

const keepers: PeerId[] = ['a', 'b', 'c']
const former: PeerId[] = ['d']

function captureOf(number: number, payload: Uint8Array): NetworkCapture {
  const url = parseUrl(`http://site.example/page/${String(number).padStart(5, '0')}`)
  return {
    url: url.href,
    surt: url.surt,
    capturedAtMs: Date.UTC(2020, 0, 1) + number,
    status: 200,
    mime: 'text/html',
    kind: 'full',
    content: { digest: digestOf('sha256', payload), overflow: 0 },
    payloadBytes: payload.length,
    storedBytes: 100,
    recordId: `id-${number}`,
    cursor: cursorOf(url.ringKey, number),
  }
}

function cursorOf(ringKey: RingKey, number: number): string {
  return Buffer.from(`${ringKey}${String(number).padStart(10, '0')}`, 'hex').toString('base64url')
}

const behind = (cursor: string, after: string | undefined) =>
  after === undefined || Buffer.compare(Buffer.from(cursor, 'base64url'), Buffer.from(after, 'base64url')) > 0

/** Payloads in the order of their captures. */
function viewOf(payloads: readonly Uint8Array[], spoil = (payload: Uint8Array) => payload): LocalView {
  const captures = payloads.map((payload, number) => captureOf(number, payload))
  return {
    list: (_, { after, limit }) => captures.filter(({ cursor }) => behind(cursor, after)).slice(0, limit),
    isComplete: () => true,
    records: () => Promise.reject(new ReadingError('reading-unavailable', 'not here')),
    read: async (cursor) => {
      const number = captures.findIndex((capture) => capture.cursor === cursor)
      if (number < 0) throw new ReadingError('reading-unavailable', 'not here')
      const payload = spoil(payloads[number]!)
      const payloadChunks = async function* () {
        for (let at = 0; at < payload.length || at === 0; at += 1_000) yield payload.subarray(at, at + 1_000)
      }
      return {
        head: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
        sizeBytes: payload.length,
        payload: payloadChunks,
      }
    },
  }
}

function keep(world: SimulatedWorld, name: PeerId, view: LocalView): { asked: number } {
  const { network, clock, random } = world.machine(name)
  const handler = new ReadHandler({ view, clock }, { pieceBytes: 2_500 })
  const count = { asked: 0 }
  new Calls({ network, clock, random }).answer((from, bytes) => {
    count.asked++
    return handler.answer(from, bytes)
  })
  return count
}

function readerOf(
  world: SimulatedWorld,
  wrong: PeerId[] = [],
  options: Partial<NetworkViewOptions> = {},
  whenPartial: () => void = () => {},
  more: Partial<NetworkViewNeeds> = {},
): NetworkView {
  const { network, clock, random } = world.machine('reader')
  for (const peer of [...keepers, ...former]) network.learn(peer, [`/simulated/${peer}`])
  const calls = new Calls({ network, clock, random })
  return new NetworkView(
    {
      clock,
      calls,
      holders: async () => ({ peers: keepers, upTo: 'f'.repeat(40) as RingKey }),
      further: () => former,
      reportWrong: (peer) => wrong.push(peer),
      whenPartial,
      ...more,
    },
    options,
  )
}

async function readAll(world: SimulatedWorld, view: NetworkView, capture: NetworkCapture): Promise<Buffer> {
  const read = async () => {
    const { payload } = await view.read(capture)
    const chunks: Uint8Array[] = []
    for await (const chunk of payload()) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return world.complete(read())
}

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 251)

test.each([0, 1, 2_499, 2_500, 2_501, 20_000])(
  'a payload of %i bytes comes as it was kept',
  async (length) => {
    const world = simulatedWorld({ seed: length })
    const payload = bytesOf(length)
    for (const peer of keepers) keep(world, peer, viewOf([payload]))
    assert.deepEqual(await readAll(world, readerOf(world), captureOf(0, payload)), Buffer.from(payload))
  },
)

test('what was read lately is not asked for again', async () => {
  const world = simulatedWorld({ seed: 1 })
  const payload = bytesOf(100)
  const counts = keepers.map((peer) => keep(world, peer, viewOf([payload])))
  const reader = readerOf(world)
  await readAll(world, reader, captureOf(0, payload))
  await readAll(world, reader, captureOf(0, payload))
  assert.deepEqual(
    counts.map(({ asked }) => asked),
    [1, 0, 0],
  )
})

test('what was read lately keeps no more memory than twice its own', async () => {
  const world = simulatedWorld({ seed: 1 })
  const payload = bytesOf(100)
  for (const peer of keepers) keep(world, peer, viewOf([payload]))
  const reader = readerOf(world)
  await readAll(world, reader, captureOf(0, payload))
  const again = await world.complete(reader.read(captureOf(0, payload)))
  for await (const { buffer } of again.payload()) assert.ok(buffer.byteLength <= 200, `${buffer.byteLength}`)
  assert.ok(again.head === undefined || again.head.buffer.byteLength <= 2 * again.head.length)
})

test('a long list comes whole and in order, also when a peer dies in the middle', async () => {
  const world = simulatedWorld({ seed: 2 })
  const payloads = Array.from({ length: 2_500 }, () => bytesOf(10))
  for (const peer of keepers) keep(world, peer, viewOf(payloads))
  const reader = readerOf(world)
  const urls: string[] = []
  const list = async () => {
    for await (const { url } of reader.list({ kind: 'site', site: 'site.example' })) {
      urls.push(url)
      if (urls.length === 1_200) world.machine('a').crash()
    }
  }
  await world.complete(list())
  assert.deepEqual(
    urls,
    payloads.map((payload, number) => captureOf(number, payload).url),
  )
})

test('when the nearest is silent, the next answers soon', async () => {
  const world = simulatedWorld({ seed: 3 })
  const payload = bytesOf(100)
  for (const peer of keepers) keep(world, peer, viewOf([payload]))
  world.network.cut(['reader'], ['a'])
  await readAll(world, readerOf(world), captureOf(0, payload))
  assert(world.simulation.nowMs < 1_000)
})

test('wrong bytes are told, and read elsewhere', async () => {
  const world = simulatedWorld({ seed: 4 })
  const payload = bytesOf(100)
  const spoilt = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 50 ? byte ^ 1 : byte))
  keep(world, 'a', viewOf([payload], spoilt))
  keep(world, 'b', viewOf([payload]))
  keep(world, 'c', viewOf([payload]))
  const wrong: PeerId[] = []
  assert.deepEqual(await readAll(world, readerOf(world, wrong), captureOf(0, payload)), Buffer.from(payload))
  assert.deepEqual(wrong, ['a'])
})

test('a large payload with wrong bytes of one comes from another, as long as it fits into memory', async () => {
  const world = simulatedWorld({ seed: 9 })
  const payload = bytesOf(20_000)
  const spoilt = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 15_000 ? byte ^ 1 : byte))
  keep(world, 'a', viewOf([payload], spoilt))
  keep(world, 'b', viewOf([payload]))
  const wrong: PeerId[] = []
  const capture = captureOf(0, payload)
  assert.deepEqual(await readAll(world, readerOf(world, wrong), capture), Buffer.from(payload))
  assert.deepEqual(wrong, ['a'])
  const forgetful = readerOf(world, wrong, { heldBytesMax: 5_000 })
  await assert.rejects(readAll(world, forgetful, capture), { code: 'reading-damaged' })
})

test('a large payload with wrong bytes never comes whole', async () => {
  const world = simulatedWorld({ seed: 5 })
  const payload = bytesOf(20_000)
  const spoilt = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 15_000 ? byte ^ 1 : byte))
  for (const peer of keepers) keep(world, peer, viewOf([payload], spoilt))
  const reading = readAll(world, readerOf(world), captureOf(0, payload))
  await assert.rejects(reading, { code: 'reading-damaged' })
})

test('when a peer dies in the middle of a payload, another goes on', async () => {
  const world = simulatedWorld({ seed: 6 })
  const payload = bytesOf(20_000)
  for (const peer of keepers) keep(world, peer, viewOf([payload]))
  const reader = readerOf(world, [], { heldBytesMax: 3_000 })
  const chunks: Uint8Array[] = []
  const read = async () => {
    const { payload } = await reader.read(captureOf(0, bytesOf(20_000)))
    for await (const chunk of payload()) {
      chunks.push(chunk)
      if (chunks.length === 3) world.machine('a').crash()
    }
  }
  await world.complete(read())
  assert.deepEqual(Buffer.concat(chunks), Buffer.from(payload))
})

test('when nobody answers, the reader is told so', async () => {
  const world = simulatedWorld({ seed: 7 })
  for (const peer of keepers) keep(world, peer, viewOf([]))
  const reading = readAll(world, readerOf(world), captureOf(0, bytesOf(1)))
  await assert.rejects(reading, { code: 'reading-unavailable' })
})

test('what cannot be read is refused', async () => {
  const handler = new ReadHandler({ view: viewOf([]), clock: simulatedWorld({ seed: 8 }).machine('a').clock })
  for (const bytes of [[], [9], [0, 7, 1, 65, 1, 0, 0, 0, 0], [1, 200], [0, 0, 255, 255, 255, 255, 255]]) {
    await assert.rejects(handler.answer('stranger', Uint8Array.from(bytes)), { code: 'message-malformed' })
  }
  await assert.rejects(handler.answer('stranger', Uint8Array.of(2, 5, 1)), { code: 'reading-session-over' })
})

/** What this view has of the captures, and whether it says that this is all. */
function partOf(view: LocalView, isThere: (number: number) => boolean, isComplete: boolean): LocalView {
  return {
    ...view,
    isComplete: () => isComplete,
    list: (selection, { limit, ...options }) =>
      [...view.list(selection, { ...options, limit: 10_000 })]
        .filter(({ url }) => isThere(Number(url.slice(-5))))
        .slice(0, limit),
  }
}

async function listed(world: SimulatedWorld, view: NetworkView, limit?: number): Promise<number[]> {
  const captures = await world.complete(
    Array.fromAsync(view.list({ kind: 'site', site: 'site.example' }, { limit })),
  )
  return captures.map(({ url }) => Number(url.slice(-5)))
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number)

test.each([10, 2_500])('%i captures of which each peer has some are put together in order', async (count) => {
  const world = simulatedWorld({ seed: 10 })
  const whole = viewOf(numbersTo(count).map((number) => bytesOf(number % 10)))
  keep(
    world,
    'a',
    partOf(whole, (number) => number % 3 !== 0, false),
  )
  keep(
    world,
    'b',
    partOf(whole, (number) => number % 5 === 0, false),
  )
  keep(
    world,
    'c',
    partOf(whole, (number) => number < 4, false),
  )
  keep(
    world,
    'd',
    partOf(whole, (number) => number % 3 === 0, false),
  )
  assert.deepEqual(await listed(world, readerOf(world)), numbersTo(count))
  assert.deepEqual(await listed(world, readerOf(world), 7), numbersTo(7))
})

test('who has everything is believed, and nobody further is asked', async () => {
  const world = simulatedWorld({ seed: 11 })
  const whole = viewOf([bytesOf(1), bytesOf(2)])
  keep(
    world,
    'a',
    partOf(whole, () => false, false),
  )
  keep(
    world,
    'b',
    partOf(whole, () => true, true),
  )
  const late = keep(
    world,
    'c',
    partOf(whole, () => false, false),
  )
  const further = keep(world, 'd', whole)
  assert.deepEqual(await listed(world, readerOf(world)), [0, 1])
  assert.deepEqual([late.asked <= 1, further.asked], [true, 0])
})

test('one who says that there is nothing hides nothing', async () => {
  const whole = viewOf([bytesOf(1), bytesOf(2)])
  for (const denier of keepers) {
    const world = simulatedWorld({ seed: 14 })
    for (const peer of keepers)
      keep(
        world,
        peer,
        partOf(whole, () => peer !== denier, true),
      )
    assert.deepEqual(await listed(world, readerOf(world)), [0, 1])
  }
})

test('one who has everything is believed when the others are silent', async () => {
  const world = simulatedWorld({ seed: 15 })
  const whole = viewOf([bytesOf(1), bytesOf(2)])
  keep(
    world,
    'b',
    partOf(whole, () => true, true),
  )
  let partials = 0
  const reader = readerOf(world, [], {}, () => partials++)
  assert.deepEqual([await listed(world, reader), partials], [[0, 1], 0])
})

test('nothing is said to be missing while one who may have it is silent', async () => {
  const world = simulatedWorld({ seed: 12 })
  const none = partOf(viewOf([]), () => false, false)
  for (const peer of [...keepers, ...former]) keep(world, peer, none)
  assert.deepEqual(await listed(world, readerOf(world)), [])
  world.network.cut(['reader'], ['b'])
  await assert.rejects(listed(world, readerOf(world)), { code: 'reading-unavailable' })
})

test('a list that may lack something because one is silent says so, each time that it is given', async () => {
  const world = simulatedWorld({ seed: 16 })
  const kept = viewOf([bytesOf(1), bytesOf(2)])
  for (const peer of [...keepers, ...former])
    keep(
      world,
      peer,
      partOf(kept, () => true, false),
    )
  let told = 0
  const reader = readerOf(world, [], {}, () => told++)
  const versions = () =>
    world.complete(Array.fromAsync(reader.versions(parseUrl(captureOf(0, bytesOf(1)).url))))
  await listed(world, reader)
  await versions()
  assert.equal(told, 0)
  world.network.cut(['reader'], ['b'])
  assert.deepEqual(await listed(world, reader), [0, 1])
  assert.equal(told, 1)
  await world.complete(world.machine('reader').clock.sleep(10_000))
  await versions()
  await versions()
  assert.equal(told, 3)
  // Behind the last there may be more, which is not the same as that nothing is archived.
  const behindAll = { after: captureOf(1, bytesOf(2)).cursor }
  const rest = Array.fromAsync(reader.list({ kind: 'site', site: 'site.example' }, behindAll))
  assert.deepEqual(await world.complete(rest), [])
  assert.equal(told, 4)
  // Who is sure to have all does not need the one who is silent.
  keep(world, 'c', kept)
  assert.deepEqual(await listed(world, reader), [0, 1])
  assert.equal(told, 4)
})

test('who was silent before is not waited for long again', async () => {
  const world = simulatedWorld({ seed: 15 })
  const whole = viewOf([bytesOf(1)])
  for (const peer of keepers)
    keep(
      world,
      peer,
      partOf(whole, () => true, false),
    )
  keep(
    world,
    'd',
    partOf(whole, () => true, false),
  )
  world.network.cut(['reader'], ['b'])
  const reader = readerOf(world)
  assert.deepEqual(await listed(world, reader), [0])
  const startMs = world.simulation.nowMs
  assert.deepEqual(await listed(world, reader), [0])
  assert(world.simulation.nowMs - startMs < 1_000)
})

test('the versions of a URL are asked for once in a while', async () => {
  const world = simulatedWorld({ seed: 13 })
  const count = keep(world, 'a', viewOf([bytesOf(1)]))
  const reader = readerOf(world)
  const { url } = captureOf(0, bytesOf(1))
  const versions = (request = {}) => world.complete(Array.fromAsync(reader.versions(parseUrl(url), request)))
  assert.equal((await versions()).length, 1)
  assert.equal((await versions({ toMs: 0 })).length, 0)
  assert.equal((await versions({ reverse: true, limit: 1 })).length, 1)
  assert.equal(count.asked, 1)
  await world.complete(world.machine('reader').clock.sleep(10_000))
  await versions()
  assert.equal(count.asked, 2)
})

test('a list that does not get on comes to its end', async () => {
  const world = simulatedWorld({ seed: 14 })
  const stuck = viewOf([bytesOf(1)])
  for (const peer of keepers) keep(world, peer, { ...stuck, list: () => Array(2_000).fill(first(stuck)) })
  assert.deepEqual(await listed(world, readerOf(world)), [0])
})

function first(view: LocalView): NetworkCapture {
  const [capture] = view.list({ kind: 'site', site: 'site.example' }, { limit: 1 })
  return capture!
}

describe('newcomers that surround a site and say that there is nothing', () => {
  const isNewcomer = (peer: PeerId): boolean => keepers.includes(peer)
  const { url } = captureOf(0, bytesOf(10))

  function surrounded(peers: number): { world: SimulatedWorld; reader: NetworkView; partial: () => number } {
    const world = simulatedWorld({ seed: 1 })
    for (const peer of keepers) keep(world, peer, viewOf([]))
    let partial = 0
    const count = (): void => void partial++
    const reader = readerOf(world, [], {}, count, { isNewcomer, peerCount: () => peers })
    return { world, reader, partial: () => partial }
  }

  const listed = (world: SimulatedWorld, reader: NetworkView): Promise<NetworkCapture[]> =>
    world.complete(Array.fromAsync(reader.list({ kind: 'url', url })))

  test('are not believed: who kept it before is asked, too', async () => {
    const { world, reader, partial } = surrounded(4)
    keep(world, 'd', { ...viewOf([bytesOf(10)]), isComplete: () => false })
    assert.equal((await listed(world, reader)).length, 1)
    assert.equal(partial(), 0)
  })

  test('do not make it "not archived" where not everybody could be asked', async () => {
    const { world, reader } = surrounded(40)
    keep(world, 'd', { ...viewOf([]), isComplete: () => false })
    await assert.rejects(listed(world, reader), { code: 'reading-unavailable' })
  })

  test('make a list that may lack something, which says so', async () => {
    const { world, reader, partial } = surrounded(40)
    keep(world, 'd', { ...viewOf([bytesOf(10)]), isComplete: () => false })
    assert.equal((await listed(world, reader)).length, 1)
    assert(partial() > 0)
  })
})
