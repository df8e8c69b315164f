// Traces of a real peer, as a collector gets them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { startPeer } from '../api/peer.ts'
import { temporaryFolder } from '../command.ts'
import { until } from '../pages/reader.ts'

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly object[]
}

/** Takes what is sent by OTLP over HTTP, as JSON. */
async function startCollector() {
  const bodies: Sent[] = []
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
    bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const spans = () =>
    bodies.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
    )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1/traces`, bodies, requests, spans }
}

test('what is asked of a peer and what it fetches is told to a collector, the last of it when it stops', async () => {
  const collector = await startCollector()
  const peer = await startPeer(await temporaryFolder(), '--set', `traces.endpoint=${collector.url}`)
  const begun = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
  await fetch(`${peer.url}/api/v1/jobs`, {
    headers: { traceparent: `00-${begun.traceId}-${begun.spanId}-01` },
  })
  await until(async () => collector.spans().some(({ traceId }) => traceId === begun.traceId))
  const span = collector.spans().find(({ traceId }) => traceId === begun.traceId)!
  assert.deepEqual([span.name, span.kind], ['GET /api/v1/jobs', 2])
  assert(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))
  assert.match(span.spanId, /^[0-9a-f]{16}$/)
  const status = { key: 'http.response.status_code', value: { intValue: '200' } }
  assert.deepEqual(span.attributes.at(-1), status)
  const name = { key: 'service.name', value: { stringValue: 'polyhistor' } }
  assert.deepEqual(collector.bodies[0]!.resourceSpans[0]!.resource.attributes[0], name)
  assert.deepEqual([...new Set(collector.requests)], ['POST /v1/traces application/json'])
  await fetch(`${peer.url}/healthz`)
  assert.equal(await peer.stop(), 0)
  assert(collector.spans().some((each) => each.name === 'GET /healthz'))
})

test('a collector that is not there keeps nobody waiting', async () => {
  const peer = await startPeer(
    await temporaryFolder(),
    '--set',
    'traces.endpoint=http://127.0.0.1:9/v1/traces',
  )
  assert.equal((await fetch(`${peer.url}/healthz`)).status, 200)
  assert.equal(await peer.stop(), 0)
})
