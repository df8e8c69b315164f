// A port of the router that leads to ours, asked for by UPnP, else by NAT-PMP. Only where others do not reach us: see reach.ts.
//
// The router keeps it for an hour, and is asked again before that; on closing it is given back.

import { readFile } from 'node:fs/promises'
import type { Gateway } from '@achingbrain/nat-port-mapper'

const findMsMax = 8_000
const mapMsMax = 8_000
const description = 'polyhistor'

export class PortMapping {
  #gateway: Gateway | undefined
  #isClosed = false
  /** What the router answered last, for the owner. */
  result = 'not asked'
  /** Ports of the router that lead to ours. */
  readonly ports = new Map<number, number>()

  /** Asks the router for a way to this port. Gives whether there is one. */
  async open(port: number, host: string): Promise<boolean> {
    if (this.#isClosed) return false
    const { upnpNat, pmpNat } = await import('@achingbrain/nat-port-mapper')
    const options = { description, ttl: 3_600_000 }
    try {
      for await (const gateway of upnpNat(options).findGateways({ signal: AbortSignal.timeout(findMsMax) })) {
        if (gateway.family === 'IPv4' && (await this.#map(gateway, port, host, 'UPnP'))) return true
      }
    } catch {
      // None answered in time.
    }
    const router = await defaultRouter()
    if (router !== undefined && (await this.#map(pmpNat(router, options), port, host, 'NAT-PMP'))) return true
    if (this.ports.size === 0) this.result = 'the router does not answer, or does not pass ports on'
    return false
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#gateway?.stop({ signal: AbortSignal.timeout(2_000) }).catch(() => {})
  }

  async #map(gateway: Gateway, port: number, host: string, how: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(mapMsMax)
      const { externalPort } = await gateway.map(port, host, { signal, protocol: 'TCP' })
      this.ports.set(port, externalPort)
      this.#gateway = gateway
      this.result = `${how}: port ${externalPort} of the router leads to port ${port}`
      return true
    } catch {
      await gateway.stop({ signal: AbortSignal.timeout(1_000) }).catch(() => {})
      return false
    }
  }
}

/** The address of the router, where the system tells it in the way that Linux does. */
async function defaultRouter(): Promise<string | undefined> {
  const table = await readFile('/proc/net/route', 'latin1').catch(() => '')
  for (const line of table.split('\n').slice(1)) {
    const [, destination, router] = line.split(/\s+/)
    if (destination !== '00000000' || router === undefined || !/^[0-9A-F]{8}$/.test(router)) continue
    return Buffer.from(router, 'hex').reverse().join('.')
  }
  return undefined
}
