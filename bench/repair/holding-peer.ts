// The other process of the benchmark: a peer that holds captures and gives them, and libp2p as it comes beside it.

import { openCaptureCopies } from '../../src/app/network/capture-copies.ts'
import { copyThreads } from '../../src/app/threads/copy-threads.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store } from '../../src/store/store.ts'
import { usedMicros } from '../transport/processor-time.ts'
import { answerRaw, startRaw } from '../transport/raw.ts'
import { giveVolume } from './floor.ts'
import { oneArc } from './one-arc.ts'

const [folder, role] = process.argv.slice(2)
const listen = ['/ip4/127.0.0.1/tcp/0']
const [clock, random] = [new RealClock(), new RealRandom()]
const network = await startNetwork({ listen })
const services = new CallServices(new Calls({ network, clock, random }))
const store = await Store.open(localWorld(), folder!, sampleOptions)
const raw = await startRaw(listen)
await answerRaw(raw)
if (role === 'plain') await giveVolume(raw, (await store.stat()).volumes[0]!.path)
process.send?.({
  peer: network.self,
  addresses: network.addresses(),
  rawAddress: raw.getMultiaddrs()[0]!.toString(),
})
process.on('disconnect', () => process.exit())

process.on('message', async (message: { peer: string; addresses: string[] } | 'processor time?') => {
  if (message === 'processor time?') {
    process.send?.(usedMicros())
    return
  }
  network.learn(message.peer, message.addresses)
  const [owner, other] = role === 'owner' ? [network.self, message.peer] : [message.peer, network.self]
  const places = oneArc(network.self, owner, other)
  await openCaptureCopies({ store, services, places, clock, random, workers: copyThreads() })
})
