// Processor time: what processes have used, and how long the machine was idle.

import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'

/** Of Linux, everywhere. */
const ticksPerSecond = 100

/** Of all threads of a process, in user and kernel. */
export async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/** Of all processors together, since the machine was started. */
export function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000
}
