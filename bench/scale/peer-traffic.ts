// Bytes that went between peers on this machine, as the system counts them at their sockets: all that they say to each
// other, encryption included, without the headers of TCP and IP.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Over the connections that are open now to these ports, in both directions. Undefined where `ss` is not there. */
export async function bytesBetweenPeers(ports: readonly number[]): Promise<number | undefined> {
  const wanted = new Set(ports)
  try {
    const { stdout } = await promisify(execFile)('ss', ['-tinHO'], { maxBuffer: 64e6 })
    let bytes = 0
    for (const line of stdout.split('\n')) {
      const [, , , local, far] = line.split(/\s+/)
      if (!wanted.has(portOf(local)) && !wanted.has(portOf(far))) continue
      // Each end is a line of its own.
      bytes += Number(/\bbytes_sent:(\d+)/.exec(line)?.[1] ?? 0)
    }
    return bytes
  } catch {
    return undefined
  }
}

function portOf(place = ''): number {
  return Number(place.slice(place.lastIndexOf(':') + 1))
}
