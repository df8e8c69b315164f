// Which connections the HTTP server keeps when there are more than it can.
//
// Invariants: at most `connectionsMax` in all; of other machines at most `connectionsMax - connectionsForLoopback`, so that the
// owner's commands and browser get in whoever else is there; of one other address (IPv6: one /64) at most
// `connectionsPerAddress`. Addresses of this machine may have half of all: a proxy here speaks for many.
// Who comes when there is no room takes that of the oldest idle connection, of the address that has most. Where nobody is idle, a
// newcomer from elsewhere is turned away, and one from this machine takes the oldest connection.
// An idle connection over which nothing comes is ended between `idleMsMax` and two looks later.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { HttpLimits } from '../../network/http-server.ts'
import { clientAddress, isLoopbackAddress } from './client-address.ts'

type ConnectionLimits = Pick<
  HttpLimits,
  'connectionsMax' | 'connectionsPerAddress' | 'connectionsForLoopback' | 'idleMsMax'
>

const lookMsMax = 1_000

/** All connections of one address. */
interface Client {
  readonly isLoopback: boolean
  readonly connections: Set<Connection>
}

interface Connection {
  readonly socket: Socket
  readonly client: Client
  /** Requests under way: several when they were sent without waiting. */
  requests: number
  /** When it became idle or busy, as a place in the order of all such changes. */
  since: number
  /** When it was looked at last, and how often it was found idle since without a byte having come. */
  bytesRead: number
  silentLooks: number
  /** Made once for all requests of the connection. */
  readonly requestEnded: () => void
}

export class HttpConnections {
  /** `dropSilent` is to be called so often. */
  readonly lookMs: number
  readonly #limits: ConnectionLimits
  readonly #clients = new Map<string, Client>()
  readonly #connections = new Map<Socket, Connection>()
  #remoteCount = 0
  #changes = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.lookMs = Math.min(limits.idleMsMax, lookMsMax)
  }

  opened(socket: Socket): void {
    const address = clientAddress(socket.remoteAddress ?? '')
    let client = this.#clients.get(address)
    if (client === undefined) {
      client = { isLoopback: isLoopbackAddress(address), connections: new Set() }
      this.#clients.set(address, client)
    }
    const connection: Connection = {
      socket,
      client,
      requests: 0,
      since: ++this.#changes,
      bytesRead: 0,
      silentLooks: 0,
      requestEnded: () => {
        if (--connection.requests === 0) connection.since = ++this.#changes
      },
    }
    client.connections.add(connection)
    this.#connections.set(socket, connection)
    if (!client.isLoopback) this.#remoteCount++
    socket.once('close', () => this.#closed(connection, address))
    this.#makeRoom(connection)
  }

  /** The request is under way until `response` emits `close`, which it does once. */
  requestBegan(socket: Socket, response: Pick<EventEmitter, 'on'>): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    if (connection.requests++ === 0) connection.since = ++this.#changes
    response.on('close', connection.requestEnded)
  }

  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.requests ?? 0) > 0
  }

  /** Looked for now and then, so that requests set no timers. */
  dropSilent(): void {
    const looksMax = Math.ceil(this.#limits.idleMsMax / this.lookMs)
    for (const connection of this.#connections.values()) {
      const { socket, requests } = connection
      if (requests > 0) continue
      const { bytesRead } = socket
      connection.silentLooks = bytesRead === connection.bytesRead ? connection.silentLooks + 1 : 0
      connection.bytesRead = bytesRead
      if (connection.silentLooks > looksMax) socket.destroy()
    }
  }

  #closed(connection: Connection, address: string): void {
    const { socket, client } = connection
    if (!this.#connections.delete(socket)) return
    client.connections.delete(connection)
    if (!client.isLoopback) this.#remoteCount--
    if (client.connections.size === 0) this.#clients.delete(address)
  }

  #makeRoom(newcomer: Connection): void {
    const { connectionsMax, connectionsPerAddress, connectionsForLoopback } = this.#limits
    const { client } = newcomer
    const addressMax = client.isLoopback ? Math.ceil(connectionsMax / 2) : connectionsPerAddress
    if (client.connections.size > addressMax) drop([client], newcomer)
    else if (!client.isLoopback && this.#remoteCount > connectionsMax - connectionsForLoopback)
      drop(
        this.#byCount((other) => !other.isLoopback),
        newcomer,
      )
    else if (this.#connections.size > connectionsMax)
      drop(
        this.#byCount(() => true),
        newcomer,
      )
  }

  #byCount(isMeant: (client: Client) => boolean): Client[] {
    return [...this.#clients.values()]
      .filter(isMeant)
      .sort((one, other) => other.connections.size - one.connections.size)
  }
}

function drop(clients: readonly Client[], newcomer: Connection): void {
  for (const client of clients) {
    const idle = oldest(client, newcomer, false)
    if (idle !== undefined) return void idle.socket.destroy()
  }
  const busy = newcomer.client.isLoopback ? oldest(clients[0]!, newcomer, true) : undefined
  ;(busy ?? newcomer).socket.destroy()
}

/** Looked for only when there is no room, so that requests keep no order. */
function oldest({ connections }: Client, newcomer: Connection, isBusy: boolean): Connection | undefined {
  let found: Connection | undefined
  for (const connection of connections) {
    if (connection === newcomer || connection.requests > 0 !== isBusy) continue
    if (found === undefined || connection.since < found.since) found = connection
  }
  return found
}
