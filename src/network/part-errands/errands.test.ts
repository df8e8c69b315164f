// Errands between two peers, whose calls go straight to each other.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { CallHandler } from '../../platform/calls/calls.ts'
import { ErrandHandler, type ErrandNeeds, type ErrandOutcome } from './errand-handler.ts'
import { Errands } from './errands.ts'

const page = parseUrl('http://page.test/')
const url = parseUrl('http://cdn.test/app.js')
const { signal } = new AbortController()
const errand = {
  ...{ url, page, headers: [['Accept', '*/*']] as const, isStream: false },
  ...{ kind: 'asset' as const, sent: undefined, sinceMs: undefined },
}

function peers(needs: Partial<ErrandNeeds>, owner = 'leader') {
  let handle: CallHandler | undefined
  const calls: CallService = {
    bytesMax: 100_000,
    call: async (_peer, bytes) =>
      handle!('asker', Buffer.concat([bytes].flat() as Uint8Array[]), {} as never),
    answer: (handler) => {
      handle = handler
    },
  }
  const fetch = async (): Promise<ErrandOutcome> => ({ kind: 'kept', capturedAtMs: 7 })
  const handler = new ErrandHandler({ calls, waitUntilReady: async () => {}, fetch, ...needs })
  const errands = new Errands({
    calls,
    self: 'asker',
    ownerOf: async () => ({ peer: owner }),
    runHere: (question) => handler.run('asker', question),
  })
  return { handler, errands, handle: (bytes: Uint8Array) => handle!('asker', bytes, {} as never) }
}

test('the peer that crawls the site fetches the part, with the headers of the page', async () => {
  const asked: unknown[] = []
  const { errands } = peers({
    fetch: async ({ href }, { page: from, headers }) => {
      asked.push(href, from, headers)
      return { kind: 'kept', capturedAtMs: 1234 }
    },
  })
  assert.deepEqual(await errands.run(errand, signal), { kind: 'kept', capturedAtMs: 1234 })
  assert.deepEqual(asked, [url.href, page.href, [{ name: 'Accept', value: '*/*' }]])
})

test('what a page sends goes along, if it is not too much; so does since when a capture will do', async () => {
  const asked: unknown[] = []
  const { errands } = peers({
    fetch: async (_, { kind, method, body, sinceMs }) => {
      asked.push([kind, method, body && Buffer.from(body).toString(), sinceMs])
      return { kind: 'kept', capturedAtMs: 1 }
    },
  })
  const sent = { method: 'POST', body: Buffer.from('q=1') }
  await errands.run({ ...errand, kind: 'data', sent }, signal)
  await errands.run({ ...errand, kind: 'frame', sinceMs: 12.5 }, signal)
  assert.deepEqual(asked, [
    ['data', 'POST', 'q=1', 0],
    ['frame', 'GET', undefined, 12],
  ])
  const large = { method: 'POST', body: Buffer.alloc(300_000) }
  assert.equal(await errands.run({ ...errand, kind: 'data', sent: large }, signal), undefined)
})

test('what is not fetched is told with its reason, whatever characters that has', async () => {
  const failing = peers({ fetch: async () => ({ kind: 'missed', code: 'tls-failed', reason: 'é\n' }) })
  assert.deepEqual(await failing.errands.run(errand, signal), {
    kind: 'missed',
    code: 'tls-failed',
    reason: '??',
  })
  const elsewhere = peers({
    waitUntilReady: () => Promise.reject(new PolyhistorError('site-elsewhere', 'another has it')),
  })
  assert.equal((await elsewhere.errands.run(errand, signal))?.kind, 'missed')
})

test('a site of our own is asked here, once it is ready; nobody is asked for what does not fit', async () => {
  let isReady = false
  const { errands } = peers({ waitUntilReady: async () => void (isReady = true) }, 'asker')
  assert.equal((await errands.run(errand, signal))?.kind, 'kept')
  assert(isReady)
  const long = parseUrl('http://cdn.test/'.padEnd(9_000, 'a'))
  assert.equal(await peers({}).errands.run({ ...errand, url: long }, signal), undefined)
})

test('one asker has only so many under way, and gets on when they have ended', async () => {
  const gate = Promise.withResolvers<void>()
  const { errands } = peers({
    fetch: async () => {
      await gate.promise
      return { kind: 'kept', capturedAtMs: 1 }
    },
  })
  const many = Array.from({ length: 40 }, () => errands.run(errand, signal))
  await Promise.resolve()
  gate.resolve()
  const kinds = (await Promise.all(many)).map((answer) => answer?.kind)
  assert.deepEqual([kinds.filter((kind) => kind === 'kept').length, kinds.length], [32, 40])
  assert.equal((await errands.run(errand, signal))?.kind, 'kept')
})

test('what is no question is refused', async () => {
  const { handle } = peers({})
  for (const bytes of [[], [0], [255, 255, 255], Array(64).fill(7)])
    await assert.rejects(async () => handle(Buffer.from(bytes)), { code: 'message-malformed' })
})
