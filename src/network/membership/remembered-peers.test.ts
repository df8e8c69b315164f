import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readRememberedPeers, writeRememberedPeers } from './remembered-peers.ts'

const peers = [
  { peer: 'a', addresses: ['/ip4/10.0.0.1/tcp/1'] },
  { peer: 'b', addresses: ['/ip4/10.0.0.2/tcp/1', '/ip4/10.0.0.3/tcp/1'] },
]

test('remembered peers are read as they were written, of the same network only', () => {
  const text = writeRememberedPeers('one', peers)
  assert.deepEqual(readRememberedPeers('one', text), peers)
  assert.deepEqual(readRememberedPeers('other', text), [])
})

test('so many and no more, and none that nobody knows how to reach', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({ peer: `${index}`, addresses: ['x'] }))
  assert.equal(readRememberedPeers('one', writeRememberedPeers('one', many)).length, 256)
  assert.deepEqual(
    readRememberedPeers('one', writeRememberedPeers('one', [{ peer: 'a', addresses: [] }])),
    [],
  )
})

test.each([
  '',
  'null',
  '[]',
  '{"network":"one","peers":[{"peer":1}]}',
  '{"network":"one","peers":[{"peer":"a","addresses":"x"}]}',
])('a file that says %j is one without peers', (text) => {
  assert.deepEqual(readRememberedPeers('one', text), [])
})
