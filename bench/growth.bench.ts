// `npm run bench -- growth [captures|sites|announcements] [--largest N]`: what the books of a peer come to for 100, 1,000, 10,000 and
// 20,000 captures and sites, and what telling everybody something costs each of 10, 30, 100 … peers. The real code, its tables in memory;
// bytes are those of keys and values, without what a database adds. How a ring grows is `npm run sim -- scale`.

import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ringKeyOf } from '../src/model/ring-key.ts'
import type { ContentPlace } from '../src/network/content-directory/content-row.ts'
import { Directory } from '../src/network/content-directory/directory.ts'
import { LeaseStore } from '../src/network/leases/lease-store.ts'
import { peerKind } from '../src/network/membership/presence/presence-announcements.ts'
import { Comparison } from '../src/network/replication/comparison/comparison.ts'
import { AnnouncingPeers } from '../src/network/replication/fixtures/announcing-peers.ts'
import { converse } from '../src/network/replication/fixtures/conversation.ts'
import { plainEntry } from '../src/network/replication/fixtures/entries.ts'
import { Holdings } from '../src/network/replication/fixtures/holdings.ts'
import { allKeys } from '../src/network/replication/sums/key-range.ts'
import { type SimulatedWorld, simulatedWorld } from '../src/platform/simulated/world.ts'
import type { KeyValue } from '../src/platform/storage/key-value.ts'
import { printTable } from './measure.ts'

const sizes = [100, 1_000, 10_000, 20_000, 100_000]
const networks = [10, 30, 100, 300]
const differences = 10
const salt = new Uint8Array(8).fill(7)
/** As real ones are: 52 characters. */
const peerNamed = (number: number): string => `12D3KooW${hash('sha256', `peer ${number}`).slice(0, 44)}`

export async function run(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { largest: { type: 'string', default: '20000' } },
  })
  const largest = Number(values.largest)
  const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
  if (isWanted('captures')) await showCaptures(sizes.filter((size) => size <= largest))
  if (isWanted('sites')) await showSites(sizes.filter((size) => size <= largest))
  if (isWanted('announcements')) await showAnnouncements(networks.filter((size) => size <= largest))
}

async function showCaptures(counts: readonly number[]): Promise<void> {
  const rows: string[][] = []
  for (const count of counts) {
    const world = simulatedWorld({ seed: 1 })
    const [here, there] = [await holdingsOf(world, 'here', count), await holdingsOf(world, 'there', count)]
    const equal = compared(here, there)
    await world.complete(here.holdings.remove(some(count)))
    const different = compared(here, there)
    rows.push([
      String(count),
      perOne(await bytesIn(world, here.map, 'sums'), count),
      perOne(await contentBytes(world, count), count),
      `${equal.bytes} in ${equal.roundTrips}`,
      `${different.bytes} in ${different.roundTrips}`,
    ])
  }
  const header = [
    'captures',
    'sums, B each',
    'directory, B each',
    'equal: bytes, trips',
    '10 missing: bytes, trips',
  ]
  show('Books of captures, and comparing them with another peer', header, rows)
}

async function showSites(counts: readonly number[]): Promise<void> {
  const rows: string[][] = []
  for (const count of counts) {
    const world = simulatedWorld({ seed: 1 })
    const map = await world.complete(world.machine('member').keyValues.open('/leases'))
    const store = new LeaseStore(map)
    const members = [1, 2, 3].map(peerNamed)
    const held = { epoch: 3, holder: members[0]!, members, before: [{ epoch: 2, members }] }
    await world.complete(
      store.change((put) => {
        for (let site = 0; site < count; site++) {
          put(ringKeyOf(`site-${site}.test`), {
            ...{ decided: held, isLaidDown: false, promised: undefined },
            accepted: { ballot: { round: 1, peer: members[0]! }, lease: held },
          })
        }
      }),
    )
    rows.push([String(count), perOne(await bytesIn(world, map, 'stewardships'), count)])
  }
  show('Leases of sites at each of their three members', ['sites', 'B each'], rows)
}

async function showAnnouncements(counts: readonly number[]): Promise<void> {
  const rows: string[][] = []
  for (const count of counts) {
    const peers = new AnnouncingPeers(1)
    peers.kinds = [peerKind]
    const names = Array.from({ length: count }, (_, number) => peerNamed(number))
    await peers.start(...names)
    await peers.world.advance(60_000)
    const before = trafficOf(peers)
    await peers.world.advance(60_000)
    const restBytes = trafficOf(peers).bytes - before.bytes
    const start = trafficOf(peers)
    const cpu = process.cpuUsage()
    for (const name of names) await peers.put(name, 'peer', name, 'here')
    await peers.world.advance(60_000)
    const { user, system } = process.cpuUsage(cpu)
    const end = trafficOf(peers)
    const told = names.filter((name) => peers.values('peer', name).size === 1).length
    const perTold = (end.bytes - start.bytes - restBytes) / count / count
    rows.push([
      String(count),
      String(told),
      perTold.toFixed(0),
      ((end.messages - start.messages) / count / count).toFixed(2),
      ((user + system) / count / count).toFixed(0),
      (restBytes / count / 60).toFixed(1),
    ])
  }
  const header = [
    'peers',
    'heard by all',
    'bytes sent by each peer for each',
    'messages',
    'µs each',
    'at rest, B/s a peer',
  ]
  show('Everybody tells everybody one thing', header, rows)
}

function trafficOf(peers: AnnouncingPeers): { bytes: number; messages: number } {
  const { bytesCarried, messagesCarried } = peers.world.network
  return { bytes: bytesCarried, messages: messagesCarried }
}

interface Opened {
  readonly map: KeyValue
  readonly holdings: Holdings
}

async function holdingsOf(world: SimulatedWorld, name: string, count: number): Promise<Opened> {
  const map = await world.complete(world.machine(name).keyValues.open('/holdings'))
  const holdings = new Holdings(map)
  await world.complete(holdings.coverAll())
  await world.complete(holdings.add(Array.from({ length: count }, (_, number) => plainEntry(number))))
  return { map, holdings }
}

/** Spread over all. */
function some(count: number) {
  return Array.from({ length: differences }, (_, at) => plainEntry(Math.floor((at * count) / differences)))
}

function compared({ holdings: here }: Opened, { holdings: there }: Opened) {
  return converse(new Comparison(here.sums, [allKeys], salt), there.sums, () => {})
}

async function contentBytes(world: SimulatedWorld, count: number): Promise<number> {
  const { keyValues, clock } = world.machine('directory')
  const keyValue = await world.complete(keyValues.open('/contents'))
  const directory = new Directory({ keyValue, clock })
  const places = Array.from({ length: count }, (_, number): ContentPlace => {
    const bytes = hash('sha256', `content ${number}`, 'buffer')
    const capture = {
      url: `https://www.site-${number % 100}.test/articles/2026/11/${number}`,
      capturedAtMs: Date.UTC(2026, 10, 19),
      recordId: '01234567-89ab-4cde-8f01-23456789abcd',
    }
    return { digest: { algorithm: 'sha256', bytes }, sizeBytes: 20_000, capture }
  })
  const needs = places.map(({ digest }, number) => ({
    ...{ digest, site: ringKeyOf(`site-${number % 100}.test`), isNeeded: true },
  }))
  await world.complete(directory.put({ places, needs }))
  return bytesIn(world, keyValue, 'rows')
}

async function bytesIn(world: SimulatedWorld, map: KeyValue, name: string): Promise<number> {
  let bytes = 0
  await world.complete(
    map.transaction(() => {
      for (const [key, value] of map.table(name).range()) bytes += key.length + value.length
    }),
  )
  return bytes
}

function perOne(bytes: number, count: number): string {
  return (bytes / count).toFixed(1)
}

function show(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n`)
  console.log(printTable(header, rows))
}
