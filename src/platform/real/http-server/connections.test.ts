import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'vitest'
import { HttpConnections } from './connections.ts'

/** As much of a socket as is looked at. */
class MadeUpSocket extends EventEmitter {
  readonly remoteAddress: string
  isOpen = true
  bytesRead = 0

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.isOpen = false
    this.emit('close')
  }
}

const limits = { connectionsMax: 20, connectionsPerAddress: 4, connectionsForLoopback: 5, idleMsMax: 3_000 }

function opening() {
  const connections = new HttpConnections(limits)
  const opened: MadeUpSocket[] = []
  const open = (address: string, isBusy = false) => {
    const socket = new MadeUpSocket(address)
    connections.opened(socket as unknown as Socket)
    if (isBusy) connections.requestBegan(socket as unknown as Socket, new EventEmitter())
    opened.push(socket)
    return socket
  }
  const openOf = (start: string) =>
    opened.filter(({ isOpen, remoteAddress }) => isOpen && remoteAddress.startsWith(start)).length
  return { connections, open, openOf }
}

describe('another machine', () => {
  test('has so many connections; the oldest idle one gives way to a new one', () => {
    const { open, openOf } = opening()
    const [first, second] = [open('192.0.2.1'), open('192.0.2.1', true)]
    for (let count = 0; count < 10; count++) open('192.0.2.1')
    assert.deepEqual([openOf('192.0.2.1'), first.isOpen, second.isOpen], [4, false, true])
  })

  test('whose connections are all busy gets no further one, and loses none', () => {
    const { open, openOf } = opening()
    const busy = Array.from({ length: 4 }, () => open('192.0.2.1', true))
    assert.equal(open('192.0.2.1').isOpen, false)
    assert.ok(busy.every(({ isOpen }) => isOpen))
    assert.equal(openOf('192.0.2.1'), 4)
  })

  test('counts once, however it is written, and all of an IPv6 network too', () => {
    const { open, openOf } = opening()
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1'])
      open(address)
    assert.equal(openOf('192') + openOf('::ffff'), 4)
    for (const end of ['1', '2:3', 'a:b:c:d', '9', '7:0:0:1'])
      open(`2001:db8:0:1:${end}`.replace(/:1:(.)$/, ':1::$1'))
    assert.equal(openOf('2001:db8:0:1'), 4)
  })
})

describe('many machines together', () => {
  test('leave room for this one', () => {
    const { open, openOf } = opening()
    for (let host = 0; host < 200; host++) open(`192.0.2.${host}`, host % 2 === 0)
    assert.equal(openOf('192'), 15)
    const own = Array.from({ length: 5 }, () => open('127.0.0.1'))
    assert.ok(own.every(({ isOpen }) => isOpen))
    assert.equal(openOf('192'), 15)
  })

  test('whoever has most gives way first', () => {
    const { open, openOf } = opening()
    const alone = open('192.0.2.99')
    for (let host = 0; host < 5; host++) for (let count = 0; count < 4; count++) open(`192.0.2.${host}`)
    assert.ok(alone.isOpen)
    assert.equal(openOf('192'), 15)
  })
})

test('this machine always gets in, where all are busy, too', () => {
  const { open, openOf } = opening()
  for (let count = 0; count < 100; count++) open('127.0.0.2', true)
  assert.equal(openOf('127.0.0.2'), 10)
  for (let count = 0; count < 100; count++) open('127.0.0.3', true)
  assert.ok(open('127.0.0.1').isOpen)
  assert.ok(open('::1').isOpen)
  assert.ok(openOf('') <= 20)
})

test('a connection is busy until the last of its requests has ended, and gone ones are forgotten', () => {
  const { connections, open } = opening()
  const made = open('127.0.0.1')
  const socket = made as unknown as Socket
  const responses = [new EventEmitter(), new EventEmitter()]
  for (const response of responses) connections.requestBegan(socket, response)
  responses[0]!.emit('close')
  assert.equal(connections.isBusy(socket), true)
  responses[1]!.emit('close')
  assert.equal(connections.isBusy(socket), false)
  made.destroy()
  connections.requestBegan(socket, new EventEmitter())
  assert.equal(connections.isBusy(socket), false)
})

test('a connection that was used since is not the oldest idle one', () => {
  const { connections, open } = opening()
  const [used, unused] = [open('192.0.2.1'), open('192.0.2.1'), open('192.0.2.1'), open('192.0.2.1')]
  const response = new EventEmitter()
  connections.requestBegan(used as unknown as Socket, response)
  response.emit('close')
  open('192.0.2.1')
  assert.deepEqual([used.isOpen, unused.isOpen], [true, false])
})

test('an idle connection is ended when nothing has come over it for so long, and one that is busy or half-way through a head is not', () => {
  const { connections, open } = opening()
  const [silent, busy, coming] = [open('192.0.2.1'), open('192.0.2.2', true), open('192.0.2.3')]
  const look = (times: number) => {
    for (let time = 0; time < times; time++) {
      coming.bytesRead++
      connections.dropSilent()
    }
  }
  assert.equal(connections.lookMs, 1_000)
  look(3)
  assert.equal(silent.isOpen, true)
  look(1)
  assert.deepEqual([silent.isOpen, busy.isOpen, coming.isOpen], [false, true, true])
})

test('a connection that has been busy for long has all of its time to be idle', () => {
  const { connections, open } = opening()
  const made = open('192.0.2.1')
  for (let time = 0; time < 3; time++) connections.dropSilent()
  const response = new EventEmitter()
  connections.requestBegan(made as unknown as Socket, response)
  made.bytesRead = 100
  for (let time = 0; time < 10; time++) connections.dropSilent()
  response.emit('close')
  for (let time = 0; time < 4; time++) connections.dropSilent()
  assert.equal(made.isOpen, true)
  connections.dropSilent()
  assert.equal(made.isOpen, false)
})
