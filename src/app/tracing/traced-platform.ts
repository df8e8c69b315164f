// A platform whose doors are traced: what is asked of the peer over HTTP, what it asks of other peers on account of that, and what it fetches
// from the web. Without tracing the platform is used as it is, and nothing of this is loaded.
//
// Who reads what is nobody's business: a span tells of a request the first words of its path, never an archived URL, a query or a key.

import { type ServiceName, serviceBytes } from '../../platform/calls/call-services.ts'
import type { HttpAnswer, HttpBody, HttpHandler, HttpRequest } from '../../platform/network/http-server.ts'
import type { Pieces } from '../../platform/network/network.ts'
import type { Web } from '../../platform/network/web.ts'
import { remoteParent, type Span, type Tracer } from '../../platform/tracing.ts'
import type { Platform } from '../platform.ts'

export function tracedPlatform(platform: Platform, tracer: Tracer): Platform {
  return {
    ...platform,
    startHttpServer: (options, handler) => platform.startHttpServer(options, tracedHandler(tracer, handler)),
    startWeb: async (options) => tracedWeb(tracer, await platform.startWeb(options)),
    traceCalls: (calls) => ({
      bytesMax: calls.bytesMax,
      answer: (handler) => calls.answer(handler),
      call: (peer, bytes, options) => {
        // What peers ask each other all the time, on nobody's account, would drown the rest.
        if (!tracer.isWithin) return calls.call(peer, bytes, options)
        const attributes = { 'rpc.system': 'polyhistor', 'rpc.service': serviceOf(bytes), 'peer.id': peer }
        const about = { name: `ask ${attributes['rpc.service']}`, kind: 'client', attributes } as const
        return tracer.run(about, (span) => watched(tracer, span, calls.call(peer, bytes, options)))
      },
    }),
  }
}

function tracedHandler(tracer: Tracer, handler: HttpHandler): HttpHandler {
  return (request) => {
    const route = routeOf(request)
    const attributes = { 'http.request.method': request.method, 'http.route': route }
    const about = { name: `${request.method} ${route}`, kind: 'server', attributes } as const
    const parent = remoteParent(request.header('traceparent'))
    return tracer.run({ ...about, parent }, async (span) => {
      try {
        return ended(tracer, span, await handler(request))
      } catch (error) {
        tracer.end(span, String(error))
        throw error
      }
    })
  }
}

/** A body that is streamed is a part of it. */
function ended(tracer: Tracer, span: Span | undefined, answer: HttpAnswer): HttpAnswer {
  if (span === undefined) return answer
  const { status, body } = answer
  span.attributes['http.response.status_code'] = status
  const failure = status >= 500 ? `status ${status}` : undefined
  if (isStream(body)) return { ...answer, body: untilEnd(body, () => tracer.end(span, failure)) }
  tracer.end(span, failure)
  return answer
}

async function* untilEnd(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    end()
  }
}

function isStream(body: HttpBody): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && !(body instanceof Uint8Array)
}

function tracedWeb(tracer: Tracer, web: Web): Web {
  return {
    close: () => web.close(),
    fetch: (request, signal) => {
      const { url, method = 'GET' } = request
      const attributes = { 'http.request.method': method, 'server.address': url.host }
      return tracer.run({ name: 'fetch', kind: 'client', attributes }, (span) =>
        watched(tracer, span, web.fetch(request, signal), (answer) => {
          if (answer.outcome === 'failure') return answer.code
          if (span !== undefined) span.attributes['http.response.status_code'] = answer.status
          return undefined
        }),
      )
    },
  }
}

/** `failureOf`: what of a result is a failure all the same. */
async function watched<T>(
  tracer: Tracer,
  span: Span | undefined,
  work: Promise<T>,
  failureOf: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  try {
    const result = await work
    tracer.end(span, failureOf(result))
    return result
  } catch (error) {
    tracer.end(span, String(error))
    throw error
  }
}

/** `/web`, `/api/v1/jobs`. */
function routeOf({ target }: HttpRequest): string {
  const words = /^\/(?:api\/v1\/)?[\w.-]*/.exec(target)
  return words?.[0] ?? '*'
}

const serviceNames = new Map(
  Object.entries(serviceBytes).map(([name, byte]) => [byte as number, name as ServiceName]),
)

function serviceOf(bytes: Pieces): string {
  const first = bytes instanceof Uint8Array ? bytes[0] : bytes[0]?.[0]
  return serviceNames.get(first ?? 0) ?? 'unknown'
}
