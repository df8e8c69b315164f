// Which connections the HTTP server keeps when there are more than it can.
//
// Invariants: at most `connectionsMax` in all; of other machines at most `connectionsMax - connectionsForLoopback`, so that the
// owner's commands and browser get in whoever else is there; of one other address (IPv6: one /64) at most
// `connectionsPerAddress`. Addresses of this machine may have half of all: a proxy here speaks for many.
// Who comes when there is no room takes that of the oldest idle connection, of the address that has most. Where nobody is idle, a
// newcomer from elsewhere is turned away, and one from this machine takes the oldest connection.

import type { Socket } from 'node:net'
import type { HttpLimits } from '../../http-server.ts'
import { clientAddress, isLoopbackAddress } from './client-address.ts'

type ConnectionLimits = Pick<
  HttpLimits,
  'connectionsMax' | 'connectionsPerAddress' | 'connectionsForLoopback'
>

/** All connections of one address. Sets keep the order in which sockets were added. */
interface Client {
  readonly isLoopback: boolean
  readonly idle: Set<Socket>
  readonly busy: Set<Socket>
}

interface Connection {
  readonly client: Client
  /** Requests under way: several when they were sent without waiting. */
  requests: number
}

export class HttpConnections {
  readonly #limits: ConnectionLimits
  readonly #clients = new Map<string, Client>()
  readonly #connections = new Map<Socket, Connection>()
  #remoteCount = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  opened(socket: Socket): void {
    const address = clientAddress(socket.remoteAddress ?? '')
    let client = this.#clients.get(address)
    if (client === undefined) {
      client = { isLoopback: isLoopbackAddress(address), idle: new Set(), busy: new Set() }
      this.#clients.set(address, client)
    }
    client.idle.add(socket)
    this.#connections.set(socket, { client, requests: 0 })
    if (!client.isLoopback) this.#remoteCount++
    socket.once('close', () => this.#closed(socket, address))
    this.#makeRoom(socket, client)
  }

  requestBegan(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.requests++ > 0) return
    connection.client.idle.delete(socket)
    connection.client.busy.add(socket)
  }

  requestEnded(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || --connection.requests > 0) return
    connection.client.busy.delete(socket)
    connection.client.idle.add(socket)
  }

  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.requests ?? 0) > 0
  }

  #closed(socket: Socket, address: string): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    const { client } = connection
    this.#connections.delete(socket)
    client.idle.delete(socket)
    client.busy.delete(socket)
    if (!client.isLoopback) this.#remoteCount--
    if (countOf(client) === 0) this.#clients.delete(address)
  }

  #makeRoom(newcomer: Socket, client: Client): void {
    const { connectionsMax, connectionsPerAddress, connectionsForLoopback } = this.#limits
    const addressMax = client.isLoopback ? Math.ceil(connectionsMax / 2) : connectionsPerAddress
    if (countOf(client) > addressMax) this.#drop([client], newcomer, client)
    else if (!client.isLoopback && this.#remoteCount > connectionsMax - connectionsForLoopback)
      this.#drop(
        this.#byCount((other) => !other.isLoopback),
        newcomer,
        client,
      )
    else if (this.#connections.size > connectionsMax)
      this.#drop(
        this.#byCount(() => true),
        newcomer,
        client,
      )
  }

  #byCount(isMeant: (client: Client) => boolean): Client[] {
    return [...this.#clients.values()].filter(isMeant).sort((one, other) => countOf(other) - countOf(one))
  }

  #drop(clients: readonly Client[], newcomer: Socket, { isLoopback }: Client): void {
    const oldestOf = (sockets: Set<Socket>) => sockets.values().find((socket) => socket !== newcomer)
    for (const { idle } of clients) {
      const oldest = oldestOf(idle)
      if (oldest !== undefined) return void oldest.destroy()
    }
    const victim = isLoopback ? oldestOf(clients[0]!.busy) : undefined
    ;(victim ?? newcomer).destroy()
  }
}

function countOf({ idle, busy }: Client): number {
  return idle.size + busy.size
}
