// The other process of the benchmark: answers over our network, and over libp2p as it comes.

import { Calls } from '../../src/world/calls.ts'
import { RealClock } from '../../src/world/real/clock.ts'
import { startNetwork } from '../../src/world/real/network.ts'
import { RealRandom } from '../../src/world/real/random.ts'
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
