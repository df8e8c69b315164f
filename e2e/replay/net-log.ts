// Net log: what a browser did on the network, in its own words (Chromium's --log-net-log).
//
// It knows more than any server can: connections that were refused, names that were only resolved, packets that nobody
// received.

import { readFile } from 'node:fs/promises'

export interface NetLog {
  /** URLs that the network was asked for; not data:, blob: and the like. */
  readonly urls: readonly string[]
  /** `host:port` that somebody wanted a connection to, by the name that it was wanted by. */
  readonly connections: readonly string[]
  /** Where TCP connections were tried to, as `address:port`. */
  readonly attempts: readonly string[]
  /** Where datagrams were sent to, as `address:port`. */
  readonly datagrams: readonly string[]
  /** Names that were resolved, with scheme and port. */
  readonly resolutions: readonly string[]
}

interface Event {
  readonly type: number
  readonly params?: {
    readonly url?: string
    readonly group_id?: string
    readonly address?: string
    readonly host?: string
  }
}

export async function readNetLog(file: string): Promise<NetLog> {
  const { constants, events } = parse(await readFile(file, 'utf8'))
  const types: Record<string, number> = constants.logEventTypes
  const values = (type: string, name: keyof NonNullable<Event['params']>): string[] => {
    const number = types[type]
    if (number === undefined) throw new Error(`This browser's net log has no ${type}.`)
    const all = events.filter((event) => event.type === number).map((event) => event.params?.[name])
    return [...new Set(all.filter((value) => value !== undefined))]
  }
  const urls = values('URL_REQUEST_START_JOB', 'url')
  return {
    urls: urls.filter((url) => /^(https?|wss?|ftp):/.test(url)),
    connections: values('SOCKET_POOL_CONNECT_JOB_CREATED', 'group_id').map((group) =>
      group.replace(/^.*\/(?=\w+:\/\/)/, ''),
    ),
    attempts: values('TCP_CONNECT_ATTEMPT', 'address'),
    datagrams: values('UDP_BYTES_SENT', 'address'),
    resolutions: values('HOST_RESOLVER_MANAGER_REQUEST', 'host'),
  }
}

/** A browser that was ended in a hurry leaves the list open. */
function parse(text: string): { constants: { logEventTypes: Record<string, number> }; events: Event[] } {
  try {
    return JSON.parse(text)
  } catch {
    return JSON.parse(`${text.trimEnd().replace(/,$/, '')}]}`)
  }
}

/** All that went beyond these hosts (`name:port`) and this port on loopback; nothing, if all is well. */
export function beyond(log: NetLog, hosts: readonly string[], port: number): string[] {
  const isOurs = (url: string) => hosts.includes(URL.parse(url)?.host ?? '')
  const isLoopback = (address: string) => address === `127.0.0.1:${port}` || address === `[::1]:${port}`
  const name = (kind: string, values: readonly string[]) => values.map((value) => `${kind} ${value}`)
  return [
    ...name(
      'request',
      log.urls.filter((url) => !isOurs(url)),
    ),
    ...name(
      'connection',
      log.connections.filter((url) => !isOurs(url)),
    ),
    ...name(
      'attempt',
      log.attempts.filter((address) => !isLoopback(address)),
    ),
    ...name('datagram', log.datagrams),
    ...name(
      'name',
      log.resolutions.filter((url) => !isOurs(url)),
    ),
  ]
}
