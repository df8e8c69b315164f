// Peers that ask us to dial somebody: whom we dial, and how often.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Connection } from '../node.ts'
import { HolePunching } from './hole-punching.ts'
import type { DirectDial, Transports } from './transports.ts'

const signal = new AbortController().signal

/** Dials are written down, and fail when the test says so. */
function punching() {
  const dialled: string[] = []
  let fail: () => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('nobody answers'))
  })
  failed.catch(() => undefined)
  const dialDirect = (address: string, _: DirectDial): Promise<Connection> => {
    dialled.push(address)
    return failed
  }
  const made = new HolePunching({
    self: 'us',
    transports: { dialDirect } as unknown as Transports,
    connections: () => [],
    ownAddresses: () => ['/ip4/203.0.113.1/tcp/7071'],
    greet: async () => undefined,
  })
  return { made, dialled, fail }
}

function relayed(peer: string): Connection {
  const address = `/ip4/203.0.113.9/tcp/7071/p2p/relay/p2p-circuit/p2p/${peer}`
  return { remotePeer: peer, remoteAddr: address } as unknown as Connection
}

test('only places that can be another machine’s are dialled, and few of them', async () => {
  const { made, dialled, fail } = punching()
  const offered = [
    ...['/ip4/127.0.0.1/tcp/22', '/ip6/::ffff:127.0.0.1/tcp/22', '/dns4/localhost/tcp/22', 'nonsense'],
    ...['/ip4/169.254.169.254/tcp/80', '/ip4/0.0.0.0/tcp/80', '/ip4/203.0.113.9/tcp/1/p2p/relay/p2p-circuit'],
    ...[1, 2, 3, 4, 5, 6].map((port) => `/ip4/198.51.100.1/tcp/${port}/p2p/somebody`),
  ]
  fail()
  await made.prepare(relayed('m'), offered, signal)
  assert.deepEqual(
    dialled,
    [1, 2, 3, 4].map((port) => `/ip4/198.51.100.1/tcp/${port}/p2p/m`),
  )
})

test('who asks again at once is refused, and so are all while many are served', async () => {
  const { made, dialled, fail } = punching()
  const offered = ['/ip4/198.51.100.1/tcp/22']
  const served = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((peer) =>
    made.prepare(relayed(peer), offered, signal),
  )
  await assert.rejects(made.prepare(relayed('a'), offered, signal), /too many questions/)
  await assert.rejects(made.prepare(relayed('i'), offered, signal), /too many questions/)
  assert.equal(dialled.length, served.length)
  fail()
  await Promise.all(served)
  await assert.rejects(made.prepare(relayed('a'), offered, signal), /too many questions/)
  await made.prepare(relayed('i'), offered, signal)
  assert.equal(dialled.length, served.length + 1)
})

test('who did not ask before is not dialled when it says go', () => {
  const { made, dialled } = punching()
  made.go(relayed('m'), ['/ip4/198.51.100.1/tcp/22'])
  assert.deepEqual(dialled, [])
})
