// The origin of the generated web, in a process of its own: as cheap as it can be, for it shares the machine with those
// that are measured. Whole answers stand ready; requests are read no further than they have to be.
//
// Started by origin-process.ts, which asks it for what arrived, and to change a share of the pages.

import { createServer, type Socket } from 'node:net'
import { addressOfHost, editedPage, generateWeb, type Resource, type WebShape } from './generated-web.ts'

export interface Arrival {
  readonly atMs: number
  /** With its host. */
  readonly url: string
}

export type OriginQuestion = 'arrivals' | { readonly change: number }
export type OriginAnswer =
  | { port: number; urls: number; bytes: number }
  | { arrivals: Arrival[] }
  | { changed: number }

const shape = JSON.parse(process.argv[2]!) as WebShape
const emptyLine = Buffer.from('\r\n\r\n')
const notFound = Buffer.from(
  'HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nnone\n',
)
let arrivals: Arrival[] = []
const answersByHost: Map<string, Buffer>[] = []
let web: Resource[][] = []
let edition = 0

function answersOf(resources: readonly Resource[]): Map<string, Buffer> {
  return new Map(resources.map((resource) => [resource.path, answerOf(resource)]))
}

function answerOf({ type, body }: Resource): Buffer {
  const head = `HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nServer: generated\r\nContent-Type: ${type}\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: ${body.length}\r\nCache-Control: max-age=600\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** Edits one page of so many, of every host. */
function change(share: number): number {
  edition++
  let changed = 0
  for (const [host, resources] of web.entries()) {
    const pages = resources.filter(({ type }) => type.startsWith('text/html'))
    for (const page of pages.slice(0, Math.round(share * pages.length))) {
      answersByHost[host]!.set(page.path, answerOf(editedPage(page, edition)))
      changed++
    }
  }
  return changed
}

function serve(socket: Socket, origin: string, answers: ReadonlyMap<string, Buffer>): void {
  let rest: Buffer | undefined
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    let bytes: Buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const end = bytes.indexOf(emptyLine)
      if (end < 0) break
      answer(socket, origin, answers, bytes.toString('latin1', 0, end))
      bytes = bytes.subarray(end + 4)
    }
    rest = bytes.length === 0 ? undefined : bytes
  })
}

function answer(socket: Socket, origin: string, answers: ReadonlyMap<string, Buffer>, head: string): void {
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
  arrivals.push({ atMs: performance.timeOrigin + performance.now(), url: origin + path })
  socket.write(answers.get(path) ?? notFound)
  if (/\r\nconnection: *close/i.test(head)) socket.end()
}

/** One port for all hosts: that of the first, whichever is free. */
async function listen(): Promise<void> {
  let port = 0
  for (let host = 0; host < shape.hosts; host++) {
    const address = addressOfHost(host)
    const server = createServer((socket) => serve(socket, `http://${address}:${port}`, answersByHost[host]!))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, address, resolve)
    })
    port = (server.address() as { port: number }).port
  }
  web = generateWeb(shape, port)
  answersByHost.push(...web.map(answersOf))
  const all = web.flat()
  const bytes = all.reduce((sum, { body }) => sum + body.length, 0)
  process.send!({ port, urls: all.length, bytes } satisfies OriginAnswer)
}

process.on('message', (question: OriginQuestion) => {
  if (question !== 'arrivals') {
    process.send!({ changed: change(question.change) } satisfies OriginAnswer)
    return
  }
  process.send!({ arrivals } satisfies OriginAnswer)
  arrivals = []
})
process.on('disconnect', () => process.exit())
await listen()
