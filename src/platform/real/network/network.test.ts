import assert from 'node:assert/strict'
import { test } from 'vitest'
import { until } from '../../fixtures/until.ts'
import { PeerUnreachable } from '../../network/network.ts'
import { patientLimits } from '../fixtures/patient-limits.ts'
import { newIdentity } from './identity.ts'
import { type NetworkOptions, type RealNetwork, startNetwork } from './network.ts'

async function withNetworks(
  body: (start: (options?: Partial<NetworkOptions>) => Promise<RealNetwork>) => Promise<void>,
): Promise<void> {
  const started: RealNetwork[] = []
  try {
    await body(async (options = {}) => {
      const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'], ...patientLimits, ...options })
      started.push(network)
      return network
    })
  } finally {
    await Promise.all(started.map((network) => network.close()))
  }
}

/** Sends again and again until something of this size has come. */
async function sendUntilReceived(from: RealNetwork, to: RealNetwork, sizeBytes: number): Promise<number[]> {
  const sizes: number[] = []
  to.receive(({ bytes }) => sizes.push(bytes.length))
  await until(`a message of ${sizeBytes} bytes`, async () => {
    if (!sizes.includes(sizeBytes))
      await from
        .send(to.self, new Uint8Array(sizeBytes))
        .catch((error) => assert(error instanceof PeerUnreachable))
    return sizes.includes(sizeBytes)
  })
  return sizes
}

test('the same identity is the same peer, and can be reached again where it listens now', () =>
  withNetworks(async (start) => {
    const identity = await newIdentity()
    const [a, before] = [await start(), await start({ identity })]
    a.learn(before.self, before.addresses())
    await sendUntilReceived(a, before, 1)
    await before.close()
    const after = await start({ identity })
    assert.equal(after.self, before.self)
    a.learn(after.self, after.addresses())
    await sendUntilReceived(a, after, 2)
  }))

test('a stream with a message over the receiver’s limit is reset, and the next one is heard', () =>
  withNetworks(async (start) => {
    const [a, b] = [await start({ messageBytesMax: 10_000 }), await start({ messageBytesMax: 1_000 })]
    a.learn(b.self, b.addresses())
    const tooLarge = a.send(b.self, new Uint8Array(5_000))
    const sizes = await sendUntilReceived(a, b, 10)
    await tooLarge
    assert(!sizes.includes(5_000))
  }))

test('an address that leads to another peer does not make that peer the one', () =>
  withNetworks(async (start) => {
    const [a, b, c] = [await start(), await start(), await start()]
    let heard = false
    c.receive(() => {
      heard = true
    })
    const withoutName = c.addresses().map((address) => address.replace(/\/p2p\/.*/, ''))
    a.learn(b.self, [...c.addresses(), ...withoutName])
    await assert.rejects(a.send(b.self, new Uint8Array(1)), PeerUnreachable)
    assert.equal(heard, false)
  }))

test('more than the queue holds comes whole and in order, if the sender waits', () =>
  withNetworks(async (start) => {
    const [a, b] = [await start(), await start()]
    a.learn(b.self, b.addresses())
    const firsts: number[] = []
    b.receive(({ bytes }) => firsts.push(bytes[0]!))
    for (let round = 0; round < 40; round++) await a.send(b.self, new Uint8Array(1_000_000).fill(round))
    await until('forty messages', () => firsts.length >= 40)
    assert.deepEqual(
      firsts,
      Array.from({ length: 40 }, (_, round) => round),
    )
  }))
