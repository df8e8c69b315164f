// `npm run bench -- transport`: calls and bytes between two processes on this machine, ours and libp2p's as it comes, in
// turns. Goals: 20,000 small calls a second; 0.7 of raw libp2p's megabytes.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Calls } from '../src/world/calls.ts'
import { RealClock } from '../src/world/real/clock.ts'
import { startNetwork } from '../src/world/real/network.ts'
import { RealRandom } from '../src/world/real/random.ts'
import { type Contender, measure, printTable } from './measure.ts'
import { echoProtocol, openRaw, type RawStream, sinkProtocol, startRaw } from './transport/raw.ts'

const smallBytes = 64
const inFlight = 256
const smallCount = 5_000
const largeBytes = 1_000_000
const largeCount = 40
const bulkInFlight = 8
const deadlineMs = 60_000

interface Answering {
  peer: string
  addresses: string[]
  rawAddress: string
}

export async function run(): Promise<void> {
  const child = fork(join(import.meta.dirname, 'transport', 'answering-peer.ts'))
  const network = await startNetwork({ listen: [] })
  const raw = await startRaw([])
  try {
    const [answering] = (await once(child, 'message')) as [Answering]
    network.learn(answering.peer, answering.addresses)
    const calls = new Calls(
      { network, clock: new RealClock(), random: new RealRandom() },
      { inFlightMax: 10_000 },
    )
    const ask = (bytes: Uint8Array, channel: 'control' | 'bulk') => (): Promise<unknown> =>
      calls.call(answering.peer, bytes, { deadlineMs, channel })
    const small = new Uint8Array(smallBytes)
    const large = new Uint8Array(largeBytes).fill(7)
    const echo = new RawEcho(await openRaw(raw, answering.rawAddress, echoProtocol))
    const sink = new RawSink(await openRaw(raw, answering.rawAddress, sinkProtocol))
    const contenders: Contender[] = [
      {
        name: `calls of ${smallBytes} bytes, ${inFlight} in flight`,
        operations: smallCount,
        run: () => many(smallCount, inFlight, ask(small, 'control')),
      },
      {
        name: `raw libp2p: ${smallBytes} bytes there and back on one stream`,
        operations: smallCount,
        run: () => echo.many(smallCount, inFlight),
      },
      {
        name: 'calls of 64 bytes, one at a time',
        operations: 500,
        run: () => many(500, 1, ask(small, 'control')),
      },
      { name: 'raw libp2p: one at a time', operations: 500, run: () => echo.many(500, 1) },
      {
        name: 'bulk calls of 1 MB',
        operations: largeCount,
        bytes: largeBytes,
        run: () => many(largeCount, bulkInFlight, ask(large, 'bulk')),
      },
      {
        name: 'raw libp2p: 1 MB writes on one stream',
        operations: largeCount,
        bytes: largeBytes,
        run: () => sink.many(largeCount, large),
      },
    ]
    report(await measure(contenders, { rounds: 5, roundMs: 500 }))
  } finally {
    child.disconnect()
    await Promise.all([network.close(), raw.stop()])
  }
}

async function many(count: number, inFlightMax: number, task: () => Promise<unknown>): Promise<void> {
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await task()
  }
  await Promise.all(Array.from({ length: inFlightMax }, worker))
}

/** Sends small messages and counts what comes back. */
class RawEcho {
  readonly #stream: RawStream
  #bytesBack = 0
  #wake = (): void => {}

  constructor(stream: RawStream) {
    this.#stream = stream
    stream.addEventListener('message', ({ data }) => {
      this.#bytesBack += data.byteLength
      this.#wake()
    })
  }

  async many(count: number, inFlightMax: number): Promise<void> {
    this.#bytesBack = 0
    let sent = 0
    while (this.#bytesBack < count * smallBytes) {
      const answered = Math.floor(this.#bytesBack / smallBytes)
      const room = Math.min(count - sent, inFlightMax - (sent - answered))
      if (room > 0) {
        sent += room
        // As many in one write as ours puts into one.
        this.#stream.send(new Uint8Array(room * smallBytes))
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

class RawSink {
  readonly #stream: RawStream
  #told = 0
  #wake = (): void => {}

  constructor(stream: RawStream) {
    this.#stream = stream
    stream.addEventListener('message', ({ data }) => {
      this.#told += data.byteLength
      this.#wake()
    })
  }

  async many(count: number, bytes: Uint8Array): Promise<void> {
    this.#told = 0
    let sent = 0
    while (this.#told < count) {
      while (sent < count && sent - this.#told < bulkInFlight) {
        sent++
        this.#stream.send(bytes)
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function report(measurements: Awaited<ReturnType<typeof measure>>): void {
  const rows = measurements.map(({ name, perSecond, megabytesPerSecond }) => [
    name,
    Math.round(perSecond).toLocaleString('en'),
    megabytesPerSecond === undefined ? '' : megabytesPerSecond.toFixed(1),
  ])
  console.log(printTable(['', 'a second', 'MB/s'], rows))
  const [calls, rawCalls, one, rawOne, bulk, rawBulk] = measurements.map(({ perSecond }) => perSecond)
  console.log(`\nsmall calls: ${(calls! / rawCalls!).toFixed(2)} of raw (goal: 20,000 a second)`)
  console.log(`one at a time: ${(one! / rawOne!).toFixed(2)} of raw`)
  console.log(`bulk: ${(bulk! / rawBulk!).toFixed(2)} of raw (goal: 0.7)`)
}
