// The origin of a generated web, in a process of its own: answers after its latency, and notes each arrival.
//
// Started by sites-process.ts, which asks it for what arrived.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Arrival } from './arrivals.ts'
import { addressOfSite, GeneratedSites, type SitesShape } from './generated-sites.ts'

export interface OriginPlan extends SitesShape {
  readonly latencyMs: number
}

export type OriginMessage = { readonly port: number } | { readonly arrivals: Arrival[] }

const plan = JSON.parse(process.argv[2]!) as OriginPlan
const arrivals: Arrival[] = []
const visits = new Map<string, number>()
const servers = Array.from({ length: plan.sites }, (_, site) =>
  createServer((request, response) => answer(site, request, response)),
)
let port = 0
for (const [site, server] of servers.entries()) {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, addressOfSite(site), resolve)
  })
  port = (server.address() as { port: number }).port
}
const web = new GeneratedSites(plan, port)

function answer(site: number, { url: path = '', headers }: IncomingMessage, response: ServerResponse): void {
  const arrival: Arrival = {
    address: addressOfSite(site),
    path,
    agent: headers['user-agent'] ?? '',
    atMs: nowMs(),
    endedAtMs: Number.POSITIVE_INFINITY,
  }
  arrivals.push(arrival)
  const end = (): void => {
    arrival.endedAtMs = Math.min(arrival.endedAtMs, nowMs())
  }
  response.once('close', end)
  setTimeout(() => {
    end()
    const resource = web.resource(site, path)
    if (resource === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('none\n')
    else response.writeHead(200, { 'Content-Type': resource.type }).end(resource.body(visitOf(site, path)))
  }, plan.latencyMs)
}

function visitOf(site: number, path: string): number {
  const key = `${site}${path}`
  visits.set(key, (visits.get(key) ?? 0) + 1)
  return visits.get(key)!
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

process.on('message', () => process.send!({ arrivals } satisfies OriginMessage))
process.on('disconnect', () => process.exit())
process.send!({ port } satisfies OriginMessage)
