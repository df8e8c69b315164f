import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, onTestFinished, test } from 'vitest'
import { until } from '../../fixtures/until.ts'
import {
  type HttpHandler,
  type HttpLimits,
  HttpServerError,
  httpLimitsDefault,
} from '../../network/http-server.ts'
import { startHttpServer } from './http-server.ts'

interface Given {
  limits?: Partial<HttpLimits>
  faults?: unknown[]
}

/** Until the test has ended. */
async function serve(handler: HttpHandler, { limits, faults }: Given = {}) {
  const server = await startHttpServer(
    {
      host: '127.0.0.1',
      port: 0,
      limits: { ...httpLimitsDefault, ...limits },
      whenFault: (fault) => faults?.push(fault),
    },
    handler,
  )
  onTestFinished(() => server.close(0))
  return { server, url: `http://127.0.0.1:${server.port}` }
}

const text = (body: string, status = 200) => ({ status, headers: [], body })

/** Sends bytes as they are and reads until the other side closes. */
function talk(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('a request', () => {
  test.each(['/web/http://a.test//b/../c?d=%2F&e=//', '/%zz', '/a?b?c#', '//a', '/../x', '*'])(
    'has its target as it was sent: %s',
    async (target) => {
      const { server } = await serve((request) => text(request.target))
      const answer = await talk(server.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.ok(answer.endsWith(`\r\n\r\n${target}`), answer)
    },
  )

  test('tells its headers by lower-case name, and where it comes from', async () => {
    const { url } = await serve((request) =>
      text(JSON.stringify([request.header('x-some'), request.header('none'), request.remoteAddress])),
    )
    const answer = await fetch(url, { headers: { 'X-Some': 'a' } })
    assert.deepEqual(await answer.json(), ['a', null, '127.0.0.1'])
  })

  test('gives its body whole, or is refused when that is too large', async () => {
    const { url } = await serve(async (request) => {
      try {
        return text(String((await request.body(10)).length))
      } catch (error) {
        assert.ok(error instanceof HttpServerError)
        return text(error.code, 413)
      }
    })
    const post = async (body: string | ReadableStream) => {
      const options = { method: 'POST', body, duplex: 'half' } as RequestInit
      return (await fetch(url, options)).text()
    }
    assert.equal(await post('0123456789'), '10')
    assert.equal(await post('0123456789x'), 'http-body-too-large')
    const chunked = new ReadableStream({
      start(stream) {
        for (let part = 0; part < 4; part++) stream.enqueue(Buffer.from('xxxx'))
        stream.close()
      },
    })
    assert.equal(await post(chunked), 'http-body-too-large')
  })

  test('without a body has an empty one, and several sent at once are answered in turn', async () => {
    const { server } = await serve(async (request) => {
      const pieces = await Array.fromAsync(request.stream(10))
      return text(`${request.target}:${(await request.body(10)).length}:${pieces.length};`)
    })
    const asking = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const answer = await talk(
      server.port,
      asking('/1') + asking('/2') + asking('/3', 'Connection: close\r\n'),
    )
    assert.deepEqual(answer.match(/\/\d:\d+:\d+/g), ['/1:0:0', '/2:0:0', '/3:0:0'])
  })

  test('streams its body: the first piece is there before the last is sent, and too much is refused', async () => {
    const first = Promise.withResolvers<void>()
    const { url } = await serve(async (request) => {
      let length = 0
      try {
        for await (const piece of request.stream(8)) {
          length += piece.length
          first.resolve()
        }
        return text(String(length))
      } catch (error) {
        return text((error as HttpServerError).code, 413)
      }
    })
    const post = async (...rest: string[]) => {
      const body = new ReadableStream({
        async start(stream) {
          stream.enqueue(Buffer.from('first'))
          await first.promise
          for (const piece of rest) stream.enqueue(Buffer.from(piece))
          stream.close()
        },
      })
      return (await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)).text()
    }
    assert.equal(await post('end'), '8')
    assert.equal(await post('and', 'more'), 'http-body-too-large')
  })

  test('whose body does not come in time is cut off, unless it is streamed', async () => {
    const codes: string[] = []
    let whenAsked = () => {}
    const { server } = await serve(
      async (request) => {
        whenAsked()
        const read = request.target === '/all' ? request.body(100) : Array.fromAsync(request.stream(100))
        return text(await read.then(String, (error) => String(codes.push(error.code))))
      },
      { limits: { headMsMax: 300, requestMsMax: 600 } },
    )
    /** A head that comes too late, for this machine stood still, is refused, and sent again. */
    const asked = async (path: string) => {
      for (;;) {
        const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1`
        const socket = connect(server.port, '127.0.0.1', () => socket.write(head))
        let answer = ''
        socket.on('data', (chunk) => (answer += chunk)).on('error', () => {})
        const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)))
        const isAsked = new Promise<true>((resolve) => (whenAsked = () => resolve(true)))
        if ((await Promise.race([isAsked, closed])) === true) return { socket, closed }
      }
    }
    const streamed = await asked('/stream')
    await (await asked('/all')).closed
    assert.deepEqual(codes, ['http-body-cut'])
    streamed.socket.end('2')
    assert.match(await streamed.closed, /^HTTP\/1\.1 200 /)
  })

  test('whose body nobody reads ends its connection: it is not read to the end for nothing', async () => {
    const { server } = await serve(() => text('no', 403))
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nsome'
    const answer = await talk(server.port, head)
    assert.match(answer, /^HTTP\/1\.1 403 [\s\S]*Connection: close\r\n/)
  })

  test('knows when its client has gone', async () => {
    const gone = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { server } = await serve(async (request) => {
      request.signal.addEventListener('abort', () => gone.resolve())
      asked.resolve()
      await gone.promise
      return text('nobody reads this')
    })
    const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
    await asked.promise
    socket.destroy()
    await gone.promise
  })

  test('whose client has gone is no fault of ours, also when its answer ends for that', async () => {
    const faults: unknown[] = []
    const asked = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    async function* body(signal: AbortSignal) {
      try {
        yield Buffer.from('the beginning')
        asked.resolve()
        await once(signal, 'abort')
        signal.throwIfAborted()
      } finally {
        ended.resolve()
      }
    }
    const { server, url } = await serve(
      ({ target, signal }) => {
        if (target === '/broken') throw new Error('a real fault')
        return { status: 200, headers: [], body: body(signal) }
      },
      { faults },
    )
    const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
    await asked.promise
    socket.destroy()
    await ended.promise
    assert.equal((await fetch(`${url}/broken`)).status, 500)
    assert.deepEqual(faults.map(String), ['Error: a real fault'])
  })
})

describe('an answer', () => {
  test('has its length, whatever it is made of', async () => {
    const bodies = ['äöü', Buffer.from('bytes'), undefined]
    const { url } = await serve(() => ({ status: 200, headers: [['X-A', 'b']], body: bodies.shift() }))
    for (const [length, expected] of [
      ['6', 'äöü'],
      ['5', 'bytes'],
      ['0', ''],
    ]) {
      const answer = await fetch(url)
      assert.equal(answer.headers.get('content-length'), length)
      assert.equal(await answer.text(), expected)
    }
  })

  test('to HEAD has the headers of GET and no body; a stream is not even begun', async () => {
    let begun = 0
    async function* chunks() {
      begun++
      yield Buffer.from('x')
    }
    const { url } = await serve(({ target }) => ({
      status: 200,
      headers: [],
      body: target === '/stream' ? chunks() : 'hello',
    }))
    const whole = await fetch(url, { method: 'HEAD' })
    assert.deepEqual([whole.headers.get('content-length'), await whole.text()], ['5', ''])
    assert.equal(await (await fetch(`${url}/stream`, { method: 'HEAD' })).text(), '')
    assert.equal(begun, 0)
  })

  test('of 304 and 204 has neither body nor length', async () => {
    const { server } = await serve(({ target }) => text('never', Number(target.slice(1))))
    for (const status of [204, 304]) {
      const answer = await talk(
        server.port,
        `GET /${status} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      assert.ok(!/content-length|never/i.test(answer), answer)
    }
  })

  test('that streams is asked for more only when it was taken', async () => {
    let made = 0
    // The same piece each time, and not without end: a server that does not wait must fail this test, not the machine.
    const piece = Buffer.alloc(100_000)
    const piecesMax = 3_000
    const ended = Promise.withResolvers<void>()
    async function* long() {
      try {
        while (made < piecesMax) {
          made++
          yield piece
        }
      } finally {
        ended.resolve()
      }
    }
    const { server } = await serve(() => ({ status: 200, headers: [], body: long() }))
    const socket = await new Promise<Socket>((resolve) => {
      const it = connect(server.port, '127.0.0.1', () => resolve(it))
    })
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    // It stops by itself, however long nobody reads: buffers of both systems are full.
    let before = -1
    const hasStopped = (): boolean => made > 0 && before === (before = made)
    await until('the answer to stop', hasStopped, 300)
    assert.ok(made < 1_000, String(made))
    socket.destroy()
    await ended.promise
  })

  test('that streams and has nothing to say yet has its headers sent', async () => {
    const more = Promise.withResolvers<void>()
    async function* body(): AsyncGenerator<Uint8Array> {
      await more.promise
      yield Buffer.from('late')
    }
    const { url } = await serve(() => ({ status: 200, headers: [['X-Some', 'here']], body: body() }))
    const answer = await fetch(url)
    assert.equal(answer.headers.get('x-some'), 'here')
    more.resolve()
    assert.equal(await answer.text(), 'late')
  })

  test('that fails half-way is cut off, so that nobody takes the part for the whole', async () => {
    async function* failing() {
      yield Buffer.from('the first part')
      throw new Error('disk')
    }
    const faults: unknown[] = []
    const { url } = await serve(() => ({ status: 200, headers: [], body: failing() }), { faults })
    await assert.rejects(fetch(url).then((answer) => answer.text()))
    assert.equal((faults[0] as Error).message, 'disk')
  })

  test('of a handler that fails is a 500 that gives nothing away', async () => {
    const faults: unknown[] = []
    const { url } = await serve(
      ({ target }) => {
        if (target === '/now') throw new Error('secret')
        return Promise.reject(new Error('secret'))
      },
      { faults },
    )
    for (const path of ['/now', '/later']) {
      const answer = await fetch(url + path)
      assert.equal(answer.status, 500)
      assert.ok(!(await answer.text()).includes('secret'))
    }
    assert.equal(faults.length, 2)
  })

  test('with a header that cannot be sent is a 500, not the end of the server', async () => {
    const { url } = await serve(({ target }) => ({
      status: 200,
      headers: target === '/bad' ? [['X', 'a\r\nSet-Cookie: b']] : [],
      body: 'ok',
    }))
    const bad = await fetch(`${url}/bad`)
    assert.deepEqual([bad.status, bad.headers.get('set-cookie')], [500, null])
    assert.equal(await (await fetch(url)).text(), 'ok')
  })
})

describe('limits', () => {
  test('the longest URL that an archive holds is asked for', async () => {
    const { server } = await serve(({ target }) => text(String(target.length)))
    const target = `/web/20200101120000id_/http://a.test/?${'q'.repeat(65_500)}`
    const referer = `Referer: http://localhost/${'r'.repeat(4_000)}`
    const request = `GET ${target} HTTP/1.1\r\nHost: x\r\n${referer}\r\nConnection: close\r\n\r\n`
    assert.match(
      await talk(server.port, request),
      new RegExp(`^HTTP/1\\.1 200 (?:.*\r\n)+\r\n${target.length}`),
    )
  })

  test.each([
    ['too large a head', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, '431'],
    ['what is no HTTP', '\x16\x03\x01\x02\x00', '400'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', '400'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400'],
    [
      'length and chunks at once',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400',
    ],
  ])('%s is refused', async (_, request, status) => {
    const { server } = await serve(() => text('hello'))
    assert.match(await talk(server.port, request), new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test('a head that does not come in time ends the connection', async () => {
    const { server } = await serve(() => text('hello'), { limits: { headMsMax: 100, requestMsMax: 200 } })
    assert.match(await talk(server.port, 'GET / HTTP/1.1\r\nHost:'), /^HTTP\/1\.1 408 /)
  })

  test('two Host headers are refused, alike or not', async () => {
    const { server } = await serve(() => text('hello'))
    for (const [one, other] of [
      ['a', 'b'],
      ['a', 'a'],
    ]) {
      const request = `GET / HTTP/1.1\r\nHost: ${one}\r\nhOsT: ${other}\r\n\r\n`
      assert.match(await talk(server.port, request), /^HTTP\/1\.1 400 /)
    }
  })

  test('nonsense in the midst of an answer cuts it off, and is not answered into it', async () => {
    const goOn = Promise.withResolvers<void>()
    async function* slow() {
      yield Buffer.from('the first part')
      await goOn.promise
      yield Buffer.from('the second part')
    }
    const { server } = await serve(() => ({ status: 200, headers: [], body: slow() }))
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      )
      socket.setEncoding('latin1')
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('first part')) socket.write('\x16\x03nonsense\r\n\r\n')
      })
    })
    goOn.resolve()
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.ok(!answer.includes('400'), answer)
  })

  test('CONNECT and upgrades lead nowhere', async () => {
    const { server } = await serve(() => text('hello'))
    assert.equal(await talk(server.port, 'CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n'), '')
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n'
    assert.match(await talk(server.port, `GET / HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`), /^HTTP\/1\.1 200 /)
  })
})

describe('connections', () => {
  const limits = {
    ...httpLimitsDefault,
    connectionsMax: 40,
    connectionsPerAddress: 10,
    connectionsForLoopback: 10,
    headMsMax: 60_000,
  }

  /** Connections from an address of this machine, each known to the server; those that were cut off say so. */
  async function connections(port: number, count: number, localAddress: string, words = '') {
    const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', localAddress }))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.resume()
      await new Promise((resolve) => (socket.connecting ? socket.once('connect', resolve) : resolve(0)))
      if (words !== '') socket.write(words)
    }
    return sockets
  }

  const answerTo = (port: number, localAddress: string) =>
    new Promise<string>((resolve) => {
      let said = ''
      const socket = connect({ port, host: '127.0.0.1', localAddress }, () =>
        socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      )
      socket.setEncoding('latin1').on('data', (chunk) => (said += chunk))
      socket.on('error', () => {})
      socket.on('close', () => resolve(said))
    })

  test('that are idle or half-way through a head give way, the oldest of who has most first', async () => {
    const { server } = await serve(() => text('hello'), { limits })
    const other = await connections(server.port, 5, '127.0.0.9')
    const many = await connections(server.port, 200, '127.0.0.2', 'GET / HTTP/1.1\r\nHost:')
    const alsoMany = await connections(server.port, 200, '127.0.0.3')
    assert.match(await answerTo(server.port, '127.0.0.1'), /^HTTP\/1\.1 200 /)
    assert.match(await answerTo(server.port, '127.0.0.3'), /^HTTP\/1\.1 200 /)
    const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded
    await until(
      'those over the limit to be cut off',
      () => [...many, ...alsoMany].filter(isOpen).length <= limits.connectionsMax,
    )
    assert.equal(other.filter(isOpen).length, 5)
    assert.ok(isOpen(alsoMany.at(-1)!))
  })

  test('with an answer under way give way only to somebody of this machine', async () => {
    const { server } = await serve(({ target }) => (target === '/' ? text('hello') : new Promise(() => {})), {
      limits,
    })
    const request = 'GET /never HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
      await connections(server.port, 100, address, request)
    for (let count = 0; count < 3; count++)
      assert.match(await answerTo(server.port, '127.0.0.1'), /^HTTP\/1\.1 200 /)
  })

  test('a browser’s is kept for its next request', async () => {
    const { server } = await serve(() => text('hello'), { limits })
    const [socket] = await connections(server.port, 1, '127.0.0.1')
    let answers = 0
    socket!.on('data', (chunk) => (answers += String(chunk).split('HTTP/1.1 200').length - 1))
    for (const expected of [1, 2, 3]) {
      socket!.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await until(`${expected} answers`, () => answers === expected)
    }
  })

  test('that wait in vain for a next request are ended, and say beforehand how long they wait', async () => {
    const { server } = await serve(() => text('hello'), {
      limits: { ...limits, idleMsMax: 50, silenceMsMax: 0 },
    })
    const answer = await talk(server.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\nKeep-Alive: timeout=0\r\n/)
    const { server: usual } = await serve(() => text('hello'))
    const [socket] = await connections(usual.port, 1, '127.0.0.1', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [kept] = await once(socket!, 'data')
    assert.match(String(kept), /\r\nConnection: keep-alive\r\n/)
    assert.match(String(kept), /\r\nKeep-Alive: timeout=15\r\n/)
  }, 60_000)

  test('that say nothing end when a head should have come', async () => {
    const { server } = await serve(() => text('hello'), { limits: { ...limits, headMsMax: 100 } })
    assert.match(await talk(server.port, ''), /^HTTP\/1\.1 408 |^$/)
  })
})

describe('the server', () => {
  test('lets requests under way end when it closes, and takes no more', async () => {
    const asked = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const { server, url } = await serve(async () => {
      asked.resolve()
      await goOn.promise
      return text('the end')
    })
    const answer = fetch(url)
    await asked.promise
    const closed = server.close(60_000)
    await assert.rejects(fetch(url))
    goOn.resolve()
    assert.equal(await (await answer).text(), 'the end')
    await closed
  })

  test('cuts off what has not ended in time', async () => {
    const asked = Promise.withResolvers<void>()
    const { server, url } = await serve(() => {
      asked.resolve()
      return new Promise(() => {})
    })
    const answer = fetch(url).catch(() => 'cut')
    await asked.promise
    await server.close(50)
    assert.equal(await answer, 'cut')
  })

  test('says who is in the way when its port is taken', async () => {
    const { server } = await serve(() => text('hello'))
    const whenFault = () => assert.fail('who asked for the port is told, and nobody else')
    await assert.rejects(
      startHttpServer({ host: '127.0.0.1', port: server.port, whenFault }, () => text('x')),
      {
        code: 'http-address-in-use',
        message: /--http/,
      },
    )
    await assert.rejects(
      startHttpServer({ host: '203.0.113.1', port: 0 }, () => text('x')),
      {
        code: 'http-address-unusable',
      },
    )
  })

  test('answers on both addresses of localhost', async () => {
    const server = await startHttpServer({ host: 'localhost', port: 0 }, () => text('hello'))
    onTestFinished(() => server.close(0))
    assert.equal(await (await fetch(`http://127.0.0.1:${server.port}`)).text(), 'hello')
    // Where the machine has IPv6 at all.
    const six = await fetch(`http://[::1]:${server.port}`).catch(
      (error: Error) => error.cause as { code?: string },
    )
    if (six instanceof Response) assert.equal(await six.text(), 'hello')
    else assert.match(six.code ?? '', /EADDRNOTAVAIL|EAFNOSUPPORT|ENETUNREACH/)
  })
})
