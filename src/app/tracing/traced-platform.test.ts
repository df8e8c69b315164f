import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testRequest } from '../../api/fixtures/test-api.ts'
import { serviceBytes } from '../../platform/calls/call-services.ts'
import type { HttpHandler } from '../../platform/network/http-server.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { SimulatedRandom } from '../../platform/simulated/random.ts'
import { type Span, Tracer } from '../../platform/tracing.ts'
import type { Platform } from '../platform.ts'
import { tracedPlatform } from './traced-platform.ts'

/** What a peer on a traced platform answers, and the spans that come of it. */
async function traced(handler: (ask: () => Promise<unknown>) => HttpHandler, share = 1) {
  const spans: Span[] = []
  const sink = { add: (span: Span) => void spans.push(span) }
  const tracer = new Tracer({ clock: new RealClock(), random: new SimulatedRandom('traces'), sink }, share)
  let door: HttpHandler | undefined
  const bare = {
    startHttpServer: async (_options: unknown, given: HttpHandler) => {
      door = given
    },
  } as unknown as Platform
  const platform = tracedPlatform(bare, tracer)
  const calls = platform.traceCalls!({
    bytesMax: 1,
    call: async () => new Uint8Array(),
    answer: () => {},
  })
  const ask = () => calls.call('other', [Uint8Array.of(serviceBytes.search)], { deadlineMs: 1 })
  await platform.startHttpServer({ host: 'localhost', port: 0 }, handler(ask))
  return { spans, ask, door: door! }
}

const fine = { status: 200, headers: [], body: 'fine' }

test('a request is a span, and what is asked of other peers for it lies within; secrets and archived URLs are not told', async () => {
  const { spans, door } = await traced((ask) => async () => {
    await ask()
    return fine
  })
  await door(testRequest('/web/2024/https://secret.example/?key=1'))
  await door(testRequest('/owner/a-one-time-code'))
  await door(testRequest('/api/v1/search?q=secret'))
  const [asked, request, , owner, , search] = spans
  assert.deepEqual(
    [request!.name, owner!.name, search!.name, asked!.name, asked!.attributes['rpc.service']],
    ['GET /web', 'GET /owner', 'GET /api/v1/search', 'ask search', 'search'],
  )
  assert.deepEqual([asked!.traceId, asked!.parentId], [request!.traceId, request!.spanId])
  assert.notEqual(owner!.traceId, request!.traceId)
  assert.doesNotMatch(JSON.stringify(spans), /secret|one-time/)
})

test('a streamed answer ends its span with its last piece, a failure says that it is one', async () => {
  const { spans, door } = await traced(() => async ({ target }) => {
    if (target === '/broken') return { status: 503, headers: [], body: '' }
    const body = (async function* () {
      yield Buffer.from('piece')
    })()
    return { status: 200, headers: [], body }
  })
  const { body } = await door(testRequest('/stream'))
  assert.equal(spans.length, 0)
  for await (const _ of body as AsyncIterable<Uint8Array>) assert.equal(spans.length, 0)
  await door(testRequest('/broken'))
  assert.deepEqual(
    spans.map(({ failure }) => failure),
    [undefined, 'status 503'],
  )
})

test('a trace that began elsewhere goes on; one that is not sampled has no spans, nor has what peers ask by themselves', async () => {
  const begun = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
  const { spans, door, ask } = await traced(
    (asking) => async () => {
      await asking()
      return fine
    },
    0,
  )
  await ask()
  await door(testRequest('/status'))
  await door(testRequest('/status', { headers: { traceparent: begun.replace(/01$/, '00') } }))
  await door(testRequest('/status', { headers: { traceparent: 'nonsense' } }))
  assert.equal(spans.length, 0)
  await door(testRequest('/status', { headers: { traceparent: begun } }))
  assert.deepEqual(
    [spans[1]!.traceId, spans[1]!.parentId, spans[0]!.parentId],
    ['ab'.repeat(16), 'cd'.repeat(8), spans[1]!.spanId],
  )
})
