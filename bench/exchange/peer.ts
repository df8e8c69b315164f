// A real peer that exchanges links: libp2p on loopback, LMDB on disk, and a frontier that only keeps what it takes, durably.

import { join } from 'node:path'
import { Exchange, type ExchangeOptions } from '../../src/exchange/exchange.ts'
import { ringKeyToBytes } from '../../src/record/ring-key.ts'
import { CallServices } from '../../src/world/call-services.ts'
import { Calls } from '../../src/world/calls.ts'
import { RealClock } from '../../src/world/real/clock.ts'
import { realCompressor } from '../../src/world/real/compressor.ts'
import { RealDisk } from '../../src/world/real/disk.ts'
import { RealKeyValues } from '../../src/world/real/key-value.ts'
import type { RealNetwork } from '../../src/world/real/network.ts'
import { RealRandom } from '../../src/world/real/random.ts'
import type { FixedRing } from './fixed-ring.ts'

export interface BenchPeer {
  /** Not started: what is offered waits until it is. */
  readonly exchange: Exchange
  takenCount(): number
  close(): Promise<void>
}

export async function startPeer(
  network: RealNetwork,
  ring: FixedRing,
  folder: string,
  options: Partial<ExchangeOptions> = {},
): Promise<BenchPeer> {
  const [clock, random] = [new RealClock(), new RealRandom()]
  const keyValues = new RealKeyValues({ disk: new RealDisk() })
  const keyValue = await keyValues.open(join(folder, 'exchange'))
  const frontier = await keyValues.open(join(folder, 'frontier'))
  const table = frontier.table('known')
  let taken = 0
  const calls = new CallServices(new Calls({ network, clock, random })).service('crawl')
  const exchange = new Exchange(
    {
      keyValue,
      clock,
      random,
      compressor: realCompressor,
      calls,
      owners: ring.seenBy(network),
      take: async (links) => {
        await frontier.transaction(() => {
          for (const { url, jobId } of links) {
            const key = Buffer.concat([ringKeyToBytes(url.ringKey), Buffer.from(`${jobId} ${url.href}`)])
            table.put(key, Buffer.alloc(1))
          }
        })
        await frontier.flush()
        taken += links.length
      },
    },
    options,
  )
  calls.answer(exchange.answer)
  return {
    exchange,
    takenCount: () => taken,
    close: async () => {
      await exchange.close()
      await Promise.all([keyValue.close(), frontier.close()])
    },
  }
}
