import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { digestOf } from '../../../model/digest.ts'
import { withTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { RealClock } from '../clock.ts'
import { RealDisk } from '../disk/disk.ts'
import { withHostileOrigin } from '../fixtures/hostile-origin.ts'
import {
  bodyOf,
  failureOf,
  PatientClock,
  requestOf,
  responseTo,
  wideLimits,
  withWeb,
} from '../fixtures/test-web.ts'
import { RealRandom } from '../random.ts'
import { startWeb, WebClosed } from './web.ts'

test('the request is told as the server got it, headers in order and case', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      const headers = [
        ['User-Agent', 'polyhistor'],
        ['Accept', '*/*'],
        ['if-none-match', '"a", W/"b"'],
      ] as const
      const { request } = await responseTo(web, origin.url('ok/a%20b?c=d'), { headers })
      assert.equal(Buffer.from(request).toString('latin1'), origin.requests[0])
      assert.match(origin.requests[0]!, /^GET \/ok\/a%20b\?c=d HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
      assert.match(
        origin.requests[0]!,
        /User-Agent: polyhistor\r\nAccept: \*\/\*\r\nif-none-match: "a", W\/"b"\r\n/,
      )
    }),
  ))

test('a response tells where it came from, and its times are in order', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      const { address, protocols, tlsProblem, timing } = await responseTo(web, origin.url('ok'))
      assert.deepEqual([address, protocols, tlsProblem], ['127.0.0.1', ['http/1.1'], undefined])
      const { startMs, sentMs, headMs, endMs } = timing
      assert.deepEqual(
        [startMs, sentMs, headMs, endMs].toSorted((a, b) => a - b),
        [startMs, sentMs, headMs, endMs],
      )
    }),
  ))

test('fetches one after the other share a connection', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      for (let round = 0; round < 20; round++) {
        const response = await responseTo(web, origin.url(`ok?body=${round}`))
        assert.equal((await bodyOf(response)).toString(), `${round}`)
        assert.equal(response.timing.connectMs !== undefined, round === 0, 'the time of connecting')
      }
      assert.equal(origin.connections, 1)
    }),
  ))

test('fetches at the same time each have their own answer, on no more connections than allowed', () =>
  withHostileOrigin((origin) =>
    withWeb(
      async ({ web }) => {
        const bodies = await Promise.all(
          Array.from({ length: 60 }, async (_, index) => {
            const response = await responseTo(web, origin.url(`ok?body=${index}`))
            return Number(await bodyOf(response))
          }),
        )
        assert.deepEqual(
          bodies,
          bodies.map((_, index) => index),
        )
        assert.equal(origin.connections, 3)
      },
      { connectionsMax: 3 },
    ),
  ))

test('when there is no room, the connection unused for longest makes it', () =>
  withHostileOrigin((a) =>
    withHostileOrigin((b) =>
      withHostileOrigin((c) =>
        withWeb(
          async ({ web }) => {
            for (const origin of [a, b, a, c, a, b]) await responseTo(web, origin.url('ok'))
            assert.deepEqual([a.connections, b.connections, c.connections], [1, 2, 1])
          },
          { connectionsMax: 2 },
        ),
      ),
    ),
  ))

test('waiting for room ends in time', () =>
  withHostileOrigin((origin) =>
    withWeb(
      async ({ web }) => {
        const silent = web.fetch(
          requestOf(origin.url('silence'), { limits: { ...wideLimits, stallMsMax: 200 } }),
        )
        const limits = { ...wideLimits, totalMsMax: 50 }
        const impatient = failureOf(web, origin.url('ok'), { limits })
        const patient = responseTo(web, origin.url('ok'))
        assert.equal((await impatient).code, 'timeout')
        await silent
        await patient
      },
      { connectionsMax: 1 },
    ),
  ))

test('a connection that the server closed while it was idle is not used, whenever that was noticed', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      for (let round = 0; round < 12; round++) {
        const response = await responseTo(web, origin.url('close-after'))
        assert.equal(response.truncated, undefined)
        await new RealClock().sleep(round)
      }
      await responseTo(web, origin.url('ok'))
    }),
  ))

test('a body larger than memory may hold is spooled, digested, and read again and again', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web, spoolFolder }) => {
      const bytes = 5_000_000
      const limits = { ...wideLimits, bodyBytesMax: bytes }
      const { body, truncated } = await responseTo(web, origin.url(`ok-large?bytes=${bytes}`), { limits })
      assert(body.kind === 'spooled')
      const expected = Buffer.alloc(bytes, 'abcdefghij')
      assert.equal(truncated, undefined)
      assert.deepEqual(body.digest, digestOf('sha256', expected))
      for (let round = 0; round < 2; round++) {
        assert(expected.equals(Buffer.concat(await Array.fromAsync(body.chunks()))))
      }
      assert.equal((await new RealDisk().list(spoolFolder)).length, 1)
      await Promise.all([body.remove(), body.remove()])
    }),
  ))

test('a server that sends faster than the disk writes has to wait, and all of it comes', () =>
  withHostileOrigin((origin) =>
    withTemporaryFolder(async (folder) => {
      const [clock, disk] = [new PatientClock(), new RealDisk()]
      const open = disk.open.bind(disk)
      disk.open = async (...given) => {
        const file = await open(...given)
        const write = file.write.bind(file)
        let slowWrites = 3
        file.write = async (...bytes) => {
          if (slowWrites-- > 0) await clock.sleep(350)
          await write(...bytes)
        }
        return file
      }
      const web = await startWeb({ clock, random: new RealRandom(), disk }, { spoolFolder: folder })
      try {
        // Time that the disk takes is not the server's.
        const limits = { ...wideLimits, bodyBytesMax: 10_000_000, stallMsMax: 300 }
        const response = await responseTo(web, origin.url('ok-large?bytes=4000000'), { limits })
        assert.equal(response.truncated, undefined)
        assert(Buffer.alloc(4_000_000, 'abcdefghij').equals(await bodyOf(response)))
      } finally {
        await web.close()
        clock.close()
      }
    }),
  ))

test('bodies at the edge of the limits', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      for (const [bytes, kind, truncated] of [
        [0, 'memory', undefined],
        [10_000, 'memory', undefined],
        [10_001, 'spooled', undefined],
        [100_000, 'spooled', undefined],
        [100_001, 'spooled', 'length'],
      ] as const) {
        const response = await responseTo(web, origin.url(`ok-large?bytes=${bytes}`))
        assert.deepEqual([response.body.kind, response.truncated], [kind, truncated])
        assert.equal((await bodyOf(response)).length, Math.min(bytes, 100_000))
      }
    }),
  ))

test('a full disk is told to the caller, and nothing is left open', () =>
  withHostileOrigin((origin) =>
    withTemporaryFolder(async (folder) => {
      const disk = new RealDisk()
      const full = Object.assign(Object.create(disk) as RealDisk, {
        open: async () => {
          throw new Error('disk full')
        },
      })
      const needs = { clock: new RealClock(), random: new RealRandom(), disk: full }
      const web = await startWeb(needs, { spoolFolder: folder, memoryBytesMax: 10 })
      try {
        await assert.rejects(web.fetch(requestOf(origin.url('endless-body'))), { message: 'disk full' })
        // Byte by byte: the 11th finds the disk full, the 12th is over the limit and ends the body.
        const limits = { ...wideLimits, bodyBytesMax: 11 }
        await assert.rejects(web.fetch(requestOf(origin.url('slow-body'), { limits })), {
          message: 'disk full',
        })
        await assert.rejects(web.fetch(requestOf(origin.url('ok-large?bytes=11'))), { message: 'disk full' })
        await responseTo(web, origin.url('ok'))
      } finally {
        await web.close()
      }
      await origin.deserted()
    }),
  ))

test('a signal that serves many fetches is not held on to', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      const { signal } = new AbortController()
      for (const path of ['ok', 'ok', 'ok-closing', 'garbage'])
        await web.fetch(requestOf(origin.url(path)), signal)
      assert.equal(getEventListeners(signal, 'abort').length, 0)
    }),
  ))

test('an abort ends a fetch in any phase with its reason', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web, clock }) => {
      for (const path of ['silence', 'slow-head', 'slow-body', 'endless-body']) {
        const limits = { ...wideLimits, bodyBytesMax: Number.MAX_SAFE_INTEGER }
        const controller = new AbortController()
        const fetch = web.fetch(requestOf(origin.url(path), { limits }), controller.signal)
        await clock.sleep(30)
        controller.abort(new Error(`no more ${path}`))
        await assert.rejects(fetch, { message: `no more ${path}` })
      }
      const aborted = AbortSignal.abort(new Error('before'))
      await assert.rejects(web.fetch(requestOf(origin.url('ok')), aborted), { message: 'before' })
      const connecting = new AbortController()
      const fetch = web.fetch(requestOf(origin.url('ok', 'localhost')), connecting.signal)
      connecting.abort(new Error('while connecting'))
      await assert.rejects(fetch, { message: 'while connecting' })
      await origin.deserted()
    }),
  ))

test('closing ends what is under way, and starts nothing more', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web, clock }) => {
      await responseTo(web, origin.url('ok'))
      const fetches = ['silence', 'slow-body', 'slow-head'].map((path) =>
        web.fetch(requestOf(origin.url(path))),
      )
      const results = Promise.allSettled(fetches)
      await clock.sleep(50)
      const connecting = assert.rejects(web.fetch(requestOf(origin.url('ok', 'localhost'))), WebClosed)
      await web.close()
      await web.close()
      for (const result of await results)
        assert(result.status === 'rejected' && result.reason instanceof WebClosed)
      await connecting
      await assert.rejects(web.fetch(requestOf(origin.url('ok'))), WebClosed)
      await origin.deserted()
    }),
  ))

test('connections that cannot be made have a name', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      const url = origin.url('ok')
      await origin.close()
      const { code, retry, address } = await failureOf(web, url)
      assert.deepEqual([code, retry, address], ['connect-refused', 'later', '127.0.0.1'])
      // A port that TLS does not speak on, and an IPv4 broadcast that TCP does not take.
      assert.equal((await failureOf(web, 'http://255.255.255.255/')).code, 'connect-failed')
    }),
  ))

test('bodies that an earlier run left in the spool folder are removed, and nothing else', () =>
  withTemporaryFolder(async (folder) => {
    const disk = new RealDisk()
    for (const name of ['old.spool', 'notes.txt']) await writeFile(join(folder, name), '')
    const web = await startWeb(
      { clock: new RealClock(), random: new RealRandom(), disk },
      { spoolFolder: folder },
    )
    await web.close()
    assert.deepEqual(await disk.list(folder), ['notes.txt'])
  }))
