import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { healthRoutes } from '../../api/health-routes.ts'
import type { RouteRequest } from '../../api/route-request.ts'
import { noCrawlCounts } from '../../crawl/crawl-report.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { PeerMetrics } from './peer-metrics.ts'
import { SolitaryStatus } from './solitary-status.ts'

async function healthOf(positions: number, isOnNetwork: boolean) {
  const store = await openStore()
  await store.append(pageCapture('http://a.test/', Date.UTC(2024, 0), 'page'))
  const machine = { version: '', load: 0, cores: 2, memoryBytes: 0, freeMemoryBytes: 0, upMs: 0, positions }
  const status = new SolitaryStatus({ store, machine: () => machine })
  const counts = () => ({ ...noCrawlCounts(), fetched: 7 })
  const health = new PeerMetrics({ own: () => status.own(), counts, isOnNetwork })
  const routes = healthRoutes({ health })
  return async (path: string) => {
    const answer = await routes.find((route) => route.path === path)!.handle({} as RouteRequest)
    return { status: answer.status, text: String(answer.body) }
  }
}

test('figures are those of this moment, also when they are asked for twice', async () => {
  const ask = await healthOf(0, false)
  await ask('/metrics')
  const lines = (await ask('/metrics')).text.split('\n')
  for (const line of [
    '# TYPE polyhistor_captures gauge',
    'polyhistor_captures 1',
    'polyhistor_entries{copies="1"} 1',
    '# TYPE polyhistor_crawl_fetched_total counter',
    'polyhistor_crawl_fetched_total 7',
  ])
    assert.ok(lines.includes(line), line)
})

test('every figure that the dashboard draws is told', async () => {
  const ask = await healthOf(0, false)
  const { text } = await ask('/metrics')
  const told = new Set(text.match(/^polyhistor_\w+/gm))
  const dashboard = readFileSync('docs/operating/grafana-dashboard.json', 'utf8')
  const drawn = new Set(dashboard.match(/polyhistor_\w+/g))
  assert.ok(drawn.size > 10)
  assert.deepEqual(
    [...drawn].filter((name) => !told.has(name)),
    [],
  )
})

test('a peer of a network is ready when it is on the ring, one that is alone at once', async () => {
  const joining = await (await healthOf(0, true))('/readyz')
  assert.equal(joining.status, 503)
  assert.match(joining.text, /no place on the ring/)
  for (const ask of [await healthOf(1, true), await healthOf(0, false)])
    assert.deepEqual(await ask('/readyz'), { status: 200, text: 'ok\n' })
  assert.deepEqual(await (await healthOf(0, true))('/healthz'), { status: 200, text: 'ok\n' })
})

test('how late the event loop was is counted by size', async () => {
  const ask = await healthOf(0, false)
  const before = countsIn((await ask('/metrics')).text)
  await turn()
  block(150)
  await turn()
  const after = countsIn((await ask('/metrics')).text)
  assert.ok(after.all - after.within > before.all - before.within, JSON.stringify({ before, after }))
  assert.ok(after.within > before.within)
})

/** The watch's own timer is due every ten milliseconds. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 30))

function block(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

function countsIn(text: string): { within: number; all: number } {
  const count = (le: string) =>
    Number(new RegExp(`_delay_seconds_bucket\\{le="${le}"\\} (\\d+)`).exec(text)?.[1])
  return { within: count('0.1'), all: count('\\+Inf') }
}
