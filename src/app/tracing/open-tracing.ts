// Tracing of a peer: its platform with traced doors, and the way of spans to the collector.

import type { Log } from '../../platform/log.ts'
import { OtlpSink } from '../../platform/real/tracing/otlp-sink.ts'
import { Tracer } from '../../platform/tracing.ts'
import { version } from '../../version.ts'
import type { Platform } from '../platform.ts'
import { tracedPlatform } from './traced-platform.ts'

export interface TracingOptions {
  readonly endpoint: string
  /** Of the traces that begin here. */
  readonly share: number
}

export interface Tracing {
  readonly platform: Platform
  /** Sends what was not sent yet. */
  close(): Promise<void>
}

export function openTracing(
  needs: { platform: Platform; log: Log },
  { endpoint, share }: TracingOptions,
): Tracing {
  const { platform, log } = needs
  const resource = {
    'service.name': 'polyhistor',
    'service.version': version,
    'process.pid': platform.processId,
  }
  const sink = new OtlpSink({ clock: platform.clock, log }, { endpoint, resource })
  const { clock, random } = platform
  return {
    platform: tracedPlatform(platform, new Tracer({ clock, random, sink }, share)),
    close: () => sink.close(),
  }
}
