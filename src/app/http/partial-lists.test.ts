import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TestApi } from '../../api/fixtures/test-api.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { PartialLists, partialHeader } from './partial-lists.ts'

const header = partialHeader.toLowerCase()

function served(make: (partial: PartialLists) => HttpAnswer | Promise<HttpAnswer>): TestApi {
  const partial = new PartialLists()
  const route = { methods: ['GET'], host: 'archive' as const, path: '/list', handle: () => make(partial) }
  return new TestApi([partial.told(route)])
}

function inPieces(partial: PartialLists, at: number, log: string[] = []): AsyncIterable<Uint8Array> {
  return (async function* () {
    try {
      for (let piece = 0; piece < 3; piece++) {
        await Promise.resolve()
        if (piece === at) partial.note()
        yield Buffer.from(String(piece))
      }
    } finally {
      log.push('ended')
    }
  })()
}

describe('an answer', () => {
  test('of a list that may lack something says so, and is not to be cached', async () => {
    const api = served((partial) => {
      partial.note()
      return { status: 200, headers: [['Cache-Control', 'max-age=60']], body: 'list' }
    })
    const { headers, text } = await api.ask('/list')
    assert.deepEqual([headers[header], headers['cache-control'], text], ['true', 'no-store', 'list'])
  })

  test('of another list does not', async () => {
    let asked = 0
    const secondAsked = Promise.withResolvers<void>()
    const api = served(async (partial) => {
      if (asked++ === 0) {
        partial.note()
        await secondAsked.promise
      } else secondAsked.resolve()
      return { status: 200, headers: [], body: String(partial.isNoted()) }
    })
    const [first, second] = await Promise.all([api.ask('/list'), api.ask('/list')])
    assert.deepEqual([first.headers[header], first.text], ['true', 'true'])
    assert.deepEqual([second.headers[header], second.text], [undefined, 'false'])
  })

  test('in pieces says so when its first piece tells', async () => {
    const api = served((partial) => ({ status: 200, headers: [], body: inPieces(partial, 0) }))
    const { headers, text } = await api.ask('/list')
    assert.deepEqual([headers[header], text], ['true', '012'])
  })

  test('in pieces goes on where it said so before', async () => {
    const api = served((partial) => {
      partial.note()
      return { status: 200, headers: [], body: inPieces(partial, 2) }
    })
    assert.equal((await api.ask('/list')).text, '012')
  })

  test('in pieces is cut off where it could have said so only at its beginning', async () => {
    const api = served((partial) => ({ status: 200, headers: [], body: inPieces(partial, 2) }))
    await assert.rejects(api.ask('/list'), { code: 'reading-unavailable' })
  })

  test('in pieces that nobody reads is ended', async () => {
    const log: string[] = []
    const partial = new PartialLists()
    const body = inPieces(partial, -1, log)
    const route = { methods: ['GET'], host: 'archive' as const, path: '/list' }
    const told = partial.told({ ...route, handle: () => ({ status: 200, headers: [], body }) })
    const answer = await told.handle({} as never)
    await (answer.body as AsyncIterableIterator<Uint8Array>).return!()
    assert.deepEqual(log, ['ended'])
  })

  test('of events is not waited for', async () => {
    const never = (async function* () {
      yield await new Promise<Uint8Array>(() => {})
    })()
    const partial = new PartialLists()
    const route = { methods: ['GET'], host: 'archive' as const, path: '/list' }
    const answer = { status: 200, headers: [['Content-Type', 'text/event-stream']] as const, body: never }
    assert.equal((await partial.told({ ...route, handle: () => answer }).handle({} as never)).body, never)
  })
})
