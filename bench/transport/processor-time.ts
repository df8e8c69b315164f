// What an operation costs each end in processor time: unlike its rate, that does not depend on who else uses the machine.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Contender } from '../measure.ts'

export interface ProcessorTime {
  hereMicros: number
  thereMicros: number
}

const rounds = 10

/** The other process tells how much it has used when it is asked (answering-peer.ts). */
export async function processorTime(contender: Contender, other: ChildProcess): Promise<ProcessorTime> {
  const hereBefore = usedMicros()
  const thereBefore = await usedThere(other)
  for (let round = 0; round < rounds; round++) await contender.run()
  const operations = rounds * contender.operations
  return {
    hereMicros: (usedMicros() - hereBefore) / operations,
    thereMicros: ((await usedThere(other)) - thereBefore) / operations,
  }
}

export function usedMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function usedThere(other: ChildProcess): Promise<number> {
  other.send('processor time?')
  const [micros] = (await once(other, 'message')) as [number]
  return micros
}
