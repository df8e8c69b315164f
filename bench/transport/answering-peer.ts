// The other process of the benchmark: answers over our network, and over libp2p as it comes.

import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { usedMicros } from './processor-time.ts'
import { answerRaw, startRaw } from './raw.ts'

const listen = ['/ip4/127.0.0.1/tcp/0']
const network = await startNetwork({ listen })
const calls = new Calls(
  { network, clock: new RealClock(), random: new RealRandom() },
  { handlingMax: 100_000, handlingBytesMax: 1e9 },
)
// Small questions come back; of large ones a byte.
calls.answer((_from, bytes) => (bytes.length < 10_000 ? bytes : bytes.subarray(0, 1)))
const raw = await startRaw(listen)
await answerRaw(raw)
process.send?.({
  peer: network.self,
  addresses: network.addresses(),
  rawAddress: raw.getMultiaddrs()[0]!.toString(),
})
process.on('message', () => process.send?.(usedMicros()))
process.on('disconnect', () => process.exit())
