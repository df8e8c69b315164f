// Whose process has the other end of a connection within this machine, where the system tells: Linux does, in /proc/net.
//
// Only connections that are open at both ends count: of one that its process has closed, the system names no user.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

const established = '01'
const root = 0

/** True only when it is known to be another user than ours and no administrator. */
export async function isOfOtherUser(socket: Socket): Promise<boolean> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket
  if (process.platform !== 'linux' || !isLoopback(remoteAddress)) return false
  const ends = [placesOf(remoteAddress, remotePort), placesOf(localAddress, localPort)] as const
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const user = userIn(await readFile(table, 'latin1').catch(() => ''), ends)
    if (user !== undefined) return user !== root && user !== process.getuid?.()
  }
  // It is local, and nobody has it any more: whoever it was does not want to be known.
  return true
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}

function userIn(table: string, [near, far]: readonly [string[], string[]]): number | undefined {
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', state, , , , user] = line.trim().split(/\s+/)
    if (state === established && near.includes(local) && far.includes(remote)) return Number(user)
  }
  return undefined
}

/** An address and port as the tables print them: 32 bits at a time in the machine's own order, IPv4 also as a part of IPv6. */
function placesOf(address: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  if (address === '::1') return [`${'0'.repeat(24)}01000000${suffix}`]
  const bytes = address.replace('::ffff:', '').split('.').map(Number)
  const word = Buffer.from(bytes.reverse()).toString('hex').toUpperCase()
  return [`${word}${suffix}`, `${'0'.repeat(16)}FFFF0000${word}${suffix}`]
}
