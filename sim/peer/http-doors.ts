// The HTTP servers of simulated machines, and a client for them: requests and answers as objects, no sockets.

import type { HttpListening } from '../../src/app/platform.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type {
  HttpBody,
  HttpHandler,
  HttpRequest,
  HttpServer,
} from '../../src/platform/network/http-server.ts'

export interface Asked {
  readonly method?: string
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bytes: Buffer
}

export class HttpDoors {
  readonly #handlers = new Map<string, { handler: HttpHandler; port: number }>()

  open(machine: string, { port }: HttpListening, handler: HttpHandler): HttpServer {
    const door = { handler, port }
    this.#handlers.set(machine, door)
    return {
      port,
      close: async () => {
        if (this.#handlers.get(machine) === door) this.#handlers.delete(machine)
      },
    }
  }

  /** The process behind it has ended. */
  shut(machine: string): void {
    this.#handlers.delete(machine)
  }

  /** An answer that goes on; undefined when nobody is there. */
  async follow(machine: string, target: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const door = this.#handlers.get(machine)
    if (door === undefined) return undefined
    const { status, body } = await door.handler(requestOf(target, door.port, {}))
    if (status === 200 && typeof body === 'object' && Symbol.asyncIterator in body) return body
    throw new PolyhistorError('not-followed', `${machine} answers ${target} with ${status}: ${String(body)}`)
  }

  async ask(machine: string, target: string, asked: Asked = {}): Promise<Answered> {
    const door = this.#handlers.get(machine)
    if (door === undefined) throw new PolyhistorError('nobody-there', `${machine} serves nothing`)
    const { status, headers, body } = await door.handler(requestOf(target, door.port, asked))
    return { status, headers, bytes: await bytesOf(body) }
  }
}

function requestOf(
  target: string,
  port: number,
  { method = 'GET', headers = {}, body = '' }: Asked,
): HttpRequest {
  const fields: Record<string, string | undefined> = { host: `localhost:${port}`, ...headers }
  return {
    method,
    target,
    remoteAddress: '127.0.0.1',
    isOfOtherUser: async () => false,
    header: (name) => fields[name],
    body: async () => Buffer.from(body),
    stream: async function* () {
      yield Buffer.from(body)
    },
    signal: new AbortController().signal,
  }
}

async function bytesOf(body: HttpBody): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body)
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}
