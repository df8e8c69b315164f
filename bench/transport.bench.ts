// `npm run bench -- transport`: calls and bytes between two processes on this machine, ours and libp2p's as it comes, in
// many short turns. The ratio is the median of the turns' own, so that a machine that is busy now and then does not tip it.
// Goals: 20,000 small calls a second; 0.7 of raw libp2p's megabytes.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Calls } from '../src/platform/calls/calls.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { startNetwork } from '../src/platform/real/network/network.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import { type Contender, type Measurement, measure, printTable, ratioOf } from './measure.ts'
import { type ProcessorTime, processorTime } from './transport/processor-time.ts'
import { echoProtocol, openRaw, sinkProtocol, startRaw } from './transport/raw.ts'
import { RawEcho, RawSink } from './transport/raw-clients.ts'

const smallBytes = 64
const inFlight = 256
const smallCount = 2_000
const oneCount = 200
const largeBytes = 1_000_000
const largeCount = 16
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
    const echo = new RawEcho(await openRaw(raw, answering.rawAddress, echoProtocol), smallBytes)
    const sink = new RawSink(await openRaw(raw, answering.rawAddress, sinkProtocol), bulkInFlight)
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
        operations: oneCount,
        run: () => many(oneCount, 1, ask(small, 'control')),
      },
      { name: 'raw libp2p: one at a time', operations: oneCount, run: () => echo.many(oneCount, 1) },
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
    const measurements = await measure(contenders, { rounds: 31, roundMs: 100 })
    const times: ProcessorTime[] = []
    for (const contender of contenders) times.push(await processorTime(contender, child))
    report(measurements, times)
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

function report(measurements: Measurement[], times: ProcessorTime[]): void {
  const rows = measurements.map(({ name, perSecond, megabytesPerSecond }, index) => {
    const { hereMicros, thereMicros } = times[index]!
    return [
      name,
      Math.round(perSecond).toLocaleString('en'),
      megabytesPerSecond === undefined ? '' : megabytesPerSecond.toFixed(1),
      hereMicros.toFixed(0),
      thereMicros.toFixed(0),
    ]
  })
  console.log(printTable(['', 'a second', 'MB/s', 'processor µs: asker', 'answerer'], rows))
  const [calls, rawCalls, one, rawOne, bulk, rawBulk] = measurements
  const { hereMicros, thereMicros } = times[0]!
  const perCore = Math.round(1e6 / Math.max(hereMicros, thereMicros)).toLocaleString('en')
  console.log(`\nsmall calls: ${Math.round(calls!.perSecond).toLocaleString('en')} a second (goal: 20,000); `)
  console.log(`  ${perCore} where each end has a core to itself, by the processor time that they took`)
  console.log(`  ${ratioOf(calls!, rawCalls!).toFixed(2)} of raw, which has no messages, only bytes`)
  console.log(`one at a time: ${ratioOf(one!, rawOne!).toFixed(2)} of raw`)
  console.log(`bulk: ${ratioOf(bulk!, rawBulk!).toFixed(2)} of raw (goal: 0.7)`)
}
