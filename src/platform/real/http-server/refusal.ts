// What a client is told whose request cannot even be read.

import type { Socket } from 'node:net'
import { httpLimitsDefault } from '../../network/http-server.ts'

const refusals: Record<string, [status: string, sentence: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `Address and headers of this request have more than ${httpLimitsDefault.headBytesMax / 1024} kB together.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'This request took too long to come.'],
}

export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, sentence] = refusals[error.code ?? ''] ?? ['400 Bad Request', 'This is no HTTP request.']
  const body = `${sentence}\n`
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  // A client that never closes its side would keep the socket.
  socket.destroySoon()
}
