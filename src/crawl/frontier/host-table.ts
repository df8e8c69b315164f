// Host table: what is known of each host: its pace, its address, how many requests are under way.
//
// A host is an authority (name and port), http and https together: that is one server more often than not, and servers
// of one machine on other ports share the limits of their address.
// Kept with the site. In memory are the hosts in use, and others up to hostsMax. Pins count the lanes in memory.

import assert from 'node:assert/strict'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { HostOutage, Scheme } from '../politeness/host-outage.ts'
import { type HostPace, paceAfterRestart, paceAtStart, untouched } from '../politeness/host-pace.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { Lane } from './lanes/lane.ts'
import { hostKey } from './sites/site-keys.ts'
import type { BufferedTable } from './write-buffer.ts'

const hostsMax = 8_192

export interface Host {
  readonly site: Buffer
  readonly authority: string
  pace: HostPace
  address: string | undefined
  underWay: number
  /** Left alone until then for other reasons than its pace; 0 when there are none. Of this process only. */
  heldUntilMs: number
  /** Why it is held. */
  heldFor: MissedReason | undefined
  /** When the last request of this process ended, and when the last of each scheme that was answered. */
  lastEndedAtMs: number | undefined
  readonly answeredAtMs: Partial<Record<Scheme, number>>
  /** It could not be reached, and was given up. Kept until it answers. */
  outage: HostOutage | undefined
  /** Why the last request of this process failed, while none was answered since. */
  trouble: MissedReason | undefined
  /** Lanes that wait for a request to end. */
  waiting: Lane[]
  pins: number
  isDirty: boolean
}

export class HostTable {
  readonly #table: BufferedTable
  readonly #politenessOf: (authority: string) => PolitenessRules
  readonly #hosts = new Map<string, Host>()
  readonly #dirty = new Set<Host>()

  /** `politenessOf`: towards this host, as of now. */
  constructor(table: BufferedTable, politenessOf: (authority: string) => PolitenessRules) {
    this.#table = table
    this.#politenessOf = politenessOf
  }

  politenessTo({ authority }: Host): PolitenessRules {
    return this.#politenessOf(authority)
  }

  get(site: Buffer, authority: string, nowMs: number): Host {
    let host = this.#hosts.get(authority)
    if (host !== undefined) return host
    const stored = this.#table.get(hostKey(site, authority))
    const { address, ...rest }: Partial<StoredHost> = stored
      ? (JSON.parse(Buffer.from(stored).toString('latin1')) as StoredHost)
      : {}
    const { outage, pace } = outageIn(rest)
    host = {
      site,
      authority,
      pace: paceAtStart({ ...untouched, ...pace }, nowMs, this.#politenessOf(authority)),
      address,
      underWay: 0,
      heldUntilMs: 0,
      heldFor: undefined,
      lastEndedAtMs: undefined,
      answeredAtMs: {},
      outage,
      trouble: undefined,
      waiting: [],
      pins: 0,
      isDirty: false,
    }
    this.#hosts.set(authority, host)
    if (this.#hosts.size > hostsMax) this.#forgetIdle()
    return host
  }

  /** What is on disk is newer: another frontier handed it over. */
  forget(authority: string): void {
    const host = this.#hosts.get(authority)
    assert(host === undefined || host.pins === 0, `${authority} is in use`)
    if (host !== undefined) this.#dirty.delete(host)
    this.#hosts.delete(authority)
  }

  /** Whether a request to a host of this site is under way. */
  isAsking(site: Buffer): boolean {
    for (const host of this.#hosts.values()) if (host.underWay > 0 && host.site.equals(site)) return true
    return false
  }

  /** The last process may have died while it asked this host. */
  afterRestart(host: Host, nowMs: number): void {
    this.change(host, paceAfterRestart(host.pace, nowMs, this.politenessTo(host)))
  }

  change(host: Host, pace: HostPace): void {
    host.pace = pace
    host.isDirty = true
    this.#dirty.add(host)
  }

  pin(host: Host): void {
    host.pins++
  }

  unpin(host: Host): void {
    assert(host.pins > 0)
    host.pins--
  }

  /** Puts what has changed. */
  write(): void {
    for (const host of this.#dirty) {
      const stored: StoredHost = { ...host.pace, address: host.address, ...storedOutage(host.outage) }
      this.#table.put(hostKey(host.site, host.authority), Buffer.from(JSON.stringify(stored), 'latin1'))
      host.isDirty = false
    }
    this.#dirty.clear()
  }

  #forgetIdle(): void {
    for (const [authority, host] of this.#hosts) {
      if (host.pins === 0 && host.underWay === 0 && !host.isDirty) this.#hosts.delete(authority)
      if (this.#hosts.size <= hostsMax >> 1) return
    }
  }
}

/** Flat, as frontiers take it from each other: see entry-check.ts. */
interface StoredHost extends HostPace {
  readonly address?: string | undefined
  readonly outageCode?: string | undefined
  readonly outageReason?: string | undefined
  readonly outageAtMs?: number | undefined
  readonly outageUntilMs?: number | undefined
  readonly outageTimes?: number | undefined
  readonly outageScheme?: string | undefined
}

function storedOutage(outage: HostOutage | undefined): Partial<StoredHost> {
  if (outage === undefined) return {}
  return {
    outageCode: outage.code,
    outageReason: outage.reason,
    outageAtMs: outage.atMs,
    outageUntilMs: outage.untilMs,
    outageTimes: outage.times,
    outageScheme: outage.scheme,
  }
}

function outageIn(stored: Partial<StoredHost>): { outage: HostOutage | undefined; pace: Partial<HostPace> } {
  const { outageCode, outageReason, outageAtMs, outageUntilMs, outageTimes, outageScheme, ...pace } = stored
  if (typeof outageCode !== 'string' || typeof outageAtMs !== 'number' || typeof outageUntilMs !== 'number')
    return { outage: undefined, pace }
  const reason = typeof outageReason === 'string' ? outageReason : ''
  const times = typeof outageTimes === 'number' ? outageTimes : 1
  const scheme = outageScheme === 'http:' || outageScheme === 'https:' ? outageScheme : undefined
  return {
    outage: { code: outageCode, reason, scheme, atMs: outageAtMs, untilMs: outageUntilMs, times },
    pace,
  }
}
