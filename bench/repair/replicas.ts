// Two replicas with the same entries, in real indexes.
//
// Keys are those that a store has for its captures anyway: ring key, SURT, time, and the id, so that no two are the same.

import { hash } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Holdings } from '../../src/network/replication/fixtures/holdings.ts'
import type { RosterEntry } from '../../src/network/replication/sums/roster.ts'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'

export interface Layout {
  name: string
  entries: number
  /** The same number gives the same entry. */
  entryOf(number: number): RosterEntry
}

export function oneSite(entries: number): Layout {
  return { name: 'one site', entries, entryOf: (number) => captureOf('one.example', number) }
}

/** Of ten entries each. */
export function manySites(sites: number): Layout {
  const entryOf = (number: number): RosterEntry => captureOf(`site-${number % sites}.example`, number)
  return { name: `${sites} sites of 10 entries`, entries: 10 * sites, entryOf }
}

function captureOf(site: string, number: number): RosterEntry {
  const page = Math.floor(number / 4)
  const surt = `example,${site.split('.')[0]})/news/2024/${page % 12}/some-longer-title-${page}.html`
  const id = digestOf(`capture ${number}`).subarray(0, 16)
  const time = digestOf(`time ${number}`).subarray(0, 7)
  const key = Buffer.concat([digestOf(site).subarray(0, 20), Buffer.from(`${surt}\0`), time, id])
  return { key, id: new Uint8Array(id) }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

export interface Replicas {
  here: Holdings
  there: Holdings
}

const entriesAtOnce = 10_000

/** The one is filled, the other a copy of its files. */
export async function withReplicas<T>(layout: Layout, body: (replicas: Replicas) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const [first, second] = [join(folder, 'here'), join(folder, 'there')]
    const filled = await openHoldings(first)
    for (let number = 0; number < layout.entries; number += entriesAtOnce) {
      await filled.addUncounted(entriesFrom(layout, number, entriesAtOnce))
    }
    await filled.coverAll()
    await filled.close()
    await cp(first, second, { recursive: true })
    const [here, there] = [await openHoldings(first), await openHoldings(second)]
    const result = await body({ here, there })
    await here.close()
    await there.close()
    return result
  })
}

export function entriesFrom(layout: Layout, first: number, count: number): RosterEntry[] {
  const length = Math.max(0, Math.min(count, layout.entries - first))
  return Array.from({ length }, (_, index) => layout.entryOf(first + index))
}

export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'repair-bench-'))
  try {
    return await body(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function openHoldings(folder: string): Promise<Holdings> {
  return new Holdings(await new RealKeyValues({ disk: new RealDisk() }).open(folder))
}

/** Of this process, all threads: other work on the machine slows the clock but not this. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
