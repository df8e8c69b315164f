// A relay on this machine: whom it serves, and what a connection through it carries.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { until } from '../../../fixtures/until.ts'
import type { Message } from '../../../network/network.ts'
import { patientLimits } from '../../fixtures/patient-limits.ts'
import { controlProtocol, RawPeer } from '../../fixtures/raw-peer.ts'
import { frame } from '../frames.ts'
import { type NetworkOptions, type RealNetwork, startNetwork } from '../network.ts'

const quiet = { portMapping: false, relays: true, holePunching: false, relaying: undefined }
const relaying = { peersMax: 1, bytesMax: 200_000, msMax: 60_000 }

async function start(options: Partial<NetworkOptions> = {}): Promise<RealNetwork> {
  const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'], ...patientLimits, ...options })
  onTestFinished(() => network.close())
  return network
}

async function raw(): Promise<RawPeer> {
  const peer = await RawPeer.start()
  onTestFinished(() => peer.stop())
  return peer
}

/** Somebody that only the relay can reach, as far as others know. Says welcome to all. */
async function sheltered(relay: RealNetwork): Promise<RawPeer> {
  const peer = await raw()
  await peer.node.handle(
    controlProtocol,
    (stream) => {
      stream.addEventListener('message', () => {}, { once: true })
      stream.send(frame([new Uint8Array([1])]))
    },
    { runOnLimitedConnection: true },
  )
  const greeting = await peer.greet(relay.addresses()[0]!)
  await until('the welcome of the relay', () => greeting.received.length > 0)
  await peer.transports.reserve(relay.self)
  return peer
}

function through(relay: RealNetwork, peer: string): string {
  return `${relay.addresses()[0]}/p2p-circuit/p2p/${peer}`
}

test('only who was admitted gets a place at a relay, and no more than it offers', async () => {
  const relay = await start({ reach: { ...quiet, relaying } })
  const stranger = await raw()
  await stranger.dial(relay.addresses()[0]!)
  await assert.rejects(stranger.transports.reserve(relay.self), /reservation failed/)
  await sheltered(relay)
  assert.equal(relay.reach()?.relayedFor, 1)
  await assert.rejects(sheltered(relay), /reservation failed/)
})

test('who offers no relay gives nobody a place', async () => {
  const relay = await start({ reach: quiet })
  await assert.rejects(sheltered(relay))
})

test('a stranger to the relay is not passed on', async () => {
  const relay = await start({ reach: { ...quiet, relaying } })
  const { peer } = await sheltered(relay)
  const stranger = await raw()
  await stranger.dial(relay.addresses()[0]!)
  await assert.rejects(
    stranger.transports.dialRelayed(peer, [through(relay, peer)], AbortSignal.timeout(5_000)),
    /failed to connect via relay/,
  )
})

test('messages cross a relay, and a connection that has carried its share ends', async () => {
  const relay = await start({ reach: { ...quiet, relaying } })
  const { peer } = await sheltered(relay)
  const other = await start({ reach: quiet })
  const lost: string[] = []
  other.onLost((gone) => lost.push(gone))
  other.receive((_: Message) => {})
  await other.meet(relay.addresses()[0]!)
  assert.equal(await other.meet(through(relay, peer)), peer)
  await other.send(peer, new Uint8Array(1_000))
  assert.equal(other.reach()?.connections.relayed, 1)
  await other.send(peer, new Uint8Array(400_000)).catch(() => {})
  await until('the end of the connection', () => lost.includes(peer))
})
