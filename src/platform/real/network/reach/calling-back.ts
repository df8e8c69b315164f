// Whether others reach us, asked of those who would know: each dials us where it sees us, at our ports. (What AutoNAT does, for members only.)
//
// Invariants: an asker is dialled at the very host that its connection comes from, and nowhere else, so nobody is made to knock at strangers';
// each asker is dialled once in `pauseMs`, all together `atOnceMax` at once; what answers there counts only if it is the asker.

import { LruCache } from '../../../../model/lru-cache.ts'
import type { PeerId } from '../../../network/network.ts'
import type { Connection } from '../node.ts'
import { hostPartOf, isLoopback } from './multiaddress.ts'
import { portsMax } from './reach-messages.ts'
import type { Transports } from './transports.ts'

const dialMsMax = 4_000
const pauseMs = 3_000
const atOnceMax = 8

export class CallingBack {
  readonly #transports: Transports
  readonly #lastMs = new LruCache<PeerId, number>({ max: 1_024 })
  #running = 0

  constructor(transports: Transports) {
    this.#transports = transports
  }

  /** The ports at which the asker answers us. Throws when it asks too often. */
  async answer(connection: Connection, ports: readonly number[]): Promise<number[]> {
    const peer = connection.remotePeer.toString()
    const host = hostPartOf(connection.remoteAddr.toString())
    const nowMs = performance.now()
    if (host === undefined || isLoopback(`${host}/`)) throw new Error('it is not seen from elsewhere')
    if (nowMs - (this.#lastMs.get(peer) ?? Number.NEGATIVE_INFINITY) < pauseMs || this.#running >= atOnceMax)
      throw new Error('too many questions')
    this.#lastMs.set(peer, nowMs)
    this.#running++
    try {
      const reached = await Promise.all(
        ports.slice(0, portsMax).map(async (port) => {
          const isReached = port > 0 && (await this.#reaches(`${host}/tcp/${port}/p2p/${peer}`))
          return isReached ? [port] : []
        }),
      )
      return reached.flat()
    } finally {
      this.#running--
    }
  }

  async #reaches(address: string): Promise<boolean> {
    try {
      const connection = await this.#transports.dialDirect(address, {
        signal: AbortSignal.timeout(dialMsMax),
      })
      connection.close().catch((error) => connection.abort(error))
      return true
    } catch {
      return false
    }
  }
}
