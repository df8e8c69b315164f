// Which process of ours a local connection comes from. Linux only: it is read from /proc.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The process among these that owns the end at `port` of a connection to `toPort`. A port alone says too little: one process after the
 * other may connect from the same port to other places, also at the same time. The list is no snapshot: while others come and go,
 * an entry may be missing, and be there when looked for again. */
export function processOfPort(
  port: number,
  toPort: number,
  processes: readonly number[],
): number | undefined {
  const inode = inodeOfConnection(port, toPort)
  return processes.find((pid) => inode !== undefined && ownsSocket(pid, inode))
}

function inodeOfConnection(port: number, toPort: number): string | undefined {
  const [wanted, to] = [port, toPort].map((each) => each.toString(16).toUpperCase().padStart(4, '0'))
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
    if (local?.split(':')[1] === wanted && remote?.split(':')[1] === to && inode !== '0') return inode
  }
  return undefined
}

function ownsSocket(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`
      } catch {
        return false // Closed meanwhile.
      }
    })
  } catch {
    return false // Ended meanwhile.
  }
}
