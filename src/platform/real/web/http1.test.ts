import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { properties } from './http1.fuzz.ts'
import { Http1Wire } from './http1.ts'
import { Http1Fault } from './http1-fault.ts'
import { UnsendableRequest, type WireControl } from './wire.ts'

interface Answered {
  body: string
  headBytes: number
  error: Error | undefined
}

/** A wire to a server that says each of these to the next request. */
async function withWire(
  answers: readonly string[],
  use: (wire: Http1Wire, socket: Socket) => Promise<void>,
): Promise<void> {
  const left = [...answers]
  const server = createServer((peer) => {
    peer.on('error', () => {})
    peer.on('data', () => peer.write(left.shift() ?? '', 'latin1'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  try {
    await use(new Http1Wire(socket, 60_000), socket)
  } finally {
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

function ask(
  wire: Http1Wire,
  { agent = 'a', onBody }: { agent?: string; onBody?: (control: WireControl) => void } = {},
): Promise<Answered> {
  return new Promise((resolve) => {
    const answered: Answered = { body: '', headBytes: 0, error: undefined }
    wire.send(
      { method: 'GET', body: undefined, authority: 'a.test', target: '/', headers: [['User-Agent', agent]] },
      {
        onHeadBytes() {},
        onInterim() {},
        onHead: (_status, head) => (answered.headBytes = head.length),
        onBody: (chunk, control) => {
          answered.body += chunk.toString('latin1')
          onBody?.(control)
        },
        onEnd: () => resolve(answered),
        onError: (error) => resolve({ ...answered, error }),
      },
    )
  })
}

const whole = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

const keeping: [string, string, boolean][] = [
  ['that says nothing of it', whole('x'), true],
  ['that says close', whole('x', 'Connection: Keep-Alive, Close\r\n'), false],
  ['of HTTP/1.0', whole('x').replace('1.1', '1.0'), false],
  ['of HTTP/1.0 that says keep-alive', whole('x', 'Connection: keep-alive\r\n').replace('1.1', '1.0'), true],
  ['that waits longer than our margin', whole('x', 'Keep-Alive: max=5, timeout=9\r\n'), true],
  ['that waits for no longer than our margin', whole('x', 'Keep-Alive: timeout=2\r\n'), false],
  ['that is a 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', false],
  ['that is a 304 without', 'HTTP/1.1 304 Not Modified\r\n\r\n', true],
  ['with bytes behind it', `${whole('x')}y`, false],
]

test.each(keeping)('after a response %s', (_name, answer, isKept) =>
  withWire([answer, whole('next')], async (wire) => {
    assert.equal((await ask(wire)).error, undefined)
    assert.equal(wire.isAlive, isKept)
    if (isKept) assert.equal((await ask(wire)).body, 'next')
  }),
)

test('a head is told to the byte, without what stands before it', () =>
  withWire([`\r\n\r\n${whole('x', 'X:  y \r\n')}`], async (wire) => {
    assert.equal((await ask(wire)).headBytes, whole('', 'X:  y \r\n').length)
  }))

test('bytes that nobody asked for end the connection', () =>
  withWire([whole('x'), whole('unasked')], async (wire, socket) => {
    await ask(wire)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('no request of the wire')
    await closed
    assert.equal(wire.isAlive, false)
  }))

test('who had a response wait when it ended has the next one all the same', () =>
  withWire([whole('x'), whole('y')], async (wire) => {
    await ask(wire, { onBody: (control) => control.pause() })
    assert.equal((await ask(wire)).body, 'y')
  }))

test('a response goes on when it is let go on', () =>
  withWire([whole('x'.repeat(1_000_000))], async (wire) => {
    let pauses = 0
    const onBody = (control: WireControl): void => {
      if (++pauses % 3 !== 0) return
      control.pause()
      void sleep(1).then(() => control.resume())
    }
    assert.equal((await ask(wire, { onBody })).body.length, 1_000_000)
  }))

test('a header that would end where it should not is not sent', () =>
  withWire([whole('x')], async (wire) => {
    for (const agent of ['a\r\nX: y', 'a\0', 'č'])
      assert((await ask(wire, { agent })).error instanceof UnsendableRequest)
    assert.equal((await ask(wire, { agent: 'a\té' })).body, 'x')
  }))

testProperties(properties, 30)

test('an odd response is read, but its connection is not used again', async () => {
  const odd = [
    'HTTP/1.1 200 OK\nContent-Length: 2\n\nhi',
    'HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\nContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nX : a\r\nContent-Length : 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nno field\r\nContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
  ]
  for (const answer of odd) {
    await withWire([answer], async (wire) => {
      const { body, error } = await ask(wire)
      assert.deepEqual([body, error, wire.isAlive], ['hi', undefined, false], answer)
    })
  }
  await withWire([`HTTP/1.1 100 Continue\r\n\r\n${whole('hi')}`], async (wire) => {
    assert.deepEqual([(await ask(wire)).body, wire.isAlive], ['hi', true])
  })
})

test('what could mean two things is not read', async () => {
  const ambiguous = [
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!',
    'HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nhi!',
    'HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nX: a\rContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length\x0b: 2\r\n\r\nhi',
  ]
  for (const answer of ambiguous) {
    await withWire([answer], async (wire) => {
      const { body, error } = await ask(wire)
      assert.deepEqual([body, error instanceof Http1Fault, wire.isAlive], ['', true, false], answer)
    })
  }
})
