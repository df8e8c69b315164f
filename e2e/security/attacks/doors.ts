// Sockets without end: at the port for other peers, and at the HTTP interface.

import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { hostileMember } from '../../ring/hostile-member.ts'
import type { Attack } from '../attack.ts'
import { type Stage, sleep } from '../stage.ts'

/** All of it comes from there: whoever comes from elsewhere must not suffer. */
const attackerAddress = '127.0.0.66'
const silentSockets = 80
const idleSockets = { short: 1_000, full: 1_500 }
const settleMs = 500
const answerMsMax = 60_000

class Sockets {
  readonly #open: Socket[] = []

  /** Resolves when it is connected, or refused. */
  async add(port: number, first?: string | Uint8Array): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: attackerAddress })
    this.#open.push(socket)
    await new Promise<void>((resolve) => {
      socket.once('connect', () => resolve())
      socket.on('error', () => resolve())
    })
    if (first !== undefined) socket.write(first)
  }

  get openCount(): number {
    return this.#open.filter(({ destroyed }) => !destroyed).length
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

/** Every honest peer lets a member in that it does not know yet. */
async function lockedOut(stage: Stage): Promise<string[]> {
  const newcomer = await hostileMember(await stage.newInvitation(), 0)
  const found: string[] = []
  try {
    for (const [index, address] of stage.addresses.entries())
      await newcomer.network.meet(address).catch((error: Error) => {
        found.push(`peer-${index} does not let a newcomer in: ${error.message}`)
      })
    return found
  } finally {
    await newcomer.network.close()
  }
}

async function atPeersPort(
  stage: Stage,
  first: (index: number) => Uint8Array | undefined,
): Promise<string[]> {
  const sockets = new Sockets()
  try {
    for (const port of stage.network.ports)
      await Promise.all(Array.from({ length: silentSockets }, (_, index) => sockets.add(port, first(index))))
    await sleep(settleMs)
    return await lockedOut(stage)
  } finally {
    sockets.close()
  }
}

/** Of somebody else, who has no connection yet. */
function statusOnNewSocket(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Host: `localhost:${port}` }
    const asking = request({ agent: false, host: '127.0.0.1', port, path: '/api/v1/stats', headers })
    asking.setTimeout(answerMsMax, () => asking.destroy(new Error('silence')))
    asking.on('error', reject)
    asking.on('response', (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    asking.end()
  })
}

async function atHttp(stage: Stage, first: string | undefined): Promise<string[]> {
  const sockets = new Sockets()
  try {
    const [victim] = stage.honest
    const port = Number(new URL(victim!.url).port)
    await Promise.all(Array.from({ length: idleSockets[stage.size] }, () => sockets.add(port, first)))
    await sleep(settleMs)
    const status = await statusOnNewSocket(port)
    return status === 200 ? [] : [`${victim!.name} answers ${status} while it is crowded`]
  } catch (error) {
    return [`peer-0 does not answer while it is crowded: ${(error as Error).message}`]
  } finally {
    sockets.close()
  }
}

export const doorAttacks: readonly Attack[] = [
  {
    name: 'peers’ port: silent sockets',
    tries: '80 sockets from one address that say nothing, at the port for other peers',
    run: (stage) => atPeersPort(stage, () => undefined),
  },
  {
    name: 'peers’ port: garbage',
    tries: '80 sockets from one address that say nonsense, at the port for other peers',
    run: (stage) => atPeersPort(stage, (index) => Buffer.from(`\x00${'garbage '.repeat(index)}`)),
  },
  {
    name: 'HTTP: idle connections',
    tries: '1,000 connections from one address that ask for nothing',
    run: (stage) => atHttp(stage, undefined),
  },
  {
    name: 'HTTP: event streams',
    tries: '1,000 event streams from one address that nobody reads',
    run: (stage) => {
      const { host } = new URL(stage.honest[0]!.url)
      return atHttp(stage, `GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    },
  },
]
