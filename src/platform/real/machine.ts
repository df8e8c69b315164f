// How busy this machine is, as the operating system tells.

import { availableParallelism, freemem, loadavg } from 'node:os'

interface MachineState {
  readonly load: number
  readonly cores: number
  readonly memoryBytes: number
  readonly freeMemoryBytes: number
  readonly upMs: number
}

export function machineState(): MachineState {
  return {
    load: loadavg()[0] ?? 0,
    cores: availableParallelism(),
    memoryBytes: process.memoryUsage.rss(),
    freeMemoryBytes: freemem(),
    upMs: Math.round(process.uptime() * 1_000),
  }
}
