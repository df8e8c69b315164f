// A wiped peer is filled again by another, two real processes over libp2p: how fast, beside raw bytes over libp2p as it comes and a
// copy of the volumes by rsync.
//
// Processor time of the busier end tells more than the clock where others use the machine, too.

import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openCaptureCopies } from '../../src/peer/copies/capture-copies.ts'
import { pageCapture, sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store } from '../../src/store/store.ts'
import { CallServices } from '../../src/world/call-services.ts'
import { Calls } from '../../src/world/calls.ts'
import { RealClock } from '../../src/world/real/clock.ts'
import { localWorld } from '../../src/world/real/local-world.ts'
import { startNetwork } from '../../src/world/real/network.ts'
import { RealRandom } from '../../src/world/real/random.ts'
import { chanceFrom, page } from '../store/page.ts'
import { usedMicros } from '../transport/processor-time.ts'
import { openRaw, sinkProtocol, startRaw } from '../transport/raw.ts'
import { RawSink } from '../transport/raw-clients.ts'
import { oneArc } from './one-arc.ts'

export interface Holding {
  name: string
  captures: number
  /** The body of each. */
  bodyOf(number: number): Uint8Array
}

/** Pages alone: small, and four times smaller as stored, so that there is much to check for each byte. */
export function pagesOnly(captures: number): Holding {
  return { name: 'pages of 19 kB', captures, bodyOf: (number) => page(number) }
}

/** By number half of them pages, half what is on them: what does not compress, of 10 to 190 kB. */
export function mixed(captures: number): Holding {
  return {
    name: 'pages and images, half and half',
    captures,
    bodyOf: (number) => (number % 2 === 0 ? page(number) : image(number)),
  }
}

function image(number: number): Uint8Array {
  const chance = chanceFrom(number)
  const bytes = Buffer.allocUnsafe(10_000 + Math.floor(chance() * 180_000))
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(chance() * 2 ** 32), at)
  return bytes
}

export interface TransferFigures {
  name: string
  megabytes: number
  seconds: number
  /** Of the busier end, in seconds. */
  processor: number
}

export interface Transfers {
  captures: number
  figures: TransferFigures[]
  hasRsync: boolean
}

const writeBytes = 1_000_000
const rawInFlight = 8

export async function measureTransfers(holding: Holding, folder: string): Promise<Transfers> {
  const source = join(folder, 'source')
  await fill(source, holding)
  const figures: TransferFigures[] = []
  for (const [name, owner] of [
    ['refill, given by the owner', 'owner'],
    ['refill, fetched by the owner', 'member'],
  ] as const) {
    figures.push(await refill(name, owner, source, join(folder, `taker ${owner}`), holding.captures))
  }
  const megabytes = figures[0]!.megabytes
  figures.push(await rawBytes(source, megabytes))
  const hasRsync = isInstalled('rsync')
  if (hasRsync) figures.push(rsync(join(source, 'volumes'), join(folder, 'rsynced'), megabytes))
  return { captures: holding.captures, figures, hasRsync }
}

async function fill(folder: string, { captures, bodyOf }: Holding): Promise<void> {
  const store = await Store.open(localWorld(), folder, sampleOptions)
  const keep = async (number: number): Promise<unknown> => {
    const url = `http://site-${number % 50}.test/page/${number}`
    return store.append(pageCapture(url, 1_000 + number, bodyOf(number)))
  }
  for (let at = 0; at < captures; at += 64) {
    const some = Array.from({ length: Math.min(64, captures - at) }, (_, index) => keep(at + index))
    await Promise.all(some)
  }
  await store.close()
}

async function refill(
  name: string,
  owner: 'owner' | 'member',
  source: string,
  folder: string,
  captures: number,
): Promise<TransferFigures> {
  const [clock, random] = [new RealClock(), new RealRandom()]
  const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'] })
  const services = new CallServices(new Calls({ network, clock, random }))
  const store = await Store.open(localWorld(), folder, sampleOptions)
  const other = await Other.start(source, owner)
  try {
    network.learn(other.peer, other.addresses)
    const [first, second] = owner === 'owner' ? [other.peer, network.self] : [network.self, other.peer]
    const places = oneArc(network.self, first, second)
    const usedBefore = usedMicros()
    const usedThereBefore = await other.usedMicros()
    const startMs = performance.now()
    // Who answers must be ready before the other asks.
    if (owner === 'member') await other.meet(network)
    const copies = await openCaptureCopies({ store, services, places, clock, random })
    if (owner === 'owner') await other.meet(network)
    while (copies.status().entries < captures) await clock.sleep(20)
    const seconds = (performance.now() - startMs) / 1_000
    const here = usedMicros() - usedBefore
    const there = (await other.usedMicros()) - usedThereBefore
    await copies.close()
    const megabytes = (await volumeBytes(store)) / 1e6
    return { name, megabytes, seconds, processor: Math.max(here, there) / 1e6 }
  } finally {
    other.end()
    await network.close()
    await store.close()
  }
}

async function rawBytes(source: string, megabytes: number): Promise<TransferFigures> {
  const other = await Other.start(source, 'member')
  const raw = await startRaw([])
  try {
    const sink = new RawSink(await openRaw(raw, other.rawAddress, sinkProtocol), rawInFlight)
    const bytes = new Uint8Array(writeBytes).fill(7)
    const usedBefore = usedMicros()
    const usedThereBefore = await other.usedMicros()
    const startMs = performance.now()
    await sink.many(Math.ceil(megabytes), bytes)
    const seconds = (performance.now() - startMs) / 1_000
    const here = usedMicros() - usedBefore
    const there = (await other.usedMicros()) - usedThereBefore
    const name = 'raw libp2p: 1 MB writes on one stream'
    return { name, megabytes: Math.ceil(megabytes), seconds, processor: Math.max(here, there) / 1e6 }
  } finally {
    other.end()
    await raw.stop()
  }
}

function rsync(from: string, to: string, megabytes: number): TransferFigures {
  const startMs = performance.now()
  execFileSync('rsync', ['-a', '--whole-file', '--fsync', `${from}/`, to])
  const seconds = (performance.now() - startMs) / 1_000
  return { name: 'rsync of the volumes', megabytes, seconds, processor: Number.NaN }
}

export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

async function volumeBytes(store: Store): Promise<number> {
  const { volumes } = await store.stat()
  return volumes.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The other process. */
class Other {
  readonly peer: string
  readonly addresses: string[]
  readonly rawAddress: string
  readonly #process: ReturnType<typeof fork>

  static async start(folder: string, role: 'owner' | 'member'): Promise<Other> {
    const child = fork(join(import.meta.dirname, 'holding-peer.ts'), [folder, role])
    const [told] = (await once(child, 'message')) as [
      { peer: string; addresses: string[]; rawAddress: string },
    ]
    return new Other(child, told)
  }

  private constructor(
    child: ReturnType<typeof fork>,
    told: { peer: string; addresses: string[]; rawAddress: string },
  ) {
    this.#process = child
    this.peer = told.peer
    this.addresses = told.addresses
    this.rawAddress = told.rawAddress
  }

  async usedMicros(): Promise<number> {
    this.#process.send('processor time?')
    const [micros] = (await once(this.#process, 'message')) as [number]
    return micros
  }

  /** From now on it knows us, and compares or answers. */
  async meet(network: { self: string; addresses(): string[] }): Promise<void> {
    this.#process.send({ peer: network.self, addresses: network.addresses() })
    await this.usedMicros()
  }

  end(): void {
    this.#process.disconnect()
  }
}
