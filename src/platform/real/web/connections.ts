// The open connections: kept alive between exchanges, bounded in number.
//
// Invariants: at most `connectionsMax` are open or being opened. When there is no room, the idle one unused for longest
// is closed; when none is idle, the next waits its turn. A dead connection is never handed out.

import type { AddressRule } from '../../network/web.ts'
import type { Connection } from './connection.ts'

export class Connections {
  readonly #connectionsMax: number
  readonly #idleByKey = new Map<string, Connection[]>()
  /** In the order of last use. */
  readonly #idle = new Set<Connection>()
  readonly #open = new Set<Connection>()
  readonly #waiting = new Set<() => void>()
  #opening = 0

  constructor(connectionsMax: number) {
    this.#connectionsMax = connectionsMax
  }

  /** An idle one for this key whose address the rule lets through. */
  take(key: string, rule: AddressRule): Connection | undefined {
    const candidates = this.#idleByKey.get(key)
    for (let index = (candidates?.length ?? 0) - 1; index >= 0; index--) {
      const connection = candidates![index]!
      if (!connection.wire.isAlive || !connection.mayServe(rule)) continue
      this.#unlist(connection)
      return connection
    }
    return undefined
  }

  /** One that came free meanwhile, or undefined: room to open one. Whoever gets that calls `add` or `leave`. Rejects
   * with the signal's reason. */
  async enter(key: string, rule: AddressRule, signal: AbortSignal): Promise<Connection | undefined> {
    while (this.#open.size + this.#opening >= this.#connectionsMax) {
      const free = this.take(key, rule)
      if (free !== undefined) return free
      const oldest = this.#idle.values().next().value
      if (oldest === undefined) await this.#turn(signal)
      else await this.discard(oldest)
    }
    this.#opening++
    return undefined
  }

  leave(): void {
    this.#opening--
    this.#wakeOne()
  }

  add(connection: Connection): void {
    this.#opening--
    this.#open.add(connection)
    connection.onClose(() => void this.discard(connection))
  }

  /** Ready for the next exchange. */
  giveBack(connection: Connection): void {
    if (!connection.wire.isAlive) {
      void this.discard(connection)
      return
    }
    const candidates = this.#idleByKey.get(connection.key)
    if (candidates === undefined) this.#idleByKey.set(connection.key, [connection])
    else candidates.push(connection)
    this.#idle.add(connection)
    this.#wakeOne()
  }

  async discard(connection: Connection): Promise<void> {
    if (!this.#open.delete(connection)) return
    this.#unlist(connection)
    await connection.destroy()
    this.#wakeOne()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((connection) => this.discard(connection)))
  }

  #unlist(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const candidates = this.#idleByKey.get(connection.key)!
    candidates.splice(candidates.indexOf(connection), 1)
    if (candidates.length === 0) this.#idleByKey.delete(connection.key)
  }

  #wakeOne(): void {
    const wake = this.#waiting.values().next().value
    if (wake === undefined) return
    this.#waiting.delete(wake)
    wake()
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const wake = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        this.#waiting.delete(wake)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(wake)
    })
  }
}
