// Host book: what is known of each host: its pace, its address, how many requests are under way.
//
// A host is an authority (name and port), http and https together: that is one server more often than not, and servers
// of one machine on other ports share the limits of their address.
// Kept with the site. In memory are the hosts in use, and others up to hostsMax. Pins count the lanes in memory.

import assert from 'node:assert/strict'
import { type HostPace, paceAfterRestart, paceAtStart, untouched } from '../politeness/host-pace.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { Lane } from './lane.ts'
import { hostKey } from './site-keys.ts'
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
  /** When the last response of this process ended. */
  lastEndedAtMs: number | undefined
  /** Lanes that wait for a request to end. */
  waiting: Lane[]
  pins: number
  isDirty: boolean
}

export class HostBook {
  readonly #table: BufferedTable
  readonly #rules: PolitenessRules
  readonly #hosts = new Map<string, Host>()
  readonly #dirty = new Set<Host>()

  constructor(table: BufferedTable, rules: PolitenessRules) {
    this.#table = table
    this.#rules = rules
  }

  get(site: Buffer, authority: string, nowMs: number): Host {
    let host = this.#hosts.get(authority)
    if (host !== undefined) return host
    const stored = this.#table.get(hostKey(site, authority))
    const { address, ...pace } = stored
      ? (JSON.parse(Buffer.from(stored).toString('latin1')) as HostPace & { address?: string })
      : (untouched as HostPace & { address?: string })
    host = {
      site,
      authority,
      pace: paceAtStart({ ...untouched, ...pace }, nowMs, this.#rules),
      address,
      underWay: 0,
      heldUntilMs: 0,
      lastEndedAtMs: undefined,
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
    this.change(host, paceAfterRestart(host.pace, nowMs, this.#rules))
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
      const stored = { ...host.pace, address: host.address }
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
