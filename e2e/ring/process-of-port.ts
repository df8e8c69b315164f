// Which process of ours a local connection comes from. Linux only: it is read from /proc.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The process among these that owns the socket with this local port. */
export function processOfPort(port: number, processes: readonly number[]): number | undefined {
  const inode = inodeOfPort(port)
  return processes.find((pid) => inode !== undefined && ownsSocket(pid, inode))
}

function inodeOfPort(port: number): string | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local, , , , , , , , inode] = line.trim().split(/\s+/)
    if (local?.split(':')[1] === wanted && inode !== '0') return inode
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
