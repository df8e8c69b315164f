// Lane table: all lanes, and when each is due. Those due soon are in memory, the others on disk by their time.
//
// Invariants: every lane with something pending has one entry in the schedule on disk: at time 0 while it is in memory,
// else at a time when it may be due. So after a crash the lanes of time 0 are those that were in memory. At most
// lanesMax lanes are in memory, and a few more whose requests are under way.

import assert from 'node:assert/strict'
import type { Url } from '../../../model/url/url.ts'
import type { Host, HostTable } from '../host-table.ts'
import {
  afterPrefix,
  jobNumberBytes,
  laneKey,
  ownBuffer,
  sitePrefix,
  sitePrefixBytes,
} from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { Lane, type WindowSize } from './lane.ts'
import { TimeHeap } from './time-heap.ts'

export const lanesMaxDefault = 4_096
/** Entries of a lane in memory: a chunk of its queue, or some of it where there are more lanes than a few. */
const windowOfFew = 24
const windowOfMany = 8
const fewLanes = 256
/** Lanes moved between memory and disk at a time. */
const movedMax = 256
/** Lanes that are on disk or empty, kept for their counts. */
const idleMax = 16_384
/** Lanes due later than this stay on disk. */
const horizonMs = 3_600_000
const parkedMs = 24 * horizonMs
/** The time under which lanes wait of which rules hold back all. */
const heldAtMs = 2 ** 46
const timeBytes = 6
const nothing = Buffer.alloc(1)

interface Needs {
  sites: BufferedTable
  schedule: BufferedTable
  hosts: HostTable
}

interface LanesOfJob {
  readonly number: number
  readonly hasPagesLeft: boolean
}

export class LaneTable {
  readonly #needs: Needs
  readonly #lanesMax: number
  readonly #lanes = new Map<string, Lane>()
  readonly #heap = new TimeHeap<Lane>()
  readonly #dirty = new Set<Lane>()
  /** Lanes in memory: in the heap or waiting; and how many of each job. */
  #loaded = 0
  readonly #windowSize: WindowSize = { entriesMax: windowOfFew }
  readonly #loadedOfJob = new Map<number, number>()
  /** By job: the earliest time on disk; Infinity when there is nothing. */
  readonly #diskAtMs = new Map<number, number>()

  constructor(needs: Needs, lanesMax: number) {
    this.#needs = needs
    this.#lanesMax = lanesMax
  }

  loadedOf(job: number): number {
    return this.#loadedOfJob.get(job) ?? 0
  }

  get(url: Url, job: number): Lane {
    const name = `${job} ${url.authority}`
    return this.#lanes.get(name) ?? this.#read(name, sitePrefix(url), job, url.authority)
  }

  #read(name: string, site: Buffer, job: number, authority: string): Lane {
    const lane = new Lane(this.#needs.sites, this.#windowSize, site, job, authority)
    const stored = this.#needs.sites.get(laneKey(site, job, authority))
    if (stored !== undefined) {
      const [taken, pending, atMs] = Buffer.from(stored).toString('latin1').split(' ').map(Number)
      lane.taken = taken!
      lane.pending = pending!
      lane.scheduledAtMs = atMs === -1 ? undefined : atMs
      lane.place = atMs === -1 ? 'empty' : 'disk'
      if (lane.place === 'disk') lane.unload()
    }
    this.#lanes.set(name, lane)
    if (this.#lanes.size > this.#loaded + idleMax) this.#forgetIdle()
    return lane
  }

  /** It has something queued: takes it into memory if there is room, else puts it on the schedule. */
  wake(lane: Lane, nowMs: number): void {
    const isParked = lane.place === 'disk' && lane.scheduledAtMs! > nowMs + horizonMs
    if (lane.place !== 'empty' && !isParked) return
    if (this.#loaded < this.#lanesMax) this.#load(lane, nowMs)
    else {
      this.#reschedule(lane, Math.max(nowMs, 1))
      lane.place = 'disk'
      lane.unload()
    }
  }

  /** Into the heap, to come up at this time. */
  push(lane: Lane, atMs: number): void {
    this.#push(lane, atMs)
  }

  #push(lane: Lane, atMs: number): void {
    if (lane.isGone) return
    lane.place = 'heap'
    this.#heap.add(atMs, lane)
  }

  /** The time of the next one in memory. */
  get nextAtMs(): number | undefined {
    return this.#heap.nextAtMs
  }

  /** The first in memory, whatever its time; with levels, the first of the highest level among those due by now. It is in no
   * place until it is put somewhere. With head starts, the one of the first few that they bring to the front. */
  take(
    nowMs: number,
    levelOf?: (lane: Lane) => number,
    headStartMs?: (lane: Lane) => number,
  ): Lane | undefined {
    if (levelOf !== undefined) return this.#heap.takeDue(nowMs, levelOf)
    return headStartMs === undefined ? this.#heap.take() : this.#heap.takeAhead(nowMs, headStartMs)
  }

  /** Nothing is pending any more. */
  empty(lane: Lane): void {
    this.#unload(lane)
    this.#reschedule(lane, undefined)
    lane.place = 'empty'
  }

  /** A lane that only waits goes to disk. */
  toDisk(lane: Lane, atMs: number): void {
    this.#unload(lane)
    lane.unload()
    lane.place = 'disk'
    this.#reschedule(lane, Math.max(1, Math.ceil(Math.min(atMs, 2 ** 47))))
  }

  /** Its job may not go on with it for now: left alone until something new is queued or `bringIn` is told to take all. */
  park(lane: Lane, nowMs: number): void {
    this.toDisk(lane, nowMs + parkedMs)
  }

  /** A rule holds back all of it: left alone until something new is queued, or the rules change. */
  hold(lane: Lane): void {
    this.toDisk(lane, heldAtMs)
  }

  /** Whether all that is left of the job is held back by rules. */
  isAllHeld(job: number): boolean {
    const atMs = this.diskAtMs(job)
    return this.loadedOf(job) === 0 && atMs >= heldAtMs && atMs < Number.POSITIVE_INFINITY
  }

  /** The rules have changed: lanes that were held back come up again, so many at a time. False when there were none. */
  release(job: number, nowMs: number): boolean {
    const keys = [...this.#onDisk(job, movedMax, heldAtMs)].map(([key]) => key)
    for (const key of keys) this.#reschedule(this.#laneOfKey(key, job), Math.max(1, Math.ceil(nowMs)))
    this.#diskAtMs.delete(job)
    return keys.length > 0
  }

  /** Whether anything but parked lanes is left of the job. */
  hasUnparked(job: number, nowMs: number): boolean {
    return this.loadedOf(job) > 0 || this.diskAtMs(job) <= nowMs + horizonMs
  }

  /** Brings in those that are due first, as long as there is room; makes room for those due now. True when some came. */
  bringIn(jobs: readonly LanesOfJob[], nowMs: number): boolean {
    let came = false
    for (const job of jobs) {
      const atMs = this.dueAtMs(job, nowMs)
      if (atMs === Number.POSITIVE_INFINITY) continue
      if (this.#loaded >= this.#lanesMax) {
        if (atMs > nowMs || (this.nextAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue
        this.#makeRoom(atMs)
      }
      came = this.#bringInJob(job.number, nowMs) || came
    }
    return came
  }

  /** The lanes of a job, when all of them wait for their time in memory like this, but for parked ones; else undefined. */
  waitingOf(job: number, nowMs: number, isLikeThis: (lane: Lane) => boolean): Lane[] | undefined {
    if (this.diskAtMs(job) <= nowMs + horizonMs) return undefined
    const waiting: Lane[] = []
    for (const lane of this.#lanes.values()) {
      if (lane.job !== job || lane.pending === 0) continue
      if (lane.place === 'disk' || lane.place === 'empty') continue
      // Mostly the first one: it is asked often.
      if (lane.place !== 'heap' || lane.leased.size > 0 || !isLikeThis(lane)) return undefined
      waiting.push(lane)
    }
    return waiting
  }

  /** Those with something to fetch within the horizon, as far as they are in memory or were of late. */
  *withWork(nowMs: number): Generator<Lane> {
    for (const lane of this.#lanes.values()) {
      if (lane.pending === 0 || lane.place === 'empty') continue
      if (lane.place !== 'disk' || lane.scheduledAtMs! <= nowMs + horizonMs) yield lane
    }
  }

  /** A lane in the heap comes up now. */
  hurry(lanes: readonly Lane[]): void {
    const hurried = new Set(lanes)
    this.#heap.keep((lane) => !hurried.has(lane))
    for (const lane of hurried) this.#push(lane, 0)
  }

  /** The earliest time of a lane on disk. */
  diskAtMs(job: number): number {
    let atMs = this.#diskAtMs.get(job)
    if (atMs === undefined) {
      atMs = Number.POSITIVE_INFINITY
      for (const [key] of this.#onDisk(job, 1)) atMs = key.readUIntBE(jobNumberBytes, timeBytes)
      this.#diskAtMs.set(job, atMs)
    }
    return atMs
  }

  /** The same, but for parked ones when those are of no use. */
  dueAtMs({ number, hasPagesLeft }: LanesOfJob, nowMs: number): number {
    const atMs = this.diskAtMs(number)
    if (atMs >= heldAtMs) return Number.POSITIVE_INFINITY
    return hasPagesLeft || atMs <= nowMs + horizonMs ? atMs : Number.POSITIVE_INFINITY
  }

  /** Lanes that were in memory when the last process ended, and are now on disk. Their hosts may just have been asked. */
  recover(job: number, nowMs: number): void {
    const prefix = scheduleKey(job, 0, Buffer.alloc(0), '')
    for (const [key] of [...this.#needs.schedule.range(prefix, afterPrefix(prefix))]) {
      const lane = this.#laneOfKey(key, job)
      const host = this.#needs.hosts.get(lane.site, lane.authority, nowMs)
      this.#needs.hosts.afterRestart(host, nowMs)
      lane.scheduledAtMs = 0
      this.#reschedule(lane, Math.max(1, Math.ceil(host.pace.nextAtMs)))
    }
  }

  /** Lanes on disk wait for no longer than their hosts do. Parked ones are looked at, and parked again. */
  afterClockWasAhead(job: number, nowMs: number): void {
    const from = scheduleKey(job, nowMs, Buffer.alloc(0), '')
    for (const [key] of [
      ...this.#needs.schedule.range(from, afterPrefix(from.subarray(0, jobNumberBytes))),
    ]) {
      const lane = this.#laneOfKey(key, job)
      const { pace } = this.#needs.hosts.get(lane.site, lane.authority, nowMs)
      if (pace.nextAtMs < lane.scheduledAtMs!) this.#reschedule(lane, Math.max(1, Math.ceil(pace.nextAtMs)))
    }
    this.#diskAtMs.delete(job)
  }

  /** All lanes of a job that only wait leave memory: it is paused or done. */
  evict(job: number, nowMs: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.job !== job || lane.leased.size > 0) continue
      if (lane.place === 'heap') this.toDisk(lane, Math.max(nowMs, lane.host!.pace.nextAtMs))
    }
    this.#heap.keep((lane) => lane.place === 'heap')
  }

  /** The job is gone: its lanes, put away before, are not to be written again. */
  forget(job: number): void {
    for (const [name, lane] of this.#lanes) {
      const isIdle = lane.place === 'disk' || lane.place === 'empty'
      if (lane.job !== job || !isIdle) continue
      this.#lanes.delete(name)
      this.#dirty.delete(lane)
    }
  }

  /** Its site goes to another frontier. None of it may be leased. */
  remove(lane: Lane): void {
    if (lane.host !== undefined) this.#unload(lane)
    this.#reschedule(lane, undefined)
    lane.place = 'empty'
    lane.isGone = true
    this.#dirty.delete(lane)
    this.#lanes.delete(`${lane.job} ${lane.authority}`)
  }

  noteChange(lane: Lane): void {
    this.#dirty.add(lane)
    lane.isDirty = true
  }

  write(): void {
    for (const lane of this.#dirty) {
      const text = `${lane.taken} ${lane.pending} ${lane.scheduledAtMs ?? -1}`
      this.#needs.sites.put(laneKey(lane.site, lane.job, lane.authority), Buffer.from(text, 'latin1'))
      lane.isDirty = false
    }
    this.#dirty.clear()
  }

  #bringInJob(job: number, nowMs: number): boolean {
    const count = Math.min(movedMax, this.#lanesMax - this.#loaded)
    const keys = [...this.#onDisk(job, count, 1, heldAtMs)].map(([key]) => key)
    for (const key of keys) this.#load(this.#laneOfKey(key, job), nowMs)
    this.#diskAtMs.delete(job)
    return keys.length > 0
  }

  #laneOfKey(key: Buffer, job: number): Lane {
    const siteStart = jobNumberBytes + timeBytes
    const site = ownBuffer(key.subarray(siteStart, siteStart + sitePrefixBytes))
    const authority = key.toString('latin1', siteStart + sitePrefixBytes)
    const name = `${job} ${authority}`
    return this.#lanes.get(name) ?? this.#read(name, site, job, authority)
  }

  #onDisk(job: number, limit: number, fromMs = 1, beforeMs?: number): Iterable<[Buffer, Uint8Array]> {
    const from = scheduleKey(job, fromMs, Buffer.alloc(0), '')
    const to =
      beforeMs === undefined
        ? afterPrefix(from.subarray(0, jobNumberBytes))
        : scheduleKey(job, beforeMs, Buffer.alloc(0), '')
    return this.#needs.schedule.range(from, to, limit)
  }

  #load(lane: Lane, nowMs: number): void {
    assert(lane.place === 'disk' || lane.place === 'empty')
    const host: Host = this.#needs.hosts.get(lane.site, lane.authority, nowMs)
    this.#needs.hosts.pin(host)
    lane.host = host
    this.#count(lane.job, 1)
    this.#reschedule(lane, 0)
    this.#push(lane, host.pace.nextAtMs)
  }

  #unload(lane: Lane): void {
    assert(lane.host !== undefined && lane.leased.size === 0)
    this.#needs.hosts.unpin(lane.host)
    lane.host = undefined
    this.#count(lane.job, -1)
  }

  #count(job: number, more: 1 | -1): void {
    this.#loaded += more
    this.#loadedOfJob.set(job, this.loadedOf(job) + more)
    this.#windowSize.entriesMax = this.#loaded > fewLanes ? windowOfMany : windowOfFew
  }

  #makeRoom(beforeMs: number): void {
    for (const { atMs, value: lane } of this.#heap.takeLast(movedMax)) {
      if (lane.isGone) continue
      if (atMs <= beforeMs || lane.leased.size > 0) this.#push(lane, atMs)
      else this.toDisk(lane, atMs)
    }
  }

  #reschedule(lane: Lane, atMs: number | undefined): void {
    const { schedule } = this.#needs
    const { job, site, authority, scheduledAtMs } = lane
    if (scheduledAtMs === atMs) return
    if (scheduledAtMs !== undefined) schedule.remove(scheduleKey(job, scheduledAtMs, site, authority))
    if (atMs !== undefined) schedule.put(scheduleKey(job, atMs, site, authority), nothing)
    lane.scheduledAtMs = atMs
    const earliestMs = this.#diskAtMs.get(job)
    if (atMs && earliestMs !== undefined) this.#diskAtMs.set(job, Math.min(earliestMs, atMs))
    this.noteChange(lane)
  }

  #forgetIdle(): void {
    for (const [name, lane] of this.#lanes) {
      const isIdle = lane.place === 'disk' || lane.place === 'empty'
      if (isIdle && !lane.isDirty) this.#lanes.delete(name)
      if (this.#lanes.size <= this.#loaded + (idleMax >> 1)) return
    }
  }
}

function scheduleKey(job: number, atMs: number, site: Buffer, authority: string): Buffer {
  const siteStart = jobNumberBytes + timeBytes
  const key = Buffer.allocUnsafe(siteStart + site.length + authority.length)
  key.writeUIntBE(job, 0, jobNumberBytes)
  key.writeUIntBE(Math.ceil(atMs), jobNumberBytes, timeBytes)
  key.set(site, siteStart)
  key.write(authority, siteStart + site.length, 'latin1')
  return key
}
