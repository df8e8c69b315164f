// A simulated peer that exchanges links: the real exchange on its machine, and a frontier that only keeps what it takes.

import { PolyhistorError } from '../../src/errors.ts'
import { Exchange, type ExchangeOptions } from '../../src/exchange/exchange.ts'
import type { ForwardedLink } from '../../src/exchange/forwarded-link.ts'
import { CallServices } from '../../src/world/call-services.ts'
import { Calls } from '../../src/world/calls.ts'
import type { KeyValue } from '../../src/world/key-value.ts'
import type { SimulatedMachine } from '../../src/world/simulated/machine.ts'
import type { SimulatedRandom } from '../../src/world/simulated/random.ts'
import type { ChangingRing } from './changing-ring.ts'

export interface PeerFaults {
  /** How often the frontier takes nothing. */
  takeFailures: number
}

export class ExchangingPeer {
  readonly exchange: Exchange
  readonly #exchangeMap: KeyValue
  readonly #frontierMap: KeyValue

  static async open(
    machine: SimulatedMachine,
    needs: { ring: ChangingRing; random: SimulatedRandom; faults: PeerFaults },
    options: Partial<ExchangeOptions>,
  ): Promise<ExchangingPeer> {
    const maps = [
      await machine.keyValues.open('/exchange'),
      await machine.keyValues.open('/frontier'),
    ] as const
    return new ExchangingPeer(machine, needs, maps, options)
  }

  private constructor(
    machine: SimulatedMachine,
    { ring, random, faults }: { ring: ChangingRing; random: SimulatedRandom; faults: PeerFaults },
    [exchangeMap, frontierMap]: readonly [KeyValue, KeyValue],
    options: Partial<ExchangeOptions>,
  ) {
    this.#exchangeMap = exchangeMap
    this.#frontierMap = frontierMap
    const table = frontierMap.table('taken')
    const take = async (links: readonly ForwardedLink[]): Promise<void> => {
      if (random.chance(faults.takeFailures))
        throw new PolyhistorError('frontier-full', 'It takes nothing now', { retry: 'later' })
      await frontierMap.transaction(() => {
        for (const link of links) table.put(Buffer.from(nameOf(link)), Buffer.from('taken'))
      })
      await frontierMap.flush()
    }
    const { clock, network, compressor } = machine
    const calls = new CallServices(new Calls(machine)).service('crawl')
    const owners = ring.seenBy(machine.name, network)
    this.exchange = new Exchange(
      { keyValue: exchangeMap, clock, random: machine.random, compressor, calls, owners, take },
      options,
    )
    calls.answer(this.exchange.answer)
    this.exchange.start()
  }

  /** All that its frontier has. */
  taken(): Set<string> {
    const names = [...this.#frontierMap.table('taken').range()].map(([key]) => Buffer.from(key).toString())
    return new Set(names)
  }

  async close(): Promise<void> {
    await this.exchange.close()
    await Promise.all([this.#exchangeMap.close(), this.#frontierMap.close()])
  }
}

export function nameOf({ jobId, kind, depth, url, via }: ForwardedLink): string {
  return `${jobId} ${kind} ${depth} ${url.href} ${via}`
}
