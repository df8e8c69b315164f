// The origin, a process of its own: pages of some 10 kB on every address of this machine.

import { createServer } from 'node:http'
import { LinkedSites } from '../../sim/peer/linked-sites.ts'

const sites = new LinkedSites({ sites: 64, pages: 100, textBytes: 10_000 })
const server = createServer((request, response) => {
  const host = Number(/\.(\d+):/.exec(request.headers.host ?? '')?.[1] ?? 0)
  response.setHeader('Content-Type', 'text/html')
  response.end(sites.body(host, Number(request.url!.slice(1))))
})
server.listen(0, '0.0.0.0', () => {
  const address = server.address()
  process.send!(typeof address === 'object' ? address!.port : 0)
})
process.on('disconnect', () => process.exit())
