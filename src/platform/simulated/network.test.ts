import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Network, PeerUnreachable } from '../network/network.ts'
import { Life } from './life.ts'
import { calm, type Link, SimulatedNetwork } from './network.ts'
import { Simulation } from './simulation.ts'

interface Setting {
  simulation: Simulation
  fabric: SimulatedNetwork
  a: Network
  b: Network
  atA: number[]
  atB: number[]
}

function twoPeers(link: Partial<Link> = {}, seed = 1): Setting {
  const simulation = new Simulation({ seed })
  const fabric = new SimulatedNetwork({ simulation }, { link: { ...calm, ...link } })
  const [a, b] = [fabric.join('a'), fabric.join('b')]
  a.learn('b', b.addresses())
  b.learn('a', a.addresses())
  const [atA, atB]: number[][] = [[], []]
  a.receive(({ bytes }) => atA!.push(bytes[0]! * 256 + bytes[1]!))
  b.receive(({ bytes }) => atB!.push(bytes[0]! * 256 + bytes[1]!))
  return { simulation, fabric, a, b, atA: atA!, atB: atB! }
}

const numbered = (number: number): Uint8Array => new Uint8Array([number >> 8, number])
const numbers = Array.from({ length: 1_000 }, (_, index) => index)

async function sendAll({ simulation, a }: Setting): Promise<void> {
  for (const number of numbers) await simulation.complete(a.send('b', numbered(number)))
  await simulation.run()
}

test('a calm link keeps all, once, in order, within its delays', async () => {
  const setting = twoPeers({ delayMsMin: 10, delayMsMax: 20 })
  const { simulation, a, atB } = setting
  await a.send('b', numbered(0))
  await simulation.run(9.9)
  assert.deepEqual(atB, [])
  await simulation.run(20)
  assert.deepEqual(atB, [0])
  atB.length = 0
  await sendAll(setting)
  assert.deepEqual(atB, numbers)
})

test('loss', async () => {
  const setting = twoPeers({ loss: 0.3 })
  await sendAll(setting)
  assert(setting.atB.length > 600 && setting.atB.length < 800)
  assert.deepEqual(
    setting.atB,
    setting.atB.toSorted((one, other) => one - other),
  )
})

test('duplication', async () => {
  const setting = twoPeers({ duplication: 0.3 })
  await sendAll(setting)
  assert(setting.atB.length > 1_200 && setting.atB.length < 1_400)
  assert.deepEqual([...new Set(setting.atB)], numbers)
})

test('reordering', async () => {
  const setting = twoPeers({ reordering: 0.3 })
  await sendAll(setting)
  assert.notDeepEqual(setting.atB, numbers)
  assert.deepEqual(
    setting.atB.toSorted((one, other) => one - other),
    numbers,
  )
})

test('a cut one way is silent that way alone, and can be healed', async () => {
  const { simulation, fabric, a, b, atA, atB } = twoPeers()
  fabric.cutOneWay('a', 'b')
  await simulation.complete(a.send('b', numbered(1)))
  await simulation.complete(b.send('a', numbered(2)))
  await simulation.run()
  assert.deepEqual([atA, atB], [[2], []])
  fabric.heal('a', 'b')
  await simulation.complete(a.send('b', numbered(3)))
  await simulation.run()
  assert.deepEqual(atB, [3])
})

test('a partition parts two groups, and those in one group not', async () => {
  const { simulation, fabric, a, b, atA, atB } = twoPeers()
  const c = fabric.join('c')
  c.learn('a', a.addresses())
  c.learn('b', b.addresses())
  fabric.cut(['a', 'c'], ['b'])
  await simulation.complete(a.send('b', numbered(1)))
  await simulation.complete(b.send('a', numbered(2)))
  await simulation.complete(c.send('b', numbered(3)))
  await simulation.complete(c.send('a', numbered(4)))
  await simulation.run()
  assert.deepEqual([atA, atB], [[4], []])
  fabric.heal()
  await simulation.complete(c.send('b', numbered(5)))
  await simulation.run()
  assert.deepEqual(atB, [5])
})

test('what was sent during a cut does not come after it, and who is down behind one is not told of', async () => {
  const { simulation, fabric, a, b, atB } = twoPeers()
  fabric.cut(['a'], ['b'])
  await a.send('b', numbered(1))
  fabric.heal()
  await simulation.run()
  assert.deepEqual(atB, [])
  fabric.cut(['a'], ['b'])
  await b.close()
  await simulation.complete(a.send('b', numbered(2)))
})

test('what is under way when the wire is cut is lost', async () => {
  const { simulation, fabric, a, atB } = twoPeers()
  await a.send('b', numbered(1))
  fabric.cut(['a'], ['b'])
  await simulation.run()
  assert.deepEqual(atB, [])
})

test('a peer that is down refuses after a round trip; what was under way to it is lost; started again it listens', async () => {
  const simulation = new Simulation({ seed: 1 })
  const fabric = new SimulatedNetwork({ simulation }, { link: { ...calm, delayMsMin: 10, delayMsMax: 10 } })
  const a = fabric.join('a')
  const life = new Life()
  const b = fabric.join('b', life)
  const received: unknown[] = []
  b.receive((message) => received.push(message))
  a.learn('b', b.addresses())
  await a.send('b', numbered(1))
  life.end()
  const start = simulation.nowMs
  await assert.rejects(simulation.complete(a.send('b', numbered(2))), PeerUnreachable)
  assert.equal(simulation.nowMs - start, 20)
  const again = fabric.join('b')
  again.receive((message) => received.push(message))
  await simulation.run()
  assert.deepEqual(received, [])
  await simulation.complete(a.send('b', numbered(3)))
  await simulation.run()
  assert.deepEqual(received, [{ from: 'a', bytes: numbered(3), channel: 'control' }])
})

test('the dead send nothing', async () => {
  const { simulation, fabric, b, atB } = twoPeers()
  const life = new Life()
  const c = fabric.join('c', life)
  c.learn('b', b.addresses())
  life.end()
  let heard = false
  void c.send('b', numbered(1)).then(() => {
    heard = true
  })
  await simulation.run()
  assert.deepEqual([atB, heard], [[], false])
})

test('a narrow link makes the sender wait', async () => {
  const { simulation, a, atB } = twoPeers({ bytesPerMs: 1 })
  for (const number of [1, 2, 3]) await simulation.complete(a.send('b', numbered(number)))
  assert.equal(simulation.nowMs, 6)
  await simulation.run()
  assert.deepEqual(atB, [1, 2, 3])
})

test('links are set for one direction, or for all', async () => {
  const setting = twoPeers()
  setting.fabric.setLink({ loss: 1 }, 'a', 'b')
  await sendAll(setting)
  assert.deepEqual(setting.atB, [])
  await setting.simulation.complete(setting.b.send('a', numbered(1)))
  await setting.simulation.run()
  assert.deepEqual(setting.atA, [1])
  setting.fabric.setLink({ loss: 0 })
  await sendAll(setting)
  assert.deepEqual(setting.atB, numbers)
})
