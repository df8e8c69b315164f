// Traces: what the program did for a request, and how long each step took, as OpenTelemetry has it. Only there where the owner
// asks for it: nothing else in the program knows of it but the places that are wrapped (app/tracing/).
//
// A span's parent is the span that its work began in.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

export type SpanKind = 'server' | 'client'
export type SpanAttributes = Record<string, string | number | boolean>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: SpanAttributes
  readonly startMs: number
  endMs: number
  /** What went wrong, if anything did. */
  failure: string | undefined
}

export interface SpanSink {
  add(span: Span): void
}

/** Who began a trace elsewhere, by the header `traceparent` (W3C). */
interface RemoteParent {
  readonly traceId: string
  readonly spanId: string
}

const notSampled = 'not sampled'
type Context = Pick<Span, 'traceId' | 'spanId'> | typeof notSampled

export class Tracer {
  readonly #needs: { clock: Clock; random: Random; sink: SpanSink }
  /** Of the traces that begin here. */
  readonly #share: number
  readonly #context = new AsyncLocalStorage<Context>()

  constructor(needs: { clock: Clock; random: Random; sink: SpanSink }, share: number) {
    this.#needs = needs
    this.#share = share
  }

  /** Whether something is being traced right here. */
  get isWithin(): boolean {
    const context = this.#context.getStore()
    return context !== undefined && context !== notSampled
  }

  /** The work gets its span, to add what it learns; undefined where this trace is not sampled. The span ends with `end`. */
  run<T>(
    about: { name: string; kind: SpanKind; attributes: SpanAttributes; parent?: RemoteParent | undefined },
    work: (span: Span | undefined) => T,
  ): T {
    const parent = about.parent ?? this.#context.getStore()
    if (parent === notSampled) return work(undefined)
    if (parent === undefined && this.#needs.random.fraction() >= this.#share)
      return this.#context.run(notSampled, () => work(undefined))
    const { clock } = this.#needs
    const span: Span = {
      traceId: parent?.traceId ?? this.#id(16),
      spanId: this.#id(8),
      parentId: parent?.spanId,
      name: about.name,
      kind: about.kind,
      attributes: about.attributes,
      startMs: clock.nowMs(),
      endMs: 0,
      failure: undefined,
    }
    return this.#context.run(span, () => work(span))
  }

  end(span: Span | undefined, failure?: string): void {
    if (span === undefined) return
    span.endMs = Math.max(span.startMs, this.#needs.clock.nowMs())
    span.failure = failure
    this.#needs.sink.add(span)
  }

  #id(bytes: number): string {
    return Buffer.from(this.#needs.random.bytes(bytes)).toString('hex')
  }
}

/** Undefined for what is none, and for traces that their beginner does not record. */
export function remoteParent(header: string | undefined): RemoteParent | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header ?? '')
  if (found === null || /^0+$/.test(found[1]!) || /^0+$/.test(found[2]!)) return undefined
  return Number.parseInt(found[3]!, 16) & 1 ? { traceId: found[1]!, spanId: found[2]! } : undefined
}
