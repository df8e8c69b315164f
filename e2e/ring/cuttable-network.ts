// A network in user space: every peer is reached through a port of ours, and what passes between two peers can be cut.
//
// A cut is silent: connections stay, new ones are accepted, and nothing comes through, as when a cable is pulled. What was
// held comes through when the cut is mended, as TCP sends again what was lost.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { processOfPort } from './process-of-port.ts'

/** What is not identified cannot be cut, and would let the halves of a cut network find each other. */
const looksMax = 5

interface Link {
  /** Undefined while it could not be found out. */
  from: number | undefined
  readonly to: string
  readonly near: Socket
  readonly far: Socket
}

export class CuttableNetwork {
  readonly #servers: Server[] = []
  readonly #links = new Set<Link>()
  readonly #processes = new Map<number, string>()
  #isCut: (one: string, other: string) => boolean = () => false

  /** A port that leads to this one, for the peer of this name. */
  async portTo(name: string, port: number): Promise<number> {
    const server = createServer((near) => this.#forward(near, name, port))
    this.#servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Connections of this process are this peer's. */
  belongs(pid: number, name: string): void {
    this.#processes.set(pid, name)
  }

  /** From now on nothing passes between peers of which this says so. */
  cut(isCut: (one: string, other: string) => boolean): void {
    this.#isCut = isCut
    for (const link of this.#links) {
      this.#identify(link)
      this.#apply(link)
    }
  }

  heal(): void {
    this.cut(() => false)
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const { near, far } of this.#links) {
      near.destroy()
      far.destroy()
    }
  }

  #forward(near: Socket, to: string, port: number): void {
    const far = connect({ port, host: '127.0.0.1' })
    const link: Link = { from: undefined, to, near, far }
    this.#identify(link)
    this.#links.add(link)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true)
      one.on('data', (bytes) => {
        if (!other.write(bytes)) one.pause()
      })
      other.on('drain', () => {
        if (!this.#isHeld(link)) one.resume()
      })
      one.on('error', () => {})
      one.on('close', () => this.#end(link, other))
    }
    this.#apply(link)
  }

  #identify(link: Link): void {
    const { remotePort, localPort } = link.near
    if (remotePort === undefined || localPort === undefined) return
    for (let look = 0; look < looksMax && link.from === undefined; look++)
      link.from = processOfPort(remotePort, localPort, [...this.#processes.keys()])
  }

  #apply(link: Link): void {
    if (this.#isHeld(link)) {
      link.near.pause()
      link.far.pause()
    } else {
      link.near.resume()
      link.far.resume()
      if (link.near.destroyed || link.far.destroyed) this.#end(link, link.near)
    }
  }

  #end(link: Link, other: Socket): void {
    // Behind a cut nobody hears of an end.
    if (this.#isHeld(link)) return
    this.#links.delete(link)
    other.destroy()
    link.far.destroy()
    link.near.destroy()
  }

  #isHeld({ from, to }: Link): boolean {
    const name = from === undefined ? undefined : this.#processes.get(from)
    return name !== undefined && this.#isCut(name, to)
  }
}
