// A wiped peer is filled again by another, two real processes over libp2p: how fast, beside the plainest program that checks as much,
// raw bytes over libp2p as it comes, and a copy of the volumes by rsync.
//
// Where others use the machine, too, processor time tells more than the clock.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openCaptureCopies } from '../../src/app/network/capture-copies.ts'
import { copyThreads } from '../../src/app/threads/copy-threads.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import type { CopyWorkers } from '../../src/store/copying/whole-copies.ts'
import { sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store } from '../../src/store/store.ts'
import { openRaw, sinkProtocol, startRaw } from '../transport/raw.ts'
import { RawSink } from '../transport/raw-clients.ts'
import { floorThreads, takeVolume } from './floor.ts'
import { fill, type Holding } from './holding.ts'
import { oneArc } from './one-arc.ts'
import { OtherProcess, type Spent } from './other-process.ts'

export interface TransferFigures extends Spent {
  name: string
  megabytes: number
  /** Where it knows of captures. */
  captures?: number
}

export interface Transfers {
  refills: TransferFigures[]
  floor: TransferFigures
  /** Those to compare with. */
  others: TransferFigures[]
}

const writeBytes = 1_000_000
const rawInFlight = 8

export async function measureTransfers(holding: Holding, folder: string): Promise<Transfers> {
  const source = join(folder, 'source')
  await fill(source, holding)
  const given = await refill('owner', source, join(folder, 'given'), holding.captures)
  const fetched = await refill('member', source, join(folder, 'fetched'), holding.captures)
  const { megabytes } = given
  const others = [await rawBytes(source, megabytes)]
  if (isInstalled('rsync')) others.push(rsync(join(source, 'volumes'), join(folder, 'rsynced'), megabytes))
  return {
    refills: [
      { name: 'refill, given by the owner', ...given },
      { name: 'refill, fetched by the owner', ...fetched },
    ],
    floor: await floor(source, join(folder, 'floor'), megabytes),
    others,
  }
}

async function refill(
  role: 'owner' | 'member',
  source: string,
  folder: string,
  captures: number,
): Promise<Omit<TransferFigures, 'name'>> {
  const [clock, random] = [new RealClock(), new RealRandom()]
  const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'] })
  const services = new CallServices(new Calls({ network, clock, random }))
  const store = await Store.open(localWorld(), folder, sampleOptions)
  const other = await OtherProcess.start(source, role)
  const workers = await startedThreads()
  try {
    network.learn(other.peer, other.addresses)
    const [first, second] = role === 'owner' ? [other.peer, network.self] : [network.self, other.peer]
    const places = oneArc(network.self, first, second)
    const spent = await other.measure(async () => {
      // Who answers must be ready before the other asks.
      if (role === 'member') await other.meet(network)
      const copies = await openCaptureCopies({ store, services, places, clock, random, workers })
      if (role === 'owner') await other.meet(network)
      while (copies.status().entries < captures) await clock.sleep(20)
      await copies.close()
    })
    return { megabytes: (await volumeBytes(store)) / 1e6, captures, ...spent }
  } finally {
    other.end()
    await network.close()
    await workers.close()
    await store.close()
  }
}

/** That they have to be started counts for little where there is much to fetch, and here for a third. */
async function startedThreads(): Promise<CopyWorkers> {
  const workers = copyThreads()
  const nothing = { bytes: new Uint8Array(), lengths: [] }
  await Promise.all([workers.run(nothing), workers.run(nothing)])
  return workers
}

async function floor(source: string, path: string, megabytes: number): Promise<TransferFigures> {
  const name = 'floor: inflate, digest and write, no index'
  return withPlain(source, async (other, raw) => {
    const workers = await floorThreads()
    const spent = await other.measure(() => takeVolume(raw, other.rawAddress, path, workers))
    await workers.close()
    return { name, megabytes, ...spent }
  })
}

async function rawBytes(source: string, megabytes: number): Promise<TransferFigures> {
  const name = 'raw libp2p: 1 MB writes on one stream'
  return withPlain(source, async (other, raw) => {
    const sink = new RawSink(await openRaw(raw, other.rawAddress, sinkProtocol), rawInFlight)
    const bytes = new Uint8Array(writeBytes).fill(7)
    const count = Math.ceil(megabytes)
    const spent = await other.measure(() => sink.many(count, bytes))
    return { name, megabytes: count, ...spent }
  })
}

async function withPlain<T>(
  source: string,
  work: (other: OtherProcess, raw: Awaited<ReturnType<typeof startRaw>>) => Promise<T>,
): Promise<T> {
  const other = await OtherProcess.start(source, 'plain')
  const raw = await startRaw([])
  try {
    return await work(other, raw)
  } finally {
    other.end()
    await raw.stop()
  }
}

function rsync(from: string, to: string, megabytes: number): TransferFigures {
  const startMs = performance.now()
  execFileSync('rsync', ['-a', '--whole-file', '--fsync', `${from}/`, to])
  const seconds = (performance.now() - startMs) / 1_000
  const unknown = Number.NaN
  return { name: 'rsync of the volumes', megabytes, seconds, here: unknown, main: unknown, there: unknown }
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

async function volumeBytes(store: Store): Promise<number> {
  const { volumes } = await store.stat()
  return volumes.reduce((sum, { bytes }) => sum + bytes, 0)
}
