// Processor time: what processes have used, and how long the machine was idle.

import { readdir, readFile } from 'node:fs/promises'
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

/** Of a process and the ones that it has started, those that have ended, too. */
export async function processorSecondsOfTree(pid: number): Promise<number> {
  let ticks = (await timesOf(String(pid))).reduce((sum, time) => sum + time, 0)
  for (const name of await readdir('/proc')) {
    const status = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    if (Number(fieldsOf(status)[1]) !== pid) continue
    const [user, system] = await timesOf(name)
    ticks += user + system
  }
  return ticks / ticksPerSecond
}

/** In ticks: user and system time of the process, then those of its children that have ended. */
async function timesOf(process: string): Promise<[number, number, number, number]> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8')
  return fieldsOf(text).slice(11, 15).map(Number) as [number, number, number, number]
}

/** From the state on. */
function fieldsOf(status: string): string[] {
  return status.slice(status.lastIndexOf(')') + 2).split(' ')
}

/** Of all processors together, since the machine was started. */
export function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000
}
