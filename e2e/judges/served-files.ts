// A web server on loopback for some files, in parts where they are asked for: so a WACZ is read.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { parseByteRange } from '../../src/formats/http/byte-range.ts'

/** By path. At `/` there is an empty page. */
export async function serve(files: Readonly<Record<string, string>>): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = files[pathname]
    if (file !== undefined) void sendFile(file, request, response)
    else if (pathname === '/')
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Judge</title>')
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function sendFile(file: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { size } = await stat(file)
  const type = file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream'
  const headers = { 'Content-Type': type, 'Accept-Ranges': 'bytes' }
  const wanted = request.headers.range
  const range = wanted === undefined ? undefined : parseByteRange(wanted, size)
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'Content-Range': `bytes */${size}` }).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: size }
  response.writeHead(range === undefined ? 200 : 206, {
    ...headers,
    'Content-Length': end - start,
    ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
  })
  if (request.method === 'HEAD') response.end()
  else createReadStream(file, { start, end: end - 1 }).pipe(response)
}
