// How busy this machine is, as the operating system tells.

import { availableParallelism, freemem, loadavg } from 'node:os'
import type { MachineStatus } from '../../model/peer-status.ts'

export function machineState(): Omit<MachineStatus, 'version' | 'positions'> {
  return {
    load: loadavg()[0] ?? 0,
    cores: availableParallelism(),
    memoryBytes: process.memoryUsage.rss(),
    freeMemoryBytes: freemem(),
    upMs: Math.round(process.uptime() * 1_000),
  }
}
