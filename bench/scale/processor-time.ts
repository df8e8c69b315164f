// Processor time: what processes have used, and how long the machine was idle.

import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'

/** Of Linux, everywhere. */
const ticksPerSecond = 100

/** Of all threads of a process, in user and kernel. */
export async function processorSeconds(pid: number): Promise<number> {
  const [user, system] = await timesOf(String(pid))
  return (user + system) / ticksPerSecond
}

/** Of all processes that this one has started and that have ended, each from its start to its end. */
export async function processorSecondsOfEnded(): Promise<number> {
  const [, , user, system] = await timesOf('self')
  return (user + system) / ticksPerSecond
}

/** In ticks: user and system time of the process, then those of its children that have ended. */
async function timesOf(process: string): Promise<[number, number, number, number]> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map(Number) as [number, number, number, number]
}

/** Of all processors together, since the machine was started. */
export function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000
}
