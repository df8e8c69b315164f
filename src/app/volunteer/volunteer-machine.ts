// What a volunteer goes by of the machine that it runs on: processor time, memory, what others do on it, its battery.

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import type { VolunteerMachine } from '../../volunteer/owner-limits.ts'

/** Where Linux tells of mains and batteries. */
export const powerFolder = '/sys/class/power_supply'
const lookEveryMs = 5_000

export function realVolunteerMachine(): VolunteerMachine {
  let battery = { isIn: false, atMs: Number.NEGATIVE_INFINITY }
  let last = { cpuMs: cpuMs(), atMs: performance.now() }
  let ownShare = 0
  return {
    cpuMs,
    memoryBytes: () => process.memoryUsage.rss(),
    othersPerCore: () => {
      const nowMs = performance.now()
      if (nowMs - last.atMs > lookEveryMs) {
        ownShare = (cpuMs() - last.cpuMs) / (nowMs - last.atMs)
        last = { cpuMs: cpuMs(), atMs: nowMs }
      }
      return Math.max(0, (loadavg()[0] ?? 0) - ownShare) / availableParallelism()
    },
    isOnBattery: () => {
      const nowMs = performance.now()
      if (nowMs - battery.atMs > lookEveryMs) battery = { isIn: isOnBattery(powerFolder), atMs: nowMs }
      return battery.isIn
    },
    hour: () => new Date().getHours(),
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** False where nothing is known: other systems, and machines without a battery. */
export function isOnBattery(folder: string): boolean {
  try {
    const supplies = readdirSync(folder).map((name) => ({
      type: read(folder, name, 'type'),
      status: read(folder, name, 'status'),
      online: read(folder, name, 'online'),
      // A mouse has a battery, too.
      scope: read(folder, name, 'scope'),
    }))
    const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device')
    if (batteries.length === 0) return false
    const mains = supplies.filter(({ type }) => type !== 'Battery')
    if (mains.some(({ online }) => online === '1')) return false
    return batteries.some(({ status }) => status === 'Discharging')
  } catch {
    return false
  }
}

function read(folder: string, name: string, field: string): string {
  try {
    return readFileSync(join(folder, name, field), 'utf8').trim()
  } catch {
    return ''
  }
}

/** Gives back what the heap does not need. Nothing where the process was not started with --expose-gc. */
export function releaseMemory(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
