// For those who watch over a peer: whether it lives, whether it is ready, and its figures for Prometheus.

import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Route } from './route.ts'

interface HealthService {
  /** What keeps this peer from answering for its archive, a sentence each. */
  obstacles(): Promise<readonly string[]>
  /** In Prometheus' text format. */
  metrics(): Promise<string>
}

export function healthRoutes({ health }: { health: HealthService }): Route[] {
  const shared = { methods: ['GET'], host: 'archive' } as const
  return [
    // Also of an archive that only its owner may read: they tell nothing of it.
    { ...shared, path: '/healthz', isOpen: true, handle: () => text(200, 'ok\n') },
    {
      ...shared,
      path: '/readyz',
      isOpen: true,
      handle: async () => {
        const obstacles = await health.obstacles()
        return obstacles.length === 0 ? text(200, 'ok\n') : text(503, `${obstacles.join('\n')}\n`)
      },
    },
    {
      ...shared,
      path: '/metrics',
      handle: async () => text(200, await health.metrics(), 'text/plain; version=0.0.4; charset=utf-8'),
    },
  ]
}

function text(status: number, body: string, type = 'text/plain; charset=utf-8'): HttpAnswer {
  const headers = [
    ['Content-Type', type],
    ['Cache-Control', 'no-store'],
  ] as const
  return { status, headers, body: Buffer.from(body) }
}
