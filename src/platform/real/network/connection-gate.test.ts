import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { until } from '../../fixtures/until.ts'
import { ConnectionGate, type OpenedConnection } from './connection-gate.ts'
import { networkLimitsDefault } from './limits.ts'

describe('the door', () => {
  const limits = { ...networkLimitsDefault, connectionsPendingMax: 6, connectionsPendingPerAddressMax: 3 }
  const dropped: string[] = []

  function knock(door: ConnectionGate, ip: string, port: number): OpenedConnection {
    const name = `/ip4/${ip}/tcp/${port}`
    const connection = {
      remoteAddr: { toString: () => name },
      abort: () => void dropped.push(name),
      addEventListener: () => {},
    }
    door.enter(connection)
    return connection
  }

  test('drops the oldest of the address that has most, and those from where members come last', () => {
    const door = new ConnectionGate(limits)
    dropped.length = 0
    knock(door, '192.0.2.1', 1)
    door.admit('/ip4/192.0.2.1/tcp/1')
    for (const port of [2, 3, 4]) knock(door, '192.0.2.1', port)
    for (const port of [1, 2]) knock(door, '198.51.100.1', port)
    knock(door, '203.0.113.1', 1)
    assert.deepEqual(dropped, [])
    knock(door, '203.0.113.2', 1)
    assert.deepEqual(dropped, ['/ip4/198.51.100.1/tcp/1'])
    knock(door, '192.0.2.1', 5)
    assert.deepEqual(dropped.slice(1), ['/ip4/192.0.2.1/tcp/2'], 'one address has no more than its part')
    assert.equal(door.waitingCount, 6)
  })

  test('drops who waits for too long, and nobody who was let in', async () => {
    const door = new ConnectionGate({ ...limits, pendingMsMax: 1 })
    dropped.length = 0
    knock(door, '192.0.2.1', 1)
    door.admit('/ip4/192.0.2.1/tcp/1')
    knock(door, '192.0.2.1', 2)
    await until('the silent one to be dropped', () => dropped.length > 0)
    assert.deepEqual(dropped, ['/ip4/192.0.2.1/tcp/2'])
  })

  test('counts those that were let in apart', () => {
    const door = new ConnectionGate({ ...limits, connectionsMax: 5, connectionsOutboundMin: 3 })
    for (const port of [1, 2]) {
      assert.equal(door.isFull, false)
      knock(door, '192.0.2.1', port)
      door.admit(`/ip4/192.0.2.1/tcp/${port}`)
    }
    assert.equal(door.isFull, true)
    assert.equal(door.waitingCount, 0)
  })
})
