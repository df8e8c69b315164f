// The origin of a generated web, in a process of its own: answers after its latency, and notes each arrival.
//
// Started by sites-process.ts, which asks it for what arrived.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import type { Arrival } from './arrivals.ts'
import { addressOfSite, GeneratedSites, type SitesShape } from './generated-sites.ts'

export interface OriginPlan extends SitesShape {
  readonly latencyMs: number
}

export type OriginMessage = { readonly port: number } | { readonly arrivals: Arrival[] }

const attemptsMax = 20
const plan = JSON.parse(process.argv[2]!) as OriginPlan
const arrivals: Arrival[] = []
const visits = new Map<string, number>()
const servers = Array.from({ length: plan.sites }, (_, site) =>
  createServer((request, response) => answer(site, request, response)),
)
const port = await listenEverywhere()
const web = new GeneratedSites(plan, port)

/** All sites have one port, each at an address of its own; one that is taken anywhere is given up for another. */
async function listenEverywhere(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      for (const [site, server] of servers.entries()) await listening(server, port, addressOfSite(site))
      return port
    } catch (error) {
      if (attempt === attemptsMax) throw error
      const open = servers.filter((server) => server.listening)
      await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))))
    }
  }
}

async function listening(server: Server, port: number, address: string): Promise<void> {
  server.listen(port, address)
  await once(server, 'listening')
}

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
