// Sends spans to a collector by OTLP over HTTP, as JSON (opentelemetry.io/docs/specs/otlp).
//
// Bounded: spans wait for a second at most, so many of them; while a collector is slow or away the rest is dropped, and the log says so once.

import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { Span, SpanAttributes, SpanSink } from '../../tracing.ts'

export interface OtlpOptions {
  /** The whole address: `http://localhost:4318/v1/traces`. */
  readonly endpoint: string
  /** What sends them: service.name, service.version, … */
  readonly resource: SpanAttributes
}

const waitMs = 1_000
const waitingMax = 4_096
const sendMsMax = 5_000
/** Of the protocol. */
const kinds = { server: 2, client: 3 } as const
const failed = 2

export class OtlpSink implements SpanSink {
  readonly #clock: Clock
  readonly #log: Log
  readonly #options: OtlpOptions
  readonly #waiting: Span[] = []
  readonly #closing = new AbortController()
  #sending: Promise<void> | undefined
  #hasToldOfFailure = false

  constructor(needs: { clock: Clock; log: Log }, options: OtlpOptions) {
    this.#clock = needs.clock
    this.#log = needs.log
    this.#options = options
  }

  add(span: Span): void {
    if (this.#waiting.length >= waitingMax) return
    this.#waiting.push(span)
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Sends what waits. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#sending
  }

  /** One request after the other: a collector that is slow gets no second one. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(waitMs, this.#closing.signal).catch(() => {})
      await this.#post(this.#waiting.splice(0))
    }
  }

  async #post(spans: readonly Span[]): Promise<void> {
    const { endpoint, resource } = this.#options
    try {
      const { ok, status } = await fetch(endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(requestOf(spans, resource)),
        signal: AbortSignal.timeout(sendMsMax),
      })
      if (!ok) throw new Error(`It answered ${status}`)
      this.#hasToldOfFailure = false
    } catch (error) {
      if (!this.#hasToldOfFailure)
        this.#log.warn({ err: error, endpoint }, 'Traces cannot be sent, and are lost until they can be')
      this.#hasToldOfFailure = true
    }
  }
}

function requestOf(spans: readonly Span[], resource: SpanAttributes): object {
  const scope = { name: 'polyhistor' }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(span: Span): object {
  const { traceId, spanId, parentId, name, kind, attributes, startMs, endMs, failure } = span
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    ...(failure !== undefined && { status: { code: failed, message: failure } }),
  }
}

/** As text: JSON has no such large numbers. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

function attributesOf(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: typedValue(value) }))
}

function typedValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
